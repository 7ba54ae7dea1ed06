//! Everything that is wrong with a file that describes a load, and the files it includes, each with its line.

use sansim_schema::codes::{self, Code};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::NamedFile;
use sansim_schema::report::{Problem, Report};
use sansim_schema::source::{SourceRange, SourceTexts};

/// An error in a written value: the reason, and a correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The kind of problem.
    pub code: Code,
    /// The error, in one sentence without a full stop.
    pub message: String,
    /// The correction; may be empty.
    pub help: String,
}

impl Wrong {
    /// A problem of this kind.
    pub fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Wrong {
        Wrong { code, message: message.into(), help: help.into() }
    }
}

/// Something that is wrong with a file that a scenario names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    message: String,
    help: Option<String>,
}

impl FileProblem {
    /// In one sentence without a full stop.
    pub fn of(message: String) -> FileProblem {
        FileProblem { message, help: None }
    }

    /// Everything that a report says, each with its line.
    pub fn all(report: Report) -> Vec<FileProblem> {
        let told = |problem: Problem| FileProblem {
            message: format!("{}, line {}: {}", problem.at.source, problem.at.line, problem.message),
            help: problem.help,
        };
        report.problems.into_iter().map(told).collect()
    }
}

/// Tells what is wrong with a file at the key that names it.
pub fn report_at(keys: &mut Keys<'_, '_>, key: &str, faults: Vec<FileProblem>) {
    for told in faults {
        let fault = Diagnostic::new(codes::BAD_VALUE, keys.value(key), told.message)
            .label("in this file")
            .maybe_help(told.help);
        keys.report(key, fault);
    }
}

/// The text of a file that a scenario names; empty if the file was not found, which is reported elsewhere.
///
/// # Errors
///
/// If it cannot be read, or is no text.
pub fn text_of(file: &NamedFile) -> Result<&str, Vec<FileProblem>> {
    file.text().map_err(|why| vec![FileProblem::of(why)])
}

/// A place in one of the files: its number in the order in which they were opened, and the range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// Number of the file; 0 is the one that was asked for.
    pub file: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// The files that have been opened, and what is wrong with them.
#[derive(Debug, Default)]
pub struct Faults {
    files: Vec<(String, SourceTexts)>,
    problems: Vec<(Spot, Problem)>,
}

impl Faults {
    /// One more file is open; returns its number.
    pub fn open(&mut self, name: &str, text: &str) -> usize {
        self.files.push((name.to_owned(), SourceTexts::new(name, text, &[], "")));
        self.files.len() - 1
    }

    /// The line of a spot, from 1.
    pub fn line(&self, spot: Spot) -> usize {
        self.files.get(spot.file).map_or(1, |(_, sources)| sources.excerpt(place(spot)).line)
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Records a problem with a key, or with the text if there is no key.
    pub fn report(&mut self, spot: Spot, key: &str, wrong: Wrong) {
        self.report_with(spot, key, wrong, None);
    }

    /// Records a problem to which a second place belongs.
    pub fn report_with(&mut self, spot: Spot, key: &str, wrong: Wrong, related: Option<(Spot, &str)>) {
        let Some((_, sources)) = self.files.get(spot.file) else { return };
        // A quote from the file may contain anything; none of it may reach a terminal as a control sequence.
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

    /// All problems in the order of the files, or what was read if there are none.
    ///
    /// # Errors
    /// The problems, if there are any.
    pub fn verdict<T>(mut self, read: T) -> Result<T, Report> {
        if self.problems.is_empty() {
            return Ok(read);
        }
        self.problems.sort_by_key(|(spot, problem)| (*spot, problem.code));
        // Two jobs that share a global section share its mistakes.
        let mut problems: Vec<Problem> = self.problems.into_iter().map(|(_, problem)| problem).collect();
        problems.dedup();
        let source = self.files.into_iter().next().map(|(name, _)| name).unwrap_or_default();
        Err(Report { source, problems })
    }
}

/// Each file is the first text of sources of its own.
fn place(spot: Spot) -> SourceRange {
    SourceRange { text: 0, start: spot.start, end: spot.end.max(spot.start + 1) }
}
