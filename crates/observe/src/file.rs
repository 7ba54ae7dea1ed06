//! A file that an observer writes during a run: it has its name only when it is complete.
//!
//! The data are written to a sibling file named `<name>.<process>.partial`, which gets the name when the run is over. An earlier file with
//! the same name is therefore kept until then, even if the run is killed. A pipe, a terminal or another special file is written to
//! directly. The first error is kept and ends the writing.

use crate::kind::{FileKind, HEAD_BYTES};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// The number of bytes that are gathered before they are written to the file.
const BUFFER_BYTES: usize = 1 << 20;

/// The reason why a file could not be written.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    source: io::Error,
}

impl FileError {
    /// The error that the file at this path cannot be written as requested, with the reason.
    pub(crate) fn cannot(path: &Path, reason: String) -> Self {
        Self { path: path.to_owned(), source: io::Error::other(reason) }
    }

    /// The path of the file that was requested.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the reader of a pipe has closed it.
    pub fn is_broken_pipe(&self) -> bool {
        self.source.kind() == io::ErrorKind::BrokenPipe
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// The result of a file that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedFile {
    /// The path of the file: the requested name, or the partial name of a run that was stopped early.
    pub path: PathBuf,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// Whether the file ends before the run because of its limit.
    pub limited: bool,
}

/// Whether the name is the name of an open stream, which may lead to a file that must not be replaced.
fn is_stream(path: &Path) -> bool {
    [Path::new("/dev/stdout"), Path::new("/dev/stderr")].contains(&path)
        || path
            .parent()
            .is_some_and(|parent| [Path::new("/dev/fd"), Path::new("/proc/self/fd")].contains(&parent))
}

/// Opens a file that is not a plain file.
fn open_special(path: &Path) -> io::Result<File> {
    // Standard output and error are shared with other processes; only the same open file has the same end of
    // file.
    if path == Path::new("/dev/stdout") {
        return io::stdout().as_fd().try_clone_to_owned().map(File::from);
    }
    if path == Path::new("/dev/stderr") {
        return io::stderr().as_fd().try_clone_to_owned().map(File::from);
    }
    File::options().append(true).open(path)
}

/// Refuses a name at which there is a file of another kind, which must be kept. An empty file may be replaced
/// by a file of any kind.
///
/// # Errors
/// Fails if there is a file of another kind, or if the file cannot be read.
pub fn check_output_path(path: &Path, kind: FileKind) -> Result<(), FileError> {
    if is_stream(path) || !path.is_file() {
        return Ok(());
    }
    let fail = |source| FileError { path: path.to_owned(), source };
    let mut head = Vec::new();
    File::open(path).map_err(fail)?.take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(fail)?;
    if head.is_empty() || kind.is_file_beginning(&head) {
        return Ok(());
    }
    Err(fail(io::Error::other(format!("there is a file that is no {kind} of sansim; name another file"))))
}

/// A file that is being written. The rules are described in the module text.
#[derive(Debug)]
pub struct OutputFile {
    /// The name that was requested.
    path: PathBuf,
    /// The place to which the path leads.
    place: PathBuf,
    /// The path of the partial file, if the file has one.
    partial: Option<PathBuf>,
    /// The writer; none when the file has ended.
    writer: Option<BufWriter<File>>,
    error: Option<io::Error>,
    bytes: u64,
    /// The limit of the length of the file.
    limit: Option<u64>,
    /// Whether a write did not fit into the limit.
    limited: bool,
}

impl OutputFile {
    /// Opens the partial file, or the special file at this name.
    ///
    /// # Errors
    /// Fails if the file cannot be created, or if the name is a folder.
    pub fn create(path: &Path) -> Result<Self, FileError> {
        let fail = |source| FileError { path: path.to_owned(), source };
        let special = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(fail(io::Error::other("it is a folder"))),
            Ok(found) => !found.is_file() || is_stream(path),
            Err(_) => is_stream(path),
        };
        let (file, place, partial) = if special {
            (open_special(path).map_err(fail)?, path.to_owned(), None)
        } else {
            // A link is kept; the file to which it points is replaced.
            let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let name = place.file_name().ok_or_else(|| fail(io::Error::other("it has no file name")))?;
            // The name must differ from a partial file that a user may want to keep, and from the partial
            // file of another run.
            let mut partial_name = name.to_owned();
            partial_name.push(format!(".{}.partial", std::process::id()));
            let partial = place.with_file_name(partial_name);
            (File::create(&partial).map_err(fail)?, place, Some(partial))
        };
        let writer = Some(BufWriter::with_capacity(BUFFER_BYTES, file));
        let path = path.to_owned();
        Ok(Self { path, place, partial, writer, error: None, bytes: 0, limit: None, limited: false })
    }

