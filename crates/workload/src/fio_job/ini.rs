//! The syntax of a job file: sections, `key=value` lines, comments, `include`. Source: `fio(1)`, "JOB FILE FORMAT".
//!
//! A comment begins with `;` or `#`, at the beginning of a line or after a value; only in `filename` both are ordinary characters. `include
//! FILE` inserts the lines of another file at that line.

use sansim_schema::codes;

use crate::faults::{Faults, FilePosition, WrittenValueError};

/// One `key=value` or `key` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IniLine {
    /// The key as it is written in the file.
    pub key: String,
    /// The text after `=`; `None` if there is no `=`.
    pub value: Option<String>,
    /// The spot of the key.
    pub key_spot: FilePosition,
    /// The spot of the value; of the key if there is none.
    pub value_spot: FilePosition,
}

/// A section: `[name]` and the lines below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The text in brackets.
    pub name: String,
    /// The spot of the section's name.
    pub spot: FilePosition,
    /// The lines of the section, in order.
    pub lines: Vec<IniLine>,
}

/// Returns the text of an included file by the name after `include`, or the reason why it cannot be read.
pub type Include<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

/// The deepest nesting of includes; deeper nesting is a cycle. fio has the same limit.
const DEEPEST: usize = 16;
/// The most files in all; without this limit two includes in each of sixteen files would be 65536.
const MOST_FILES: usize = 256;

/// The sections of a job file and of the files that it includes.
pub fn sections(name: &str, text: &str, include: &mut Include<'_>, faults: &mut Faults) -> Vec<Section> {
    let mut reader = Reader { sections: Vec::new(), include, faults, files: 0 };
    reader.file(name, text, 0);
    reader.sections
}

struct Reader<'a, 'i> {
    sections: Vec<Section>,
    include: &'a mut Include<'i>,
    faults: &'a mut Faults,
    files: usize,
}

impl Reader<'_, '_> {
    fn file(&mut self, name: &str, text: &str, depth: usize) {
        let file = self.faults.open_file(name, text);
        self.files += 1;
        let mut at = 0;
        for whole in text.split_inclusive('\n') {
            self.line(whole, FilePosition { file, start: at, end: at + whole.len() }, depth);
            at += whole.len();
        }
    }

    fn line(&mut self, whole: &str, spot: FilePosition, depth: usize) {
        let text = without_comment(whole.trim());
        if text.is_empty() {
            return;
        }
        let part = |piece: &str| {
            // Every piece is a part of the line, so the difference of their addresses is the piece's position.
            let from = piece.as_ptr() as usize - whole.as_ptr() as usize;
            FilePosition { start: spot.start + from, end: spot.start + from + piece.len(), ..spot }
        };
        if let Some(rest) = text.strip_prefix('[') {
            return self.section(rest, part(text));
        }
        if let Some(name) = text.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t'])) {
            return self.include(name.trim(), part(name.trim()), depth);
        }
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim())),
            None => (text, None),
        };
        if key.is_empty() || key.contains(char::is_whitespace) {
            let wrong = WrittenValueError::new(
                codes::SYNTAX,
                format!("{key:?} is no name of a key"),
                "write key=value, [section] or ; comment",
            );
            return self.faults.report(part(text), "", wrong);
        }
        let Some(section) = self.sections.last_mut() else {
            let wrong = WrittenValueError::new(
                codes::SYNTAX,
                "a key before the first section belongs to no job",
                "write [global] or [name of a job] above it",
            );
            return self.faults.report(part(text), "", wrong);
        };
        let value_spot = value.filter(|value| !value.is_empty()).map_or(part(key), part);
        section.lines.push(IniLine {
            key: key.to_owned(),
            value: value.map(str::to_owned),
            key_spot: part(key),
            value_spot,
        });
    }

    fn section(&mut self, rest: &str, spot: FilePosition) {
        let Some((name, behind)) = rest.rsplit_once(']') else {
            let wrong = WrittenValueError::new(
                codes::SYNTAX,
                "the name of a section does not end",
                "write ] behind the name",
            );
            return self.faults.report(spot, "", wrong);
        };
        if !behind.trim().is_empty() || name.trim().is_empty() {
            let message = if behind.trim().is_empty() {
                "a section has no name".to_owned()
            } else {
                format!("{:?} stands behind a section", behind.trim())
            };
            let wrong = WrittenValueError::new(codes::SYNTAX, message, "write [name] on a line by itself");
            return self.faults.report(spot, "", wrong);
        }
        self.sections.push(Section { name: name.trim().to_owned(), spot, lines: Vec::new() });
    }

    fn include(&mut self, name: &str, spot: FilePosition, depth: usize) {
        if depth >= DEEPEST || self.files >= MOST_FILES {
            let message = format!("{name} is included too deep; do files include each other?");
            let help = "leave out the `include` that leads back";
            return self.faults.report(spot, "include", WrittenValueError::new(codes::SYNTAX, message, help));
        }
        match (self.include)(name) {
            Ok(text) => self.file(name, &text, depth + 1),
            Err(reason) => {
                let message = format!("the included file {name} cannot be read: {reason}");
                let help = "the name is taken from the directory of the job file";
                self.faults.report(spot, "include", WrittenValueError::new(codes::UNREADABLE, message, help));
            }
        }
    }
}

