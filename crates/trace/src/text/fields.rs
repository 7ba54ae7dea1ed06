//! A line cut into fields.

/// The text without blanks at its ends.
pub(crate) fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

/// The fields of a line, one after the other, each without the blanks around it.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    rest: Option<&'a [u8]>,
    separator: u8,
}

impl<'a> Fields<'a> {
    /// The fields of a line with `separator` between them. Between two adjacent separators is an empty field.
    pub(crate) fn separated(line: &'a [u8], separator: u8) -> Fields<'a> {
        Fields { rest: Some(line), separator }
    }

    /// The next field unchanged, with its blanks, so that adjacent fields can be used together.
    pub(crate) fn raw(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        match rest.iter().position(|&byte| byte == self.separator) {
            Some(end) => {
                self.rest = Some(&rest[end + 1..]);
                Some(&rest[..end])
            }
            None => {
                self.rest = None;
                Some(rest)
            }
        }
    }

    /// The text that has not been cut yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest.unwrap_or_default()
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.raw().map(trimmed)
    }
}

/// The words of a line, with any number of blanks between them.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Words<'a> {
        Words { rest: line }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.trim_ascii_start();
        if rest.is_empty() {
            self.rest = rest;
            return None;
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Some(&rest[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lose_their_blanks_and_keep_their_places() {
        let fields: Vec<&[u8]> = Fields::separated(b"1, two ,,4", b',').collect();
        assert_eq!(fields, [b"1" as &[u8], b"two", b"", b"4"]);
        assert_eq!(Fields::separated(b"", b',').count(), 1);
    }

    #[test]
    fn words_may_have_any_blanks_between_them() {
        let words: Vec<&[u8]> = Words::new(b"  8,0\t 1   x ").collect();
        assert_eq!(words, [b"8,0" as &[u8], b"1", b"x"]);
        assert_eq!(Words::new(b"   ").next(), None);
    }
}
