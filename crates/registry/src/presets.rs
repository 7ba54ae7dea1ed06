//! Presets: published drives that keys may follow; they are words of a key of some kind, each with the source of its values.

use crate::KINDS;

/// A word for a published drive or device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The kind that has the preset.
    pub kind: &'static str,
    /// The key whose value is the preset.
    pub key: &'static str,
    /// The word for the preset.
    pub word: &'static str,
    /// The meaning of the preset.
    pub meaning: &'static str,
    /// The source of the preset's values.
    pub source: &'static str,
}

/// All presets, in the order of the kinds and of their words.
pub fn all_presets() -> Vec<Preset> {
    let of_kind = |kind: &'static crate::Kind| {
        let fields = (kind.describe)().fields.into_iter();
        fields.flat_map(move |field| {
            let (kind, key) = (kind.word, field.name);
            field.words.into_iter().map(move |known| Preset {
                kind,
                key,
                word: known.word,
                meaning: known.meaning,
                source: known.source,
            })
        })
    };
    KINDS.iter().flat_map(of_kind).filter(|preset| !preset.source.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn presets_of_three_kinds_are_known_by_words_of_their_own() {
        let presets = all_presets();
        let words: BTreeSet<_> = presets.iter().map(|preset| preset.word).collect();
        assert_eq!(words.len(), presets.len(), "a word says which drive is meant");
        let kinds: BTreeSet<_> = presets.iter().map(|preset| preset.kind).collect();
        assert_eq!(kinds, BTreeSet::from(["disks", "flash-drives", "tape-drives"]));
    }

    #[test]
    fn where_one_word_of_a_key_has_a_source_all_have() {
        for kind in KINDS {
            for field in (kind.describe)().fields {
                let told = field.words.iter().filter(|known| !known.source.is_empty()).count();
                assert!(told == 0 || told == field.words.len(), "{}.{}", kind.word, field.name);
            }
        }
    }
}
