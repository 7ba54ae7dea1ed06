//! A line in a form that can be shown to a person, whatever it contains.

/// The number of bytes of a line that are shown.
const SHOWN: usize = 80;

/// The beginning of a line: unprintable characters are escaped, and three dots mean that text was left out.
pub(crate) fn printable(line: &[u8]) -> String {
    let mut text: String =
        line.iter().take(SHOWN).flat_map(|byte| byte.escape_ascii()).map(char::from).collect();
    if line.len() > SHOWN {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_printed_is_escaped_and_what_is_long_is_cut() {
        assert_eq!(printable(b"a\0\xff\t"), r"a\x00\xff\t");
        assert_eq!(printable(&[b'x'; 81]), "x".repeat(80) + "...");
    }
}
