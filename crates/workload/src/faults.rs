//! The errors of a file that describes a load, and of the files it includes, each with its line.

use sansim_schema::codes::{self, Code};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::NamedFile;
use sansim_schema::report::{Problem, ProblemReport};
use sansim_schema::source::{SourceRange, SourceTexts};

/// An error in a written value, with the reason and a correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenValueError {
    /// The kind of problem.
    pub code: Code,
    /// The error, in one sentence without a full stop.
    pub message: String,
    /// The correction of the error; may be empty.
    pub help: String,
}

impl WrittenValueError {
    /// A problem of this kind.
    pub fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> WrittenValueError {
        WrittenValueError { code, message: message.into(), help: help.into() }
    }
}

/// A problem with a file that a scenario names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    message: String,
    help: Option<String>,
}

impl FileProblem {
    /// A problem described in one sentence without a full stop.
    pub fn from_sentence(message: String) -> FileProblem {
        FileProblem { message, help: None }
    }

    /// All problems of a report, each with its line.
    pub fn all(report: ProblemReport) -> Vec<FileProblem> {
        let told = |problem: Problem| FileProblem {
            message: format!("{}, line {}: {}", problem.at.source, problem.at.line, problem.message),
            help: problem.help,
        };
        report.problems.into_iter().map(told).collect()
    }
}

/// Reports the problems of a file at the key that names it.
pub fn report_at(keys: &mut Keys<'_, '_>, key: &str, faults: Vec<FileProblem>) {
    for told in faults {
        let fault = Diagnostic::new(codes::BAD_VALUE, keys.value_position(key), told.message)
            .with_label("in this file")
            .with_help_if_given(told.help);
        keys.report(key, fault);
    }
}

/// The text of a file that a scenario names; empty if the file was not found, which is reported elsewhere.
///
/// # Errors
///
/// If the file cannot be read, or is no text.
pub fn text_of_file(file: &NamedFile) -> Result<&str, Vec<FileProblem>> {
    file.text().map_err(|why| vec![FileProblem::from_sentence(why)])
}

/// A position in one of the files: the number of the file in the order in which files were opened, and the range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePosition {
    /// The number of the file; 0 is the file that was requested.
    pub file: usize,
    /// The first byte of the range.
    pub start: usize,
    /// The byte behind the last byte of the range.
    pub end: usize,
}

/// The files that have been opened, and their errors.
#[derive(Debug, Default)]
pub struct Faults {
    files: Vec<(String, SourceTexts)>,
    problems: Vec<(FilePosition, Problem)>,
}

impl Faults {
    /// Opens one more file; returns its number.
    pub fn open_file(&mut self, name: &str, text: &str) -> usize {
        self.files.push((name.to_owned(), SourceTexts::new(name, text, &[], "")));
        self.files.len() - 1
    }

    /// The line of a spot, from 1.
    pub fn line_of_position(&self, spot: FilePosition) -> usize {
        self.files.get(spot.file).map_or(1, |(_, sources)| sources.excerpt(place(spot)).line)
    }

    /// Whether there is no error so far.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Records a problem with a key, or with the text if there is no key.
    pub fn report(&mut self, spot: FilePosition, key: &str, wrong: WrittenValueError) {
        self.report_with(spot, key, wrong, None);
    }

    /// Records a problem to which a second position belongs.
    pub fn report_with(
        &mut self,
        spot: FilePosition,
        key: &str,
        wrong: WrittenValueError,
        related: Option<(FilePosition, &str)>,
    ) {
        let Some((_, sources)) = self.files.get(spot.file) else { return };
        // A quote from the file may contain any characters; control characters are replaced, so that none reaches a terminal.
        let clean = |text: &str| text.replace(char::is_control, "\u{fffd}");
        let related = related.and_then(|(spot, label)| {
            let (_, sources) = self.files.get(spot.file)?;
            Some((sources.excerpt(place(spot)), label.to_owned()))
        });
        let problem = Problem {
            code: wrong.code,
            at: sources.excerpt(place(spot)),
            key: clean(key),
            message: clean(&wrong.message),
            label: String::new(),
            help: (!wrong.help.is_empty()).then(|| clean(&wrong.help)),
            related,
        };
        self.problems.push((spot, problem));
    }

    /// All problems in the order of the files, or the content `read` if there are none.
    ///
    /// # Errors
    /// The problems, if there are any.
    pub fn all_problems_or<T>(mut self, read: T) -> Result<T, ProblemReport> {
        if self.problems.is_empty() {
            return Ok(read);
        }
        self.problems.sort_by_key(|(spot, problem)| (*spot, problem.code));
        // Two jobs that share a global section share its errors, so duplicates are dropped.
        let mut problems: Vec<Problem> = self.problems.into_iter().map(|(_, problem)| problem).collect();
        problems.dedup();
        let source = self.files.into_iter().next().map(|(name, _)| name).unwrap_or_default();
        Err(ProblemReport { source, problems })
    }
}

/// Each file is the first text of a set of source texts of its own.
fn place(spot: FilePosition) -> SourceRange {
    SourceRange { text: 0, start: spot.start, end: spot.end.max(spot.start + 1) }
}
