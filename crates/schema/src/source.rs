//! The place at which a piece of a text was written: in the file, or in one override, such as `--set key=value`.
//!
//! Every node of a parsed text remembers its [`SourceRange`], so that a problem found much later can still show the line and put a caret
//! under the right characters. Lines and columns count from one; a column counts characters, not bytes.

/// A range of bytes in one of the texts of [`SourceTexts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceRange {
    /// The index of the text; 0 is the file, the overrides follow in order.
    pub text: usize,
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

impl SourceRange {
    /// The very beginning of the file, for problems that are about the file as a whole.
    pub const FILE: SourceRange = SourceRange { text: 0, start: 0, end: 0 };

    /// A part of the place, as a range of bytes counted from its start; the whole place if the range does not fit.
    pub fn part_of_range(self, from: usize, to: usize) -> SourceRange {
        if from <= to && self.start + to <= self.end {
            SourceRange { text: self.text, start: self.start + from, end: self.start + to }
        } else {
            self
        }
    }
}

/// The name in reports of the place of an override that was given with `--set`.
pub const COMMAND_LINE: &str = "command line";

/// The name in reports of tables that a program gave, which become a text with a line for each key.
pub const DICTIONARY: &str = "the dictionary";

/// The text before the key of an override on the command line.
const SET: &str = "--set ";

/// One text that keys were read from.
#[derive(Clone, Debug)]
struct SourceText {
    /// The name in reports: the path of the file, or the origin of the override.
    name: String,
    text: String,
}

/// All texts from which one scenario, or one study, was read.
#[derive(Clone, Debug)]
pub struct SourceTexts {
    texts: Vec<SourceText>,
    /// The text before the key of an override in its text.
    before_key: &'static str,
}

/// A place in the form in which it is shown in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The file, or the origin of the override: `command line`.
    pub source: String,
    /// Whether it is in a file or a text, whose lines can be looked up; an override and a dictionary have none.
    pub has_lines: bool,
    /// The line number, from 1; meaningless where there are no lines.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The source line, without its line end; of a very long line only the surroundings of the problem.
    pub text: String,
    /// The number of characters before the caret in `text`.
    pub caret: usize,
    /// The number of characters that the caret covers, at least 1; 0 if the problem is about the file as a whole.
    pub width: usize,
}

/// The longest source line that is shown in full; of a longer line only the surroundings of the caret are shown.
const SHOWN: usize = 160;

impl SourceTexts {
    /// Source texts of the file and of the overrides, given as (key path, value text), with the name of the overrides' origin in reports.
    pub fn new(name: &str, text: &str, overrides: &[(String, String)], given_by: &str) -> SourceTexts {
        let before_key = if given_by == COMMAND_LINE { SET } else { "" };
        let mut texts = vec![SourceText { name: name.to_owned(), text: text.to_owned() }];
        for (key, value) in overrides {
            texts.push(SourceText { name: given_by.to_owned(), text: format!("{before_key}{key}={value}") });
        }
        SourceTexts { texts, before_key }
    }

    /// The offset in the text of an override at which its key begins.
    pub fn key_start(&self) -> usize {
        self.before_key.len()
    }

    /// The text with this index.
    pub fn text(&self, index: usize) -> &str {
        self.texts.get(index).map_or("", |source| &source.text)
    }

    /// The place as file, line, column and source line.
    pub fn excerpt(&self, place: SourceRange) -> Excerpt {
        let source = self.texts.get(place.text).map_or("", |source| source.name.as_str()).to_owned();
        let has_lines = place.text == 0 && source != DICTIONARY;
        let text = self.text(place.text);
        if place == SourceRange::FILE {
            let (line, column, text) = (1, 1, String::new());
            return Excerpt { source, has_lines, line, column, text, caret: 0, width: 0 };
        }
        let start = floor_boundary(text, place.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let line = text[..start].bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = text[line_start..start].chars().count();
        let end = floor_boundary(text, place.end).clamp(start, line_end.max(start));
        let width = text[start..end].trim_end().chars().count().max(1);
        let shown = text[line_start..line_end].trim_end_matches('\r');
        // The place may be in the end of the line: between CR and LF.
        let (text, caret, width) = window(shown, column.min(shown.chars().count()), width);
        Excerpt { source, has_lines, line, column: column + 1, text, caret, width }
    }
}

/// The mark where a long line was cut.
const CUT: &str = "... ";

/// The part of a line that is shown, the number of characters of it before the caret, and the caret's width.
fn window(line: &str, column: usize, width: usize) -> (String, usize, usize) {
    // A file may contain any characters; control characters are replaced, so that none reaches a terminal.
    let clean = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
    if line.chars().count() <= SHOWN {
        return (line.chars().map(clean).collect(), column, width);
    }
    let left_out = column.saturating_sub(SHOWN / 2);
    let mark = if left_out > 0 { CUT } else { "" };
    let mut text = mark.to_owned();
    text.extend(line.chars().skip(left_out).take(SHOWN).map(clean));
    text.push_str(" ...");
    (text, column - left_out + mark.len(), width.min(SHOWN / 2))
}

/// The last character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