/// A line without its comment.
fn without_comment(line: &str) -> &str {
    let end = if line.starts_with([';', '#']) {
        0
    } else if line.starts_with("filename") {
        line.len()
    } else {
        line.find([';', '#']).unwrap_or(line.len())
    };
    line[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Section>, Faults) {
        let mut faults = Faults::default();
        let mut include = |name: &str| match name {
            "other.fio" => Ok("bs=8k\n[inner]\nrw=read\n".to_owned()),
            "ring.fio" => Ok("include ring.fio\n".to_owned()),
            _ => Err("there is no such file".to_owned()),
        };
        let sections = sections("job.fio", text, &mut include, &mut faults);
        (sections, faults)
    }

    #[test]
    fn comments_may_stand_on_lines_of_their_own_and_behind_values() {
        let (sections, faults) = read("; a\n# b\n[job]\r\n  rw = read ; c\nfilename=/a#b;c\ntime_based\n");
        assert!(faults.is_empty());
        let lines: Vec<_> =
            sections[0].lines.iter().map(|line| (line.key.as_str(), line.value.as_deref())).collect();
        assert_eq!(lines, [("rw", Some("read")), ("filename", Some("/a#b;c")), ("time_based", None)]);
    }

    #[test]
    fn an_included_file_stands_where_it_is_included() {
        let (sections, faults) = read("[global]\ninclude other.fio\nrw=write\n");
        assert!(faults.is_empty());
        assert_eq!(
            sections.iter().map(|section| section.name.as_str()).collect::<Vec<_>>(),
            ["global", "inner"]
        );
        assert_eq!(sections[1].lines.len(), 2);
        assert_eq!(sections[1].lines[0].key_spot.file, 1);
    }

    #[test]
    fn files_that_include_each_other_end_with_a_message() {
        let (_, faults) = read("[global]\ninclude ring.fio\n");
        let report = faults.all_problems_or(()).expect_err("a ring");
        assert_eq!(report.problems.len(), 1);
        assert!(report.problems[0].message.contains("do files include each other?"));
    }

    #[test]
    fn every_mistake_of_syntax_is_told_with_its_line() {
        let (_, faults) = read("bs=4k\n[job\n[]\n[a] b\n[job]\ntwo words=1\n=5\ninclude gone.fio\n");
        let report = faults.all_problems_or(()).expect_err("mistakes");
        let lines: Vec<usize> = report.problems.iter().map(|problem| problem.line()).collect();
        assert_eq!(lines, [1, 2, 3, 4, 6, 7, 8]);
    }
}
