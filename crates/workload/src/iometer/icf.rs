//! Configuration files of Iometer.
//!
//! Lines that begin with an apostrophe are headers and describe the lines below them. Sections may come in any order and may be missing;
//! letters may be large or small. Display settings of Iometer are skipped. Unknown headers are listed, with the lines below them.

use std::str::FromStr;

use sansim_kernel::Span;
use sansim_schema::codes;
use sansim_schema::report::ProblemReport;
use sansim_schema::suggest;

use super::access::{AccessLine, AccessSpecification, MOST_BYTES, MOST_LINES};
use crate::faults::{Faults, FilePosition, WrittenValueError};

/// The content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IcfFile {
    /// The version in the first line of the file.
    pub version: String,
    /// How long a test lasts, and which numbers change from one test to the next.
    pub setup: TestSetup,
    /// Access specifications, each with the word or number that determines which workers get it by default.
    pub specifications: Vec<(AccessSpecification, String)>,
    /// The workers of all managers.
    pub workers: Vec<Worker>,
    /// Headers that have no effect here: line and text.
    pub ignored: Vec<(usize, String)>,
}

/// How long a test lasts, and which numbers change from one test to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestSetup {
    /// The purpose of the test, in the words of its author.
    pub description: String,
    /// The duration of the recording of results; zero means until the test is stopped.
    pub run_time: Span,
    /// The time before the recording, in which nothing is recorded.
    pub ramp_up: Span,
    /// `NORMAL`, or the number that changes from test to test.
    pub test_type: String,
    /// Cycling of workers, disks (or targets) and queue depth, for tests with cycling.
    pub cycling: Vec<TestCycling>,
}

/// How a number changes from test to test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCycling {
    /// The number that changes: `worker`, `disk`, `target` or `queue depth`.
    pub what: String,
    /// The first value.
    pub start: u64,
    /// The last value, if it is given.
    pub end: Option<u64>,
    /// The number that is added or multiplied in each step.
    pub step: u64,
    /// Whether the value is multiplied by the step.
    pub exponential: bool,
}

/// A worker of Iometer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// The name of the worker.
    pub name: String,
    /// The manager to which the worker belongs.
    pub manager: String,
    /// The kind of worker: `DISK`, or `NETWORK` and a protocol.
    pub kind: String,
    /// The I/Os that the worker keeps outstanding at each of its targets.
    pub outstanding: u32,
    /// Sectors of 512 bytes of the test area; 0: the whole target.
    pub maximum_sectors: u64,
    /// The sector at which the test area begins.
    pub starting_sector: u64,
    /// The names of the worker's access specifications, in the order in which they are run.
    pub specifications: Vec<String>,
    /// The names of the worker's targets.
    pub targets: Vec<String>,
}

/// The part of a file that lines belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    None,
    Setup,
    Display,
    Specifications,
    Managers,
}

/// Reads a configuration file of Iometer.
///
/// # Errors
/// All errors of the file, at once.
pub fn read(name: &str, text: &str) -> Result<IcfFile, ProblemReport> {
    let mut faults = Faults::default();
    let file = faults.open_file(name, text);
    let mut reader = Reader {
        faults,
        icf: IcfFile::default(),
        section: Section::None,
        header: String::new(),
        above: String::new(),
        manager: String::new(),
        spots: Vec::new(),
        used: Vec::new(),
    };
    let (mut at, mut number) = (0, 0);
    for whole in text.split_inclusive('\n') {
        number += 1;
        let spot = FilePosition { file, start: at, end: at + whole.trim_end().len() };
        at += whole.len();
        reader.line(whole.trim(), spot, number);
    }
    reader.finish(FilePosition { file, start: 0, end: 0 })
}

struct Reader {
    faults: Faults,
    icf: IcfFile,
    section: Section,
    /// The last header in small letters, and the header above it if no line is between them.
    header: String,
    above: String,
    manager: String,
    /// The spot at which each specification begins.
    spots: Vec<FilePosition>,
    /// Names of specifications that workers use.
    used: Vec<(String, FilePosition)>,
}

