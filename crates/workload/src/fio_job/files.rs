//! The files of a job: which there are, and which comes next.
//!
//! Source: `fio(1)` and the behaviour of fio 3.33.

use super::units::{self, KbBase};
use super::values;
use crate::faults::Wrong;

/// The files of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// Those that it names, with their directory, in order; none, if each clone has one of its own.
    pub named: Vec<String>,
    /// The choice among several files.
    pub service: Service,
    /// The name of a job without file names, its directories and its format of file names.
    job: String,
    directories: Vec<String>,
    format: String,
}

/// The choice of the next of several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// The next one, after so many I/Os.
    RoundRobin(u32),
    /// One that is drawn, after so many I/Os.
    Random(u32),
    /// The next one when all of one is done.
    Sequential,
    /// One that is drawn by a distribution that is not simulated.
    Skewed,
}

impl Default for Service {
    fn default() -> Self {
        Service::RoundRobin(1)
    }
}

/// Reads `file_service_type`.
///
/// # Errors
/// If there is no such type, or it is not simulated.
pub fn service(text: &str, base: KbBase) -> Result<Service, Wrong> {
    let (word, ios) = text.split_once(':').unwrap_or((text, "1"));
    let ios = if ["roundrobin", "random"].contains(&word.trim()) {
        units::small_count(ios.trim(), base)?
    } else {
        1
    };
    let known = [
        ("roundrobin", Service::RoundRobin(ios)),
        ("random", Service::Random(ios)),
        ("sequential", Service::Sequential),
        ("zipf", Service::Skewed),
        ("pareto", Service::Skewed),
        ("normal", Service::Skewed),
        ("gauss", Service::Skewed),
    ];
    values::word(word, "way to choose a file", &known)
}

/// Names with `:` between them; `\:` is a colon within a name.
pub fn names(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut characters = text.trim().chars().peekable();
    while let Some(one) = characters.next() {
        match (one, characters.peek(), names.last_mut()) {
            ('\\', Some(':'), Some(last)) => {
                characters.next();
                last.push(':');
            }
            (':', ..) => names.push(String::new()),
            (_, _, Some(last)) => last.push(one),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

impl Files {
    /// Those of a job of this name: what it names, in which directories, which comes next, and how its own are named.
    pub fn of(
        job: &str,
        (filename, directory): (&[String], &[String]),
        service: Service,
        filename_format: &str,
    ) -> Files {
        let directories = directory.to_vec();
        let mut named: Vec<String> = Vec::new();
        for name in filename {
            // With several directories each clone has one of them; each is one device as far as this remark is concerned.
            let name = match directories.first() {
                Some(directory) if !name.starts_with('/') => format!("{directory}/{name}"),
                _ => name.clone(),
            };
            if !named.contains(&name) {
                named.push(name);
            }
        }
        Files { named, service, job: job.to_owned(), directories, format: filename_format.to_owned() }
    }

    /// The name of the file of a clone (from 0) of a job that names none.
    pub fn own(&self, clone: u32) -> String {
        let name = self
            .format
            .replace("$jobname", &self.job)
            .replace("$jobnum", &clone.to_string())
            .replace("$filenum", "0");
        let directories = self.directories.len().max(1);
        let directory = self.directories.get(clone as usize % directories);
        directory.map_or(name.clone(), |directory| format!("{directory}/{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_colons_between_them_and_escaped_ones_in_them() {
        assert_eq!(names(r"/dev/sda:/dev/sdb"), ["/dev/sda", "/dev/sdb"]);
        assert_eq!(names(r"/dev/dsk/foo@3,0\:c"), ["/dev/dsk/foo@3,0:c"]);
        assert_eq!(names(r"F\:\file::b"), [r"F:\file", "b"]);
    }
}
