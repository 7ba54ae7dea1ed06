//! The sink that collects all problems.

use std::collections::BTreeSet;

use crate::fault::Diagnostic;
use crate::report::{Problem, ProblemReport};
use crate::source::{SourceRange, SourceTexts};
use crate::suggest::shortened_for_print;
use crate::tree::TreeFault;

/// Collects problems.
pub struct ProblemSink<'s> {
    sources: &'s SourceTexts,
    problems: Vec<(SourceRange, Problem)>,
    faulty: BTreeSet<String>,
}

impl<'s> ProblemSink<'s> {
    /// A sink without problems.
    pub fn new(sources: &'s SourceTexts) -> ProblemSink<'s> {
        ProblemSink { sources, problems: Vec::new(), faulty: BTreeSet::new() }
    }

    /// The texts in which problems are found.
    pub fn sources(&self) -> &'s SourceTexts {
        self.sources
    }

    /// Whether there is no problem so far.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The number of problems so far.
    pub fn problem_count(&self) -> usize {
        self.problems.len()
    }

    /// Records a problem with the value of a key.
    pub fn report(&mut self, key: &str, fault: Diagnostic) {
        self.report_with(key, fault, None);
    }

    /// Records a problem that has a second place.
    pub fn report_with(&mut self, key: &str, fault: Diagnostic, related: Option<(SourceRange, &str)>) {
        self.faulty.insert(key.to_owned());
        // Texts quote from the file, which may contain any characters, so control characters are replaced.
        let clean = |text: String| text.replace(char::is_control, "\u{fffd}");
        let problem = Problem {
            code: fault.code,
            at: self.sources.excerpt(fault.place),
            key: clean(key.to_owned()),
            message: clean(fault.message),
            label: clean(fault.label),
            help: fault.help.map(clean),
            related: related.map(|(place, label)| (self.sources.excerpt(place), label.to_owned())),
        };
        self.problems.push((fault.place, problem));
    }

    /// Records the problems of another sink as problems with one key, which is at this place: it is shown beside a problem elsewhere.
    pub fn report_all_of(&mut self, other: Self, key: &str, place: SourceRange) {
        for (at, mut problem) in other.problems {
            self.faulty.insert(key.to_owned());
            key.clone_into(&mut problem.key);
            let is_within = at.text == place.text && at.start >= place.start && at.end <= place.end;
            if !is_within && problem.related.is_none() {
                problem.related = Some((self.sources.excerpt(place), "after this change".to_owned()));
            }
            self.problems.push((at, problem));
        }
    }

    /// Records a problem with the text itself, before its keys are interpreted.
    pub fn report_tree(&mut self, fault: TreeFault) {
        let key = shortened_for_print(&fault.key);
        let told = Diagnostic::new(fault.code, fault.place, fault.message).with_help_if_given(fault.help);
        self.report_with(&key, told, fault.related);
    }

    /// Whether there is no problem with any of these keys, so that they can be compared with each other.
    pub fn all_readable(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| !self.faulty.contains(*key))
    }

    /// All problems, in the order of the text, under the name of its source.
    pub fn into_report(mut self, source: &str) -> ProblemReport {
        self.problems.sort_by_key(|(place, problem)| (*place, problem.code));
        let problems = self.problems.into_iter().map(|(_, problem)| problem).collect();
        ProblemReport { source: source.to_owned(), problems }
    }
}
