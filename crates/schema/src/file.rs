//! Reading of a file, with a clear message for each reason why that can fail.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path};

use crate::codes;
use crate::report::ProblemReport;

/// The largest file that is read. A scenario has a few kilobytes; a capture or a device has no end.
const LARGEST: u64 = 4 << 20;

/// The text of a file that may be a scenario, or a study, called `name` in messages. A larger file is not read at all.
///
/// # Errors
///
/// The one reason why the file cannot be read.
pub fn read_text(path: &Path, name: &str) -> Result<String, ProblemReport> {
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => {
            let help = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
            let help = help.map(|folder| format!("there is no directory {} either", folder.display()));
            ProblemReport::single_problem(name, codes::UNREADABLE, "there is no such file".to_owned(), help)
        }
        ErrorKind::PermissionDenied => {
            let help = Some("you lack the permission to read it".to_owned());
            ProblemReport::single_problem(name, codes::UNREADABLE, "the file cannot be read".to_owned(), help)
        }
        _ => ProblemReport::single_problem(
            name,
            codes::UNREADABLE,
            format!("the file cannot be read: {error}"),
            None,
        ),
    };
    let directory = || {
        let help = Some("name a scenario file, which ends in .toml".to_owned());
        ProblemReport::single_problem(
            name,
            codes::DIRECTORY,
            "this is a directory, not a file".to_owned(),
            help,
        )
    };
    if path.is_dir() {
        return Err(directory());
    }
    let too_large = || {
        let help = Some("is it a scenario at all?".to_owned());
        let message = format!("the file is larger than the {} MiB a scenario may have", LARGEST >> 20);
        ProblemReport::single_problem(name, codes::TOO_LARGE, message, help)
    };
    let found = fs::metadata(path).map_err(unreadable)?;
    if is_fifo(&found) && !is_open_already(path) {
        // Opening a named pipe would wait for a writer, perhaps for ever.
        let help = Some(format!("read it as standard input: /dev/stdin < {name}"));
        let message = "this is a named pipe, not a file".to_owned();
        return Err(ProblemReport::single_problem(name, codes::UNREADABLE, message, help));
    }
    if found.len() > LARGEST {
        return Err(too_large());
    }
    // Devices and pipes do not report their length.
    let mut bytes = Vec::new();
    File::open(path).map_err(unreadable)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|error| not_utf8(name, &error))
}

#[cfg(unix)]
fn is_fifo(found: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type())
}

#[cfg(not(unix))]
fn is_fifo(_: &fs::Metadata) -> bool {
    false
}

/// Whether the name is that of a stream this process has open already: standard input, or the pipe of a shell's `<(...)`.
fn is_open_already(path: &Path) -> bool {
    if !path.is_absolute() {
        return false;
    }
    let parts: Vec<_> = path.components().skip(1).map(Component::as_os_str).collect();
    match &parts[..] {
        [dev, stdin] => dev == &"dev" && stdin == &"stdin",
        [dev, fd, _] => dev == &"dev" && fd == &"fd",
        [proc, _, fd, _] => proc == &"proc" && fd == &"fd",
        _ => false,
    }
}

/// Reports where the text stops being UTF-8, with a guess of its encoding.
fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> ProblemReport {
    let at = error.utf8_error().valid_up_to();
    let bytes = error.as_bytes();
    let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let message =
        format!("not text in UTF-8: byte {at} (counted from 0) on line {line} is {:02X}", bytes[at]);
    let help = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "the file looks like UTF-16; save it as UTF-8"
    } else if bytes.contains(&0) {
        "the file looks binary"
    } else {
        "save the file as UTF-8"
    };
    let mut report = ProblemReport::single_problem(name, codes::NOT_UTF8, message, Some(help.to_owned()));
    if let Some(problem) = report.problems.first_mut() {
        problem.at.line = line;
    }
    report
}