impl Reader {
    fn line(&mut self, text: &str, spot: FilePosition, number: usize) {
        let small = text.trim_start_matches('\'').trim().to_ascii_lowercase();
        if let Some(version) = small.strip_prefix("version ")
            && version.trim_start().starts_with(|c: char| c.is_ascii_digit())
        {
            if self.icf.version.is_empty() {
                self.icf.version = version.trim().to_owned();
            }
        } else if text.starts_with('\'') {
            self.header(small.trim_end_matches('=').trim().to_owned(), spot, number);
        } else if !text.is_empty() {
            self.data(text, spot);
        }
    }

    fn header(&mut self, small: String, spot: FilePosition, number: usize) {
        const KNOWN: &[&str] = &[
            "test description",
            "run time",
            "hours",
            "ramp up time",
            "default disk workers",
            "default network workers",
            "record results",
            "worker cycling",
            "disk cycling",
            "target cycling",
            "queue depth cycling",
            "start",
            "test type",
            "access specification name",
            "size,",
            "manager id",
            "manager network address",
            "worker",
            "worker type",
            "default target settings",
            "number of outstanding",
            "disk maximum size",
            "end default target settings",
            "assigned access specs",
            "end assigned access specs",
            "target assignments",
            "target",
            "target type",
            "end target",
            "end target assignments",
            "end worker",
            "end manager",
        ];
        let section = match small.as_str() {
            "test setup" => Some(Section::Setup),
            "results display" => Some(Section::Display),
            "access specifications" => Some(Section::Specifications),
            "manager list" => Some(Section::Managers),
            "end test setup" | "end results display" | "end access specifications" | "end manager list" => {
                Some(Section::None)
            }
            _ => None,
        };
        if let Some(section) = section {
            self.section = section;
            (self.header, self.above) = (String::new(), String::new());
            return;
        }
        if self.section == Section::Display {
            return;
        }
        if !KNOWN.iter().any(|known| small.starts_with(known)) {
            self.icf.ignored.push((number, small.clone()));
        }
        if self.section == Section::Specifications && small == "access specification name" {
            let help = "open the file in Iometer 2006.07.27 or later and save it again";
            let message = "access specifications without a default assignment are of an old release";
            self.faults.report(spot, "", WrittenValueError::new(codes::NOT_BUILT, message, help));
        }
        self.above = std::mem::replace(&mut self.header, small);
    }

    fn data(&mut self, text: &str, spot: FilePosition) {
        let header = self.header.clone();
        let is = |known: &str| header.starts_with(known);
        match self.section {
            Section::Setup => self.setup(text, spot, &header),
            Section::Specifications if is("access specification name") => self.specification(text, spot),
            Section::Specifications if is("size,") => self.access_line(text, spot),
            Section::Managers if is("manager id") => {
                self.manager = text.split_once(',').map_or(text, |(_, name)| name).trim().to_owned();
            }
            Section::Managers => self.worker(text, spot, &header),
            Section::None if header.is_empty() => {
                let help = "write a section such as 'ACCESS SPECIFICATIONS above it";
                let message = "this line belongs to no section";
                self.faults.report(spot, "", WrittenValueError::new(codes::SYNTAX, message, help));
            }
            _ => {}
        }
    }

    fn setup(&mut self, text: &str, spot: FilePosition, header: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if header.starts_with("test description") {
            self.icf.setup.description = text.to_owned();
        } else if header.starts_with("hours") {
            let parts: Vec<u64> =
                words.iter().filter_map(|word| self.number(word, "run time", 30 * 86_400, spot)).collect();
            match parts[..] {
                [hours, minutes, seconds] => {
                    self.icf.setup.run_time = self.time(hours * 3600 + minutes * 60 + seconds, spot);
                }
                _ => self.wrong(
                    spot,
                    "run time",
                    "a run time has hours, minutes and seconds",
                    "write three numbers",
                ),
            }
        } else if header.starts_with("ramp up time") {
            if let Some(seconds) = self.number(text, "ramp up time", 30 * 86_400, spot) {
                self.icf.setup.ramp_up = self.time(seconds, spot);
            }
        } else if header.starts_with("test type") {
            self.icf.setup.test_type = text.to_ascii_uppercase();
        } else if header.starts_with("start") {
            let what = self.above.trim_end_matches("cycling").trim().to_owned();
            self.cycling(what, &words, spot);
        }
    }

