//! fio job files: files written for fio are read into typed jobs, which make I/Os.
//!
//! Source of the semantics: `fio(1)` and the behaviour of version 3.33; no code of fio is used.
//!
//! * [`ini`], [`units`], [`values`] - how a file, a number and a value are written;
//! * [`keys`] - every key that has an effect, in one table; [`other_keys`] - keys without an effect, and why;
//! * [`engine`], [`files`], [`verify`] - I/O engines; the devices that a job names; the keys of verification that change nothing;
//! * [`job`] - the meaning of the keys of a job when they are combined;
//! * [`addresses`] - direction, offset and size of each I/O of a job; it uses [`block_map`] and [`skew`].

pub mod addresses;
pub mod block_map;
pub mod clone;
mod contradictions;
pub mod engine;
pub mod files;
pub mod ini;
pub mod job;
pub mod keys;
pub mod kind;
pub mod other_keys;
mod own_files;
pub mod priority;
mod rates;
pub mod skew;
pub mod units;
pub mod values;
pub mod verify;

use sansim_schema::codes;
use sansim_schema::report::ProblemReport;
use sansim_schema::suggest;

use crate::faults::{Faults, WrittenValueError};
use ini::{Include, IniLine, Section};
use job::FioJob;
use keys::{KEYS, Settings};
use units::KbBase;

/// The content of a job file.
#[derive(Clone, Debug, PartialEq)]
pub struct JobFile {
    /// The jobs of the file, in order.
    pub jobs: Vec<FioJob>,
    /// The keys of the file that have no effect here.
    pub ignored: Vec<Ignored>,
}

/// A key of fio that has no effect on a simulated job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The section that contains the key.
    pub section: String,
    /// The name of the key.
    pub key: String,
    /// The line of the key, from 1, in the file that contains it.
    pub line: usize,
    /// The reason why the key has no effect.
    pub because: &'static str,
}

/// Reads a job file. `include` returns the text of an included file by its name.
///
/// # Errors
/// All errors of the file, at once.
pub fn read(name: &str, text: &str, include: &mut Include<'_>) -> Result<JobFile, ProblemReport> {
    let mut faults = Faults::default();
    let sections = ini::sections(name, text, include, &mut faults);
    let mut reader = Reader { faults, ignored: Vec::new(), order: 0 };
    let mut global = Settings::default();
    let mut jobs = Vec::new();
    for section in &sections {
        if section.name == "global" {
            reader.section(section, &mut global);
        } else {
            let mut settings = global.clone();
            reader.section(section, &mut settings);
            let job = job::combine_job_keys(&section.name, section.spot, &settings, &mut reader.faults);
            let faults = &mut reader.faults;
            let mut checks = job::Checks { section: &section.name, spot: section.spot, faults };
            contradictions::look(&settings, &job, &mut checks);
            jobs.push(job);
        }
    }
    if jobs.is_empty() && reader.faults.is_empty() {
        let help = "write a section such as [job], with rw=, bs= and size= below it";
        let wrong = WrittenValueError::new(codes::MISSING_KEY, "there is no job in this file", help);
        reader.faults.report(crate::faults::FilePosition { file: 0, start: 0, end: 0 }, "", wrong);
    }
    reader.faults.all_problems_or(JobFile { jobs, ignored: reader.ignored })
}

struct Reader {
    faults: Faults,
    ignored: Vec<Ignored>,
    order: usize,
}

impl Reader {
    /// Sets the keys of a section. `kb_base` applies to all keys of its section, wherever it is written.
    fn section(&mut self, section: &Section, settings: &mut Settings) {
        for line in section.lines.iter().filter(|line| line.key == "kb_base") {
            self.line(section, line, settings, KbBase::Binary);
        }
        let base = if settings.kb_base.value == 1000 { KbBase::Decimal } else { KbBase::Binary };
        for line in section.lines.iter().filter(|line| line.key != "kb_base") {
            self.line(section, line, settings, base);
        }
    }

    fn line(&mut self, section: &Section, line: &IniLine, settings: &mut Settings, base: KbBase) {
        self.order += 1;
        let value = line.value.as_deref().unwrap_or("");
        let named = format!("{}.{}", section.name, suggest::shortened_for_print(&line.key));
        if let Some(because) = other_keys::why_key_ignored(&line.key) {
            let line_number = self.faults.line_of_position(line.key_spot);
            let (section, key) = (section.name.clone(), line.key.clone());
            return self.ignored.push(Ignored { section, key, line: line_number, because });
        }
        if let Some(because) = verify::why_without_effect(&line.key, value) {
            let line_number = self.faults.line_of_position(line.key_spot);
            let (section, key) = (section.name.clone(), line.key.clone());
            return self.ignored.push(Ignored { section, key, line: line_number, because });
        }
        if let Some(instead) = other_keys::why_key_refused(&line.key) {
            let message = format!("{} changes what is done in a way that is not simulated", line.key);
            let wrong = WrittenValueError::new(codes::NOT_BUILT, message, instead);
            return self.faults.report(line.key_spot, &named, wrong);
        }
        if value.contains("${") {
            let message = format!("{value} takes its value from the environment");
            let help = "write the value: with the same files a simulation gives the same result everywhere";
            return self.faults.report(
                line.value_spot,
                &named,
                WrittenValueError::new(codes::BAD_VALUE, message, help),
            );
        }
        if line.value.as_deref() == Some("") {
            let wrong = WrittenValueError::new(codes::BAD_VALUE, "there is no value behind =", "write one");
            return self.faults.report(line.key_spot, &named, wrong);
        }
        match settings.set(&line.key, value, base, line.value_spot, self.order) {
            Some(Ok(())) => {}
            Some(Err(wrong)) => self.faults.report(line.value_spot, &named, wrong),
            None => self.faults.report(line.key_spot, &named, unknown(&line.key)),
        }
    }
}

/// The error that a key does not exist.
fn unknown(key: &str) -> WrittenValueError {
    let names = KEYS.iter().flat_map(|key| std::iter::once(key.name).chain(key.aliases.iter().copied()));
    let others = other_keys::IGNORED.iter().flat_map(|(_, keys)| keys.iter().copied());
    let refused = other_keys::REFUSED.iter().map(|(key, _)| *key);
    let help = suggest::did_you_mean(key, names.chain(others).chain(refused))
        .unwrap_or_else(|| "keys of I/O engines are not known here; leave it out if it is one".to_owned());
    WrittenValueError::new(
        codes::UNKNOWN_KEY,
        format!("fio has no key {}", suggest::shortened_for_print(key)),
        help,
    )
}

#[cfg(test)]
mod tests;
