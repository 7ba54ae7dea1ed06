//! The files of a job: their names, and the order in which they are accessed.
//!
//! Source: `fio(1)` and the behaviour of fio 3.33.

use super::units::{self, KbBase};
use super::values;
use crate::faults::WrittenValueError;

/// The files of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// The files that the job names, with their directory, in order; none, if each clone has a file of its own.
    pub named: Vec<String>,
    /// The choice among several files.
    pub service: FileServiceType,
    /// The name of a job without file names, its directories and its format of file names.
    job: String,
    directories: Vec<String>,
    format: String,
}

/// The choice of the next of several files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileServiceType {
    /// The next file follows, after this many I/Os.
    RoundRobin(u32),
    /// A file is drawn at random, after this many I/Os.
    Random(u32),
    /// The next file follows when all I/Os of one file are done.
    Sequential,
    /// A file is drawn by a distribution that is not simulated.
    Skewed,
}

impl Default for FileServiceType {
    fn default() -> Self {
        FileServiceType::RoundRobin(1)
    }
}

/// Parses `file_service_type`.
///
/// # Errors
/// If there is no such type, or the type is not simulated.
pub fn parse_file_service_type(text: &str, base: KbBase) -> Result<FileServiceType, WrittenValueError> {
    let (word, ios) = text.split_once(':').unwrap_or((text, "1"));
    let ios = if ["roundrobin", "random"].contains(&word.trim()) {
        units::parse_small_count(ios.trim(), base)?
    } else {
        1
    };
    let known = [
        ("roundrobin", FileServiceType::RoundRobin(ios)),
        ("random", FileServiceType::Random(ios)),
        ("sequential", FileServiceType::Sequential),
        ("zipf", FileServiceType::Skewed),
        ("pareto", FileServiceType::Skewed),
        ("normal", FileServiceType::Skewed),
        ("gauss", FileServiceType::Skewed),
    ];
    values::word(word, "way to choose a file", &known)
}

/// Names with `:` between them; `\:` is a colon within a name.
pub fn parse_names(text: &str) -> Vec<String> {
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
    /// The files of a job with this name: the files that it names, their directories, the order of access, and the format of the names of
    /// its own files.
    pub fn files_of_job(
        job: &str,
        (filename, directory): (&[String], &[String]),
        service: FileServiceType,
        filename_format: &str,
    ) -> Files {
        let directories = directory.to_vec();
        let mut named: Vec<String> = Vec::new();
        for name in filename {
            // With several directories each clone uses one of them; a name counts as one device, whatever the directory.
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

    /// The name of the file of a clone (from 0) of a job that names no file.
    pub fn own_file_name(&self, clone: u32) -> String {
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
        assert_eq!(parse_names(r"/dev/sda:/dev/sdb"), ["/dev/sda", "/dev/sdb"]);
        assert_eq!(parse_names(r"/dev/dsk/foo@3,0\:c"), ["/dev/dsk/foo@3,0:c"]);
        assert_eq!(parse_names(r"F\:\file::b"), [r"F:\file", "b"]);
    }
}