    fn cycling(&mut self, what: String, words: &[&str], spot: FilePosition) {
        let Some((kind, numbers)) = words.split_last() else { return };
        let exponential = match kind.to_ascii_lowercase().as_str() {
            "linear" => false,
            "exponential" => true,
            other => {
                let message = format!("{other} is no type of step");
                return self.wrong(spot, "cycling", &message, "write LINEAR or EXPONENTIAL");
            }
        };
        let numbers: Vec<u64> = numbers
            .iter()
            .filter_map(|word| self.number(word, "cycling", u64::from(u32::MAX), spot))
            .collect();
        let (start, end, step) = match numbers[..] {
            [start, step] => (start, None, step),
            [start, end, step] => (start, Some(end), step),
            _ => {
                return self.wrong(
                    spot,
                    "cycling",
                    "a cycling has a start and a step",
                    "write two or three numbers",
                );
            }
        };
        self.icf.setup.cycling.push(TestCycling { what, start, end, step, exponential });
    }

    /// `name,default assignment`; the name ends at the first comma, as in Iometer.
    fn specification(&mut self, text: &str, spot: FilePosition) {
        let (name, assignment) = match text.split_once(',') {
            Some((name, assignment)) => (name.trim(), assignment.trim()),
            None => (text, ""),
        };
        let word = assignment.to_ascii_uppercase();
        if !["NONE", "ALL", "DISK", "NET"].contains(&word.as_str()) && word.parse::<u8>().is_err() {
            let message = format!("{assignment:?} is no default assignment");
            let help = "write NONE, ALL, DISK or NET behind the name, which ends at its first comma";
            self.wrong(spot, "access specification name", &message, help);
        }
        if self.icf.specifications.iter().any(|(known, _)| known.name.eq_ignore_ascii_case(name)) {
            let message = format!("there are two access specifications {name:?}");
            let wrong = WrittenValueError::new(codes::NAMED_TWICE, message, "name them differently");
            self.faults.report(spot, "access specification name", wrong);
        }
        self.spots.push(spot);
        let specification = AccessSpecification { name: name.to_owned(), lines: Vec::new() };
        self.icf.specifications.push((specification, word));
    }

    fn access_line(&mut self, text: &str, spot: FilePosition) {
        const COLUMNS: [(&str, u64); 8] = [
            ("size", MOST_BYTES),
            ("% of size", 100),
            ("% reads", 100),
            ("% random", 100),
            ("delay", 30 * 86_400_000),
            ("burst", u32::MAX as u64),
            ("align", MOST_BYTES),
            ("reply", MOST_BYTES),
        ];
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        if fields.len() != COLUMNS.len() {
            let message =
                format!("a line of an access specification has 8 numbers, this one {}", fields.len());
            let help = "size, % of size, % reads, % random, delay (ms), burst, align, reply";
            return self.wrong(spot, "size", &message, help);
        }
        let mut numbers = [0; 8];
        for ((number, field), (column, most)) in numbers.iter_mut().zip(&fields).zip(COLUMNS) {
            let Some(read) = self.number(field, column, most, spot) else { return };
            *number = read;
        }
        let [bytes, share, reads, random, delay, burst, align_bytes, reply_bytes] = numbers;
        if bytes == 0 || burst == 0 {
            return self.wrong(spot, "size", "a size and a burst are at least 1", "write at least 1");
        }
        let line = AccessLine {
            bytes,
            // The columns limit shares to 100 and other numbers to u32::MAX.
            share_percent: share as u8,
            read_percent: reads as u8,
            random_percent: random as u8,
            delay: Span::from_ms(delay),
            burst: burst as u32,
            align_bytes,
            reply_bytes,
        };
        match self.icf.specifications.last_mut() {
            Some((specification, _)) => specification.lines.push(line),
            None => {
                let help = "write 'Access specification name,default assignment and the name above it";
                self.wrong(spot, "size", "this line belongs to no access specification", help);
            }
        }
    }

