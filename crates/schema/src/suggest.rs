//! Suggestions: "Did you mean ...", with the nearest of some known words.

use strsim::osa_distance;

/// The known word nearest to `word`, if a word is near enough: at most a third of the letters differ, where swapping two neighbours counts
/// as one change and capitals do not count. A word with which exactly one known word begins is near, too. For units see [`crate::meant`]:
/// in a unit a letter is a factor of a thousand.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(word);
    let length = wanted.chars().count();
    if length == 0 || length > 64 {
        return None;
    }
    // 3GFC is not near 1GFC, nor is 1TFC: a different number is a different thing, not a slip.
    let known: Vec<&str> = known
        .into_iter()
        .filter(|candidate| leading_number(&folded(candidate)) == leading_number(&wanted))
        .collect();
    let near = || {
        known
            .iter()
            .map(|&candidate| {
                let folded = folded(candidate);
                (osa_distance(&wanted, &folded), folded.chars().count(), candidate)
            })
            .filter(|(distance, other, _)| *distance <= (length.max(*other) / 3).min(3))
            .min_by_key(|(distance, _, _)| *distance)
            .map(|(_, _, candidate)| candidate)
    };
    let begun = || {
        let mut begun = known.iter().filter(|candidate| length > 1 && folded(candidate).starts_with(&wanted));
        begun.next().filter(|_| begun.next().is_none()).copied()
    };
    begun().or_else(near)
}

/// The suggestion `did you mean ...?`, or none.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, known).map(|near| format!("did you mean `{near}`?"))
}

/// Words as a list in prose: `a, b or c`, each in back quotes.
pub fn words_in_prose<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// A key or name shortened to a printable length; TOML has no limit.
pub fn shortened_for_print(key: &str) -> String {
    key.chars().take(60).collect()
}

/// The number with which a word begins, and the letter behind it, which is a factor; empty if the word begins with no number.
fn leading_number(word: &str) -> &str {
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let factor = behind.chars().next().map_or(0, char::len_utf8);
    if behind.len() == word.len() { "" } else { &word[..word.len() - behind.len() + factor] }
}

fn folded(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_misspelt_word_and_leaves_strangers_alone() {
        let keys = ["queue_depth", "queue_depth_per", "size", "read_fraction"];
        assert_eq!(nearest("quue_depth", keys), Some("queue_depth"));
        assert_eq!(nearest("Queue-Depth", keys), Some("queue_depth"));
        assert_eq!(nearest("szie", keys), Some("size"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
    }

    #[test]
    fn a_word_that_only_one_begins_with_is_near() {
        assert_eq!(nearest("read", ["queue_depth", "read_fraction"]), Some("read_fraction"));
        assert_eq!(nearest("queue", ["queue_depth", "queue_depth_per"]), None);
        assert_eq!(nearest("trace-slow", ["trace-io", "trace-slowest"]), Some("trace-slowest"));
        assert_eq!(nearest("2G", ["1GFC", "2GFC"]), Some("2GFC"));
        assert_eq!(nearest("2.5GFC", ["1GFC", "2GFC"]), None);
        assert_eq!(nearest("2TFC", ["1GFC", "2GFC"]), None);
        assert_eq!(nearest("2gcf", ["1GFC", "2GFC"]), Some("2GFC"));
    }

    #[test]
    fn short_words_are_near_to_themselves_only() {
        assert_eq!(nearest("k", ["n", "m"]), None);
        assert_eq!(nearest("ms", ["us", "ns"]), None);
        assert_eq!(nearest("bogus", ["out", "loop", "fio"]), None);
        assert_eq!(nearest("fast", ["fair"]), None);
    }

    #[test]
    fn a_list_in_prose() {
        assert_eq!(words_in_prose(["a"]), "`a`");
        assert_eq!(words_in_prose(["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
