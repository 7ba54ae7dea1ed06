//! The quantity of a file that a scenario names: relative to the scenario, and with the same content whenever it is read again.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::codes;
use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::{Quantity, quoted, shown_in_message};
use crate::tree::{Value, ValueNode};

/// The folder to which the names of files are relative: a fact of the [`Facts`]. Without this fact names are relative to the working
/// directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder(pub PathBuf);

/// The folders outside which no file is read; none if any file may be read.
static CONFINED_TO: RwLock<Option<Vec<PathBuf>>> = RwLock::new(None);

/// From now on this process reads only named files in these folders. A program that reads scenarios of others, such as the server of the
/// studio, calls this function before it reads the first one.
///
/// # Errors
/// If a folder does not exist.
pub fn confine(folders: &[PathBuf]) -> std::io::Result<()> {
    let folders = folders.iter().map(|folder| folder.canonicalize()).collect::<Result<_, _>>()?;
    *CONFINED_TO.write().unwrap_or_else(PoisonError::into_inner) = Some(folders);
    Ok(())
}

/// Whether the process may read a file. Links are followed; the answer for a file that does not exist is that for its folder.
fn may_read(path: &Path) -> bool {
    let folders = CONFINED_TO.read().unwrap_or_else(PoisonError::into_inner);
    let Some(folders) = &*folders else { return true };
    // A part of a path that does not exist may not lead up again.
    let leads_up = path.components().any(|part| part == Component::ParentDir) && !path.exists();
    let existing = path.ancestors().find_map(|part| part.canonicalize().ok());
    !leads_up && existing.is_some_and(|found| folders.iter().any(|folder| found.starts_with(folder)))
}

/// A file with its content's identity.
#[derive(Clone, Debug)]
pub struct NamedFile {
    /// The absolute path of the file.
    pub path: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 of the file's content, in hexadecimal.
    pub sha256: String,
    /// The text of the file, or the reason why it has none, once it was requested.
    text: Arc<OnceLock<Result<String, String>>>,
}

/// Files are equal if they have the same path and the same content.
impl PartialEq for NamedFile {
    fn eq(&self, other: &Self) -> bool {
        (&self.path, self.bytes, &self.sha256) == (&other.path, other.bytes, &other.sha256)
    }
}

impl Eq for NamedFile {}

impl NamedFile {
    /// The name of the file without its folders.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// The text of the file. The file is read once: later calls return the same text, even if the file no longer exists.
    ///
    /// # Errors
    /// If the file cannot be read, is no text, or has changed since it was found.
    pub fn text(&self) -> Result<&str, String> {
        let read = || {
            let unread = |error| format!("{} cannot be read: {error}", self.name());
            let bytes = std::fs::read(&self.path).map_err(unread)?;
            if hexadecimal(&Sha256::digest(&bytes)) != self.sha256 {
                return Err(format!("{} was changed while the scenario was read", self.name()));
            }
            String::from_utf8(bytes).map_err(|_| format!("{} is no text in UTF-8", self.name()))
        };
        self.text.get_or_init(read).as_deref().map_err(Clone::clone)
    }
}

/// The name of a file: `"trace.csv"`; or, as in a resolved scenario, a table with `path`, `bytes` and `sha256`, which must still be those
/// of the file.
pub struct FileName;

/// The number of bytes that are read at a time.
const PIECE: usize = 1 << 16;

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The size and the SHA-256 of a file.
fn identity(path: &Path) -> std::io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut bytes, mut sha, mut piece) = (0, Sha256::default(), vec![0; PIECE]);
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok((bytes, hexadecimal(&sha.finalize())));
        }
        bytes += read as u64;
        sha.update(&piece[..read]);
    }
}