    fn worker(&mut self, text: &str, spot: FilePosition, header: &str) {
        if header == "worker" {
            let manager = self.manager.clone();
            let worker = Worker { name: text.to_owned(), manager, outstanding: 1, ..Worker::default() };
            return self.icf.workers.push(worker);
        }
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let field = |index: usize| fields.get(index).copied().unwrap_or("");
        if header.starts_with("number of outstanding") {
            let depth = self.number(field(0), "number of outstanding IOs", 65_536, spot);
            if let (Some(depth), Some(worker)) = (depth, self.icf.workers.last_mut()) {
                worker.outstanding = depth as u32;
            }
        } else if header.starts_with("disk maximum size") {
            let size = self.number(field(0), "disk maximum size", u64::MAX >> 10, spot);
            let start = self.number(field(1), "starting sector", u64::MAX >> 10, spot);
            if let (Some(size), Some(start), Some(worker)) = (size, start, self.icf.workers.last_mut()) {
                (worker.maximum_sectors, worker.starting_sector) = (size, start);
            }
        } else if let Some(worker) = self.icf.workers.last_mut() {
            match header {
                "worker type" => worker.kind = text.to_ascii_uppercase(),
                "target" => worker.targets.push(text.to_owned()),
                "assigned access specs" => {
                    self.used.push((text.to_owned(), spot));
                    worker.specifications.push(text.to_owned());
                }
                _ => {}
            }
        }
        if self.icf.workers.is_empty() && !header.starts_with("manager") {
            let help = "open the file in Iometer 2006.07.27 or later and save it again";
            let message =
                "what belongs to a worker stands before the first 'Worker, as in files of old releases";
            self.wrong(spot, "", message, help);
        }
    }

    fn number<T: FromStr + PartialOrd + ToString>(
        &mut self,
        text: &str,
        what: &str,
        most: T,
        spot: FilePosition,
    ) -> Option<T> {
        let read = text.trim().parse::<T>().ok().filter(|value| *value <= most);
        if read.is_none() {
            let text = suggest::shortened_for_print(text);
            let message = format!("{text:?} is no whole number from 0 to {}", most.to_string());
            self.wrong(spot, what, &message, "write one that is");
        }
        read
    }

    fn time(&mut self, seconds: u64, spot: FilePosition) -> Span {
        if seconds > 30 * 86_400 {
            self.wrong(spot, "run time", "longer than 30 days", "write a shorter time");
            return Span::ZERO;
        }
        Span::from_s(seconds)
    }

    fn wrong(&mut self, spot: FilePosition, key: &str, message: &str, help: &str) {
        self.faults.report(spot, key, WrittenValueError::new(codes::BAD_VALUE, message, help));
    }

    /// Checks the file as a whole and returns its content.
    fn finish(mut self, whole: FilePosition) -> Result<IcfFile, ProblemReport> {
        if self.icf.version.is_empty() {
            let help = "a file of Iometer begins and ends with a line such as Version 2006.07.27";
            let wrong = WrittenValueError::new(
                codes::SYNTAX,
                "there is no version line; is it a file of Iometer?",
                help,
            );
            self.faults.report(whole, "", wrong);
        }
        for ((specification, _), spot) in self.icf.specifications.iter().zip(&self.spots) {
            let (lines, total) = (specification.lines.len(), specification.total_percent());
            if total != 100 || lines > MOST_LINES {
                let name = &specification.name;
                let message = if total != 100 {
                    format!("the percentages of {name:?} add up to {total}")
                } else {
                    format!("{name:?} has {lines} lines")
                };
                let help = format!("make the second column add up to 100, in at most {MOST_LINES} lines");
                self.faults.report(
                    *spot,
                    "% of size",
                    WrittenValueError::new(codes::BAD_VALUE, message, help),
                );
            }
        }
        let names: Vec<&str> = self.icf.specifications.iter().map(|(known, _)| known.name.as_str()).collect();
        for (name, spot) in &self.used {
            // The name of a specification ends at its first comma where it is declared, so also where it is used.
            let declared = name.split(',').next().unwrap_or("").trim();
            if !names.iter().any(|known| known.eq_ignore_ascii_case(declared)) {
                let help = suggest::did_you_mean(name, names.iter().copied())
                    .unwrap_or_else(|| "declare it under 'ACCESS SPECIFICATIONS".to_owned());
                let message = format!("there is no access specification {name:?}");
                let wrong = WrittenValueError::new(codes::UNKNOWN_NAME, message, help);
                self.faults.report(*spot, "assigned access specs", wrong);
            }
        }
        self.faults.all_problems_or(self.icf)
    }
}

#[cfg(test)]
mod tests;
