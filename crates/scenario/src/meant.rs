//! The kind that an unknown word means: another word for a kind, one of its keys, or a word that one of its keys accepts.

use sansim_registry::KINDS;
use sansim_schema::doc::TableDoc;
use sansim_schema::suggest::words_in_prose;

use crate::reserved::{Holds, RESERVED};

/// The most places of a word that a message lists.
const MOST_PLACES: usize = 3;

/// Words for things that are configured by keys of a component, with those keys.
const SAID_ELSEWHERE: &[(&[&str], &str)] = &[
    (&["cpu", "processor", "core", "cores"], "a host, a controller and an appliance have `processors`"),
    (&["os-driver", "hba-driver"], "a host has a `driver`"),
    (
        &["elevator", "io-scheduler", "scheduler"],
        "the driver of a host and each drive have queues with an order of their own",
    ),
    (
        &["multipath", "mpio", "dual-path", "multipathing"],
        "give a host several `adapters`; its `path` chooses among them",
    ),
    (
        &["router", "gateway", "storage-router", "fc-router"],
        "kind = \"controller\" joins networks of any kinds, kind = \"fl-port\" a loop and a fabric",
    ),
    (
        &["bursty", "bursts", "mixed", "workload-mix", "arrival-process", "think"],
        "kind = \"synthetic\" has `streams`, each with its `arrivals`, its places and its sizes",
    ),
];

/// Whether two words are the same in different spellings: `Storage Array`, `storage_array`, `RAID5`, `switches`.
pub(crate) fn same(written: &str, word: &str) -> bool {
    let plain = |word: &str| -> String {
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let (written, word) = (plain(written), plain(word));
    let one_of = |several: &str, one: &str| {
        several.strip_suffix("es") == Some(one) || several.strip_suffix('s') == Some(one)
    };
    written == word || one_of(&written, &word) || one_of(&word, &written)
}

/// A correction of a word that is no kind, if its meaning is known.
pub(crate) fn instead(written: &str) -> Option<String> {
    let kinds: Vec<&str> = KINDS
        .iter()
        .filter(|kind| same(written, kind.word) || kind.also.iter().any(|word| same(written, word)))
        .map(|kind| kind.word)
        .collect();
    match kinds.as_slice() {
        [] => {}
        [only] => return Some(format!("did you mean \"{only}\"?")),
        [most @ .., last] => return Some(format!("did you mean \"{}\" or \"{last}\"?", most.join("\", \""))),
    }
    let said = SAID_ELSEWHERE.iter().find(|(words, _)| words.iter().any(|word| same(written, word)));
    if let Some((_, said)) = said {
        return Some((*said).to_owned());
    }
    let places = places(written);
    let more = places.len().saturating_sub(MOST_PLACES);
    let named = words_in_prose(places.iter().take(MOST_PLACES).map(String::as_str));
    match more {
        _ if places.is_empty() => None,
        0 => Some(format!("it is no kind, but it can be written at {named}")),
        _ => Some(format!("it is no kind, but it can be written at {named}, and at {more} other places")),
    }
}

/// The places where a word is a key, or can be its value, each as `key` or `key = "word"` with the kind before it.
fn places(written: &str) -> Vec<String> {
    let mut found = Vec::new();
    for kind in KINDS {
        search(&(kind.describe)(), kind.word, written, &mut found);
    }
    for reserved in RESERVED {
        if let Holds::Table(table) | Holds::Tables(table) = &reserved.holds {
            search(&(table.describe)(), reserved.name, written, &mut found);
        }
    }
    found
}

/// Adds the places of a word in a table and in the tables within it.
fn search(table: &TableDoc, path: &str, written: &str, found: &mut Vec<String>) {
    let mut add = |place: String| {
        if !found.contains(&place) {
            found.push(place);
        }
    };
    for field in &table.fields {
        if same(written, field.name) {
            add(format!("{path}.{}", field.name));
        }
        for word in field.words.iter().filter(|word| same(written, word.word)) {
            add(format!("{path}.{} = \"{}\"", field.name, word.word));
        }
    }
    for variant in &table.variants {
        if same(written, variant.word) {
            add(format!("{path}.{} = \"{}\"", variant.key, variant.word));
        }
    }
    for inner in table.tables.iter().filter(|inner| same(written, inner.name)) {
        add(inner.path(path));
    }
    for variant in &table.variants {
        search(&variant.table, path, written, found);
    }
    for inner in &table.tables {
        search(&inner.table, &inner.path(path), written, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::not_modelled::{self, MISSING};
    use sansim_schema::source::SourceRange;

    /// The usual spellings of a word.
    fn spellings(word: &str) -> [String; 5] {
        [
            word.to_owned(),
            word.replace('-', "_"),
            word.replace('_', "-"),
            word.to_uppercase(),
            word.replace(['-', '_'], " "),
        ]
    }

    /// Adds every key of a table and of the tables within it, and every word that a key accepts.
    fn vocabulary(table: &TableDoc, words: &mut Vec<&'static str>) {
        for field in &table.fields {
            words.push(field.name);
            words.extend(field.words.iter().map(|word| word.word));
        }
        for variant in &table.variants {
            words.push(variant.word);
            vocabulary(&variant.table, words);
        }
        for inner in &table.tables {
            words.push(inner.name);
            vocabulary(&inner.table, words);
        }
    }

    #[test]
    fn every_word_for_a_kind_leads_to_the_kind() {
        for kind in KINDS {
            for spelling in kind.also.iter().flat_map(|word| spellings(word)) {
                let said = instead(&spelling).unwrap_or_default();
                assert!(said.contains(&format!("\"{}\"", kind.word)), "{spelling}: {said}");
            }
            for spelling in spellings(kind.word) {
                let said = instead(&spelling).unwrap_or_default();
                assert!(said.contains(&format!("\"{}\"", kind.word)), "{spelling}: {said}");
            }
        }
    }

    #[test]
    fn no_word_that_a_scenario_can_have_is_listed_as_not_modelled() {
        let mut words = Vec::new();
        for kind in KINDS {
            words.push(kind.word);
            words.extend(kind.also);
            vocabulary(&(kind.describe)(), &mut words);
        }
        for reserved in RESERVED {
            words.push(reserved.name);
            if let Holds::Table(table) | Holds::Tables(table) = &reserved.holds {
                vocabulary(&(table.describe)(), &mut words);
            }
        }
        words.extend(SAID_ELSEWHERE.iter().flat_map(|(words, _)| *words));
        words.sort_unstable();
        words.dedup();
        assert!(words.len() > 500, "{}", words.len());
        for spelling in words.iter().flat_map(|word| spellings(word)) {
            assert!(not_modelled::fault(&spelling, SourceRange::FILE).is_none(), "{spelling}");
        }
    }

    #[test]
    fn what_is_not_modelled_has_no_other_meaning() {
        for word in MISSING.iter().flat_map(|missing| missing.words) {
            assert_eq!(instead(word), None, "{word}");
            assert!(not_modelled::fault(word, SourceRange::FILE).is_some());
        }
    }
}