impl FileName {
    /// The file with this name.
    fn find(name: &str, node: &ValueNode, context: &Facts) -> Result<NamedFile, Diagnostic> {
        let unreadable = |path: &Path, why: String| {
            Diagnostic::new(
                codes::UNREADABLE,
                node.place,
                format!("the file {} cannot be read: {why}", shown_in_message(name)),
            )
            .with_label("needs a file")
            .with_help(format!("looked for it as {}; names are relative to the scenario", path.display()))
        };
        if name.is_empty() {
            return Err(Diagnostic::new(codes::BAD_VALUE, node.place, "an empty text names no file"));
        }
        let written = context.fact::<Folder>().0.join(name);
        let path = std::path::absolute(&written).map_err(|error| unreadable(&written, error.to_string()))?;
        // Before anything else is found out about it, even whether it exists.
        if !may_read(&path) {
            let message =
                format!("the file {} is outside the folder that may be read", shown_in_message(name));
            return Err(Diagnostic::new(codes::OUTSIDE_FOLDER, node.place, message)
                .with_label("needs a file of the folder")
                .with_help("put a copy into the folder for which the studio was started, or start it for a folder above"));
        }
        // A device or a pipe has no end, or not the same content twice.
        if path.exists() && !path.is_file() {
            return Err(unreadable(&path, "it is no regular file".to_owned()));
        }
        let (bytes, sha256) = identity(&path).map_err(|error| unreadable(&path, error.to_string()))?;
        Ok(NamedFile { path, bytes, sha256, text: Arc::default() })
    }
}

impl Quantity for FileName {
    type Value = NamedFile;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<NamedFile, Vec<Diagnostic>> {
        if let Some(name) = node.text() {
            return FileName::find(name, node, context).map_err(|fault| vec![fault]);
        }
        let needed = r#"the name of a file, such as "trace.csv""#;
        let Value::Table(table) = &node.value else { return Err(vec![Diagnostic::wrong_type(node, needed)]) };
        let text = |key: &str| table.get(key).and_then(|entry| entry.node.text());
        let bytes = match table.get("bytes").map(|entry| &entry.node.value) {
            Some(&Value::Integer(Some(bytes))) => u64::try_from(bytes).ok(),
            _ => None,
        };
        let (Some(name), Some(bytes), Some(sha256), 3) =
            (text("path"), bytes, text("sha256"), table.entries.len())
        else {
            let message = "a file that was resolved has `path`, `bytes` and `sha256`";
            return Err(vec![
                Diagnostic::new(codes::BAD_VALUE, node.place, message).with_label(format!("needs {needed}")),
            ]);
        };
        let found = FileName::find(name, node, context).map_err(|fault| vec![fault])?;
        if (found.bytes, found.sha256.as_str()) == (bytes, sha256) {
            return Ok(found);
        }
        let message =
            format!("the file {} is not what it was when the scenario was resolved", shown_in_message(name));
        let fault = Diagnostic::new(codes::OTHER_FILE, node.place, message)
            .with_label(format!(
                "was {bytes} B, SHA-256 {:.12}...; is {} B, {:.12}...",
                sha256, found.bytes, found.sha256
            ))
            .with_help(format!(
                "put the former file back, or write {} to take it as it is now",
                quoted(name)
            ));
        Err(vec![fault])
    }

    fn write(&self, value: &NamedFile, _: &Facts) -> String {
        let path = quoted(&value.path.display().to_string());
        format!("{{ path = {path}, bytes = {}, sha256 = {} }}", value.bytes, quoted(&value.sha256))
    }

    fn placeholder(&self) -> NamedFile {
        NamedFile { path: PathBuf::new(), bytes: 0, sha256: String::new(), text: Arc::default() }
    }

    fn describe(&self) -> String {
        "name of a file, relative to the scenario".to_owned()
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            {
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "bytes": { "type": "integer", "minimum": 0 },
                    "sha256": { "type": "string", "pattern": "^[0-9a-f]{64}$" },
                },
                "required": ["path", "bytes", "sha256"],
                "additionalProperties": false,
            },
        ] })
    }
}
