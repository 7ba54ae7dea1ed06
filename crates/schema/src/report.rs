//! Errors in a scenario, in words that help to correct them.
//!
//! A [`ProblemReport`] holds every problem that was found, in the order of the file. Each [`Problem`] has a stable code, the place, the key
//! path, the reason and, where one is known, the remedy. The layout of the text is that of the Rust compiler, which most engineers have met
//! and which editors turn into links.

use std::fmt;

use crate::codes::Code;
use crate::source::Excerpt;

/// One problem of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The stable code of this kind of problem, such as `E0201`.
    pub code: Code,
    /// The place of the problem.
    pub at: Excerpt,
    /// The dotted path of the key or table, such as `controller.port.al_pa`; empty if the file as a whole is meant.
    pub key: String,
    /// The error, in one sentence without a full stop.
    pub message: String,
    /// A few words beside the caret; may be empty.
    pub label: String,
    /// The correction, if it is known.
    pub help: Option<String>,
    /// A second place that belongs to the problem, with a few words on it: for example the place where a name was first used.
    pub related: Option<(Excerpt, String)>,
}

impl Problem {
    /// The line of the problem, from 1.
    pub fn line(&self) -> usize {
        self.at.line
    }

    /// The column of the problem in characters, from 1.
    pub fn column(&self) -> usize {
        self.at.column
    }
}

/// All problems of a scenario; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemReport {
    /// The name of the file, as it was given.
    pub source: String,
    /// The problems in the order of the file, then those of the overrides.
    pub problems: Vec<Problem>,
}

impl ProblemReport {
    /// A report of a single problem with the file as a whole.
    pub fn single_problem(source: &str, code: Code, message: String, help: Option<String>) -> ProblemReport {
        let at = Excerpt {
            source: source.to_owned(),
            has_lines: true,
            line: 1,
            column: 1,
            text: String::new(),
            caret: 0,
            width: 0,
        };
        let problem =
            Problem { code, at, key: String::new(), message, label: String::new(), help, related: None };
        ProblemReport { source: source.to_owned(), problems: vec![problem] }
    }
}

/// Writes the source line with its line number, and below it the caret with a label.
fn write_excerpt(f: &mut fmt::Formatter<'_>, at: &Excerpt, gutter: usize, label: &str) -> fmt::Result {
    writeln!(f, "{:gutter$} |", "")?;
    let number = if at.has_lines { at.line.to_string() } else { String::new() };
    writeln!(f, "{number:>gutter$} | {}", at.text)?;
    // A tab before the caret stays a tab, so that the caret is right at any tab width of the terminal.
    let indent: String = at.text.chars().take(at.caret).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let carets = "^".repeat(at.width);
    let line = format!("{:gutter$} | {indent}{carets} {label}", "");
    writeln!(f, "{}", line.trim_end())
}

/// The position `file:line:column`, or only the source where there are no lines.
fn position(at: &Excerpt) -> String {
    if at.width == 0 || !at.has_lines {
        at.source.clone()
    } else {
        format!("{}:{}:{}", at.source, at.line, at.column)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "error[{}]: {}", self.code, self.message)?;
        let lines = [Some(&self.at), self.related.as_ref().map(|(at, _)| at)];
        let gutter = lines.iter().flatten().map(|at| at.line.to_string().len()).max().unwrap_or(1);
        writeln!(f, "{:gutter$}--> {}", "", position(&self.at))?;
        if self.at.width > 0 {
            write_excerpt(f, &self.at, gutter, &self.label)?;
        }
        if let Some((at, label)) = &self.related {
            writeln!(f, "{:gutter$}::: {}", "", position(at))?;
            write_excerpt(f, at, gutter, label)?;
        }
        if !self.key.is_empty() {
            writeln!(f, "{:gutter$} = key: {}", "", self.key)?;
        }
        if let Some(help) = &self.help {
            writeln!(f, "{:gutter$} = help: {help}", "")?;
        }
        Ok(())
    }
}

/// The number of problems that are printed in full; further ones are only counted.
const PRINTED: usize = 40;

impl fmt::Display for ProblemReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in self.problems.iter().take(PRINTED) {
            writeln!(f, "{problem}")?;
        }
        match self.problems.len() {
            1 => writeln!(f, "1 problem in {}; nothing was run", self.source),
            n if n > PRINTED => {
                writeln!(f, "{n} problems in {}, the first {PRINTED} shown; nothing was run", self.source)
            }
            n => writeln!(f, "{n} problems in {}; nothing was run", self.source),
        }
    }
}

impl std::error::Error for ProblemReport {}