    /// Limits the file to this number of bytes, as far as the writer asks with [`Self::has_room`].
    #[must_use]
    pub fn with_size_limit(mut self, limit: Option<u64>) -> Self {
        self.limit = limit;
        self
    }

    /// Whether this number of bytes may still be written. After the first refusal every later request, however small, is
    /// refused as well, so that a file ends at one moment.
    pub fn has_room(&mut self, bytes: usize) -> bool {
        self.limited |= self.limit.is_some_and(|limit| self.bytes + bytes as u64 > limit);
        !self.limited
    }

    /// The number of bytes that may still be written.
    pub fn remaining_bytes(&self) -> u64 {
        self.limit.map_or(u64::MAX, |limit| limit.saturating_sub(self.bytes))
    }

    /// The number of bytes that have been written.
    pub fn written(&self) -> u64 {
        self.bytes
    }

    /// Whether a file of this kind may get the requested name now.
    pub fn may_take_name(&self, kind: FileKind) -> bool {
        check_output_path(&self.path, kind).is_ok()
    }

    /// Writes the bytes unless an earlier write has failed.
    pub fn write(&mut self, bytes: &[u8]) {
        if let (None, Some(writer)) = (&self.error, &mut self.writer) {
            match writer.write_all(bytes) {
                Ok(()) => self.bytes += bytes.len() as u64,
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// Whether a write has failed.
    pub fn failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes the bytes that are still in memory, so that all errors have occurred before any file gets its name.
    pub fn flush(&mut self) {
        if let (None, Some(writer)) = (&self.error, &mut self.writer)
            && let Err(error) = writer.flush()
        {
            self.error = Some(error);
        }
    }

    /// Ends the file. A complete file gets its name; a file of a run that was stopped early keeps its partial
    /// name.
    ///
    /// # Errors
    /// Fails with the first error of all writing. In case of an error the partial file is removed, because it
    /// may fill the disk.
    pub fn finish(mut self, complete: bool) -> Result<FinishedFile, FileError> {
        let result = match (self.error.take(), &mut self.writer) {
            (Some(error), _) => Err(error),
            (None, Some(writer)) => writer.flush(),
            (None, None) => Ok(()),
        };
        let result = result.and_then(|()| match &self.partial {
            Some(partial) if complete => fs::rename(partial, &self.place),
            _ => Ok(()),
        });
        match result {
            Ok(()) => {
                // No partial file is left to be removed.
                let partial = self.partial.take();
                let path = partial.filter(|_| !complete).unwrap_or_else(|| self.path.clone());
                Ok(FinishedFile { path, bytes: self.bytes, limited: self.limited })
            }
            Err(source) => Err(FileError { path: self.path.clone(), source }),
        }
    }
}

impl Drop for OutputFile {
    /// A file that did not end properly is removed, because it may fill the disk.
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // Data in the buffer must not be written again.
            let (_, _) = writer.into_parts();
        }
        if let Some(partial) = self.partial.take() {
            // A failure to remove the file is ignored, because the error that led here is the one to report.
            let _ = fs::remove_file(partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("sansim-file-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("folder");
        folder
    }

    #[test]
    fn an_earlier_file_stays_until_the_new_one_is_complete() {
        let folder = folder("whole");
        let path = folder.join("trace.txt");
        fs::write(&path, "earlier").expect("write");
        let mut file = OutputFile::create(&path).expect("create");
        file.write(b"new");
        assert_eq!(fs::read_to_string(&path).expect("read"), "earlier");
        assert_eq!(
            file.finish(true).expect("finish"),
            FinishedFile { path: path.clone(), bytes: 3, limited: false }
        );
        assert_eq!(fs::read_to_string(&path).expect("read"), "new");
        fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn a_run_that_is_stopped_early_leaves_a_partial_file_beside_the_earlier_one() {
        let folder = folder("early");
        let path = folder.join("trace.txt");
        fs::write(&path, "earlier").expect("write");
        let mut file = OutputFile::create(&path).expect("create");
        file.write(b"so far");
        let written = file.finish(false).expect("finish");
        assert_eq!(fs::read_to_string(&path).expect("read"), "earlier");
        assert_eq!(fs::read_to_string(written.path).expect("read"), "so far");
        fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn a_full_disk_is_told_once_and_the_earlier_file_stays() {
        let mut file = OutputFile::create(Path::new("/dev/full")).expect("create");
        file.write(&vec![0; 2 * BUFFER_BYTES]);
        assert!(file.failed());
        let error = file.finish(true).expect_err("full");
        assert!(error.to_string().starts_with("cannot write /dev/full: No space left"), "{error}");
    }

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_replaced() {
        let folder = folder("link");
        let (link, target) = (folder.join("link"), folder.join("target"));
        fs::write(&target, "earlier").expect("write");
        std::os::unix::fs::symlink(&target, &link).expect("link");
        let mut file = OutputFile::create(&link).expect("create");
        file.write(b"new");
        file.finish(true).expect("finish");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).expect("read"), "new");
        fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn an_open_stream_is_never_replaced() {
        assert!(is_stream(Path::new("/dev/stdout")) && is_stream(Path::new("/dev/fd/7")));
        assert!(!is_stream(Path::new("/dev/shm/trace.txt")));
    }

    #[test]
    fn a_file_ends_at_its_limit_and_says_so() {
        let mut file = OutputFile::create(Path::new("/dev/null")).expect("create").with_size_limit(Some(10));
        for (bytes, room) in [(6, true), (6, false), (1, false)] {
            assert_eq!(file.has_room(bytes), room);
            if room {
                file.write(&vec![0; bytes]);
            }
        }
        let written = file.finish(true).expect("finish");
        assert_eq!((written.bytes, written.limited), (6, true));
    }

    #[test]
    fn a_file_of_another_kind_is_told_from_an_earlier_one_and_from_an_empty_one() {
        let folder = folder("kind");
        let path = folder.join("file");
        let is_free = |content: &str, kind| {
            fs::write(&path, content).expect("write");
            OutputFile::create(&path).expect("create").may_take_name(kind)
        };
        for kind in FileKind::ALL {
            assert!(is_free("", kind));
            assert!(!is_free("notes", kind));
            assert!(!is_free("\n\ntenancy", kind));
        }
        assert!(is_free("# sansim trace of a system\n", FileKind::Trace));
        assert!(!is_free("# sansim trace of a system\n", FileKind::Capture));
        fs::remove_file(&path).expect("remove");
        check_output_path(&path, FileKind::Trace).expect("nothing is there");
        check_output_path(Path::new("/dev/null"), FileKind::Trace).expect("a device");
        fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing() {
        let folder = folder("given-up");
        let mut file = OutputFile::create(&folder.join("trace.txt")).expect("create");
        file.write(b"something");
        drop(file);
        assert_eq!(fs::read_dir(&folder).expect("folder").count(), 0);
        fs::remove_dir_all(folder).expect("clean up");
    }

    #[test]
    fn a_folder_cannot_be_written_to() {
        let error = OutputFile::create(&std::env::temp_dir()).expect_err("folder");
        assert!(error.to_string().ends_with("it is a folder"), "{error}");
    }
}
