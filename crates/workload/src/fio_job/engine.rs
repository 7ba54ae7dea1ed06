//! I/O engines: asynchronous ones submit an I/O and continue, synchronous ones wait for it.
//!
//! Source: fio 3.33, whose synchronous engines say "queue depth will be capped at 1", and `fio(1)`.

use super::values;
use crate::faults::WrittenValueError;

/// Whether an engine waits for its I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineWaits {
    /// The engine submits an I/O and continues.
    Asynchronous,
    /// The engine waits until each I/O is done.
    Synchronous,
    /// The engine does no I/Os to a block device.
    DoesNone,
}

use EngineWaits::{Asynchronous, DoesNone, Synchronous};

/// The engine of a job that names no engine.
pub const DEFAULT: &str = "psync";

/// All engines.
const ENGINES: &[(&str, EngineWaits)] = &[
    ("psync", Synchronous),
    ("sync", Synchronous),
    ("vsync", Synchronous),
    ("pvsync", Synchronous),
    ("pvsync2", Synchronous),
    ("mmap", Synchronous),
    ("splice", Synchronous),
    ("sg", Synchronous),
    ("libpmem", Synchronous),
    ("dev-dax", Synchronous),
    ("mtd", Synchronous),
    ("gfapi", Synchronous),
    ("libhdfs", Synchronous),
    ("http", Synchronous),
    ("ime_psync", Synchronous),
    ("ime_psyncv", Synchronous),
    ("libcufile", Synchronous),
    ("libzbc", Synchronous),
    ("libiscsi", Synchronous),
    ("libaio", Asynchronous),
    ("linuxaio", Asynchronous),
    ("io_uring", Asynchronous),
    ("io_uring_cmd", Asynchronous),
    ("posixaio", Asynchronous),
    ("solarisaio", Asynchronous),
    ("windowsaio", Asynchronous),
    ("null", Asynchronous),
    ("nbd", Asynchronous),
    ("nfs", Asynchronous),
    ("rbd", Asynchronous),
    ("rados", Asynchronous),
    ("gfapi_async", Asynchronous),
    ("ime_aio", Asynchronous),
    ("dfs", Asynchronous),
    ("xnvme", Asynchronous),
    ("libblkio", Asynchronous),
    ("pmemblk", Asynchronous),
    ("rdma", DoesNone),
    ("net", DoesNone),
    ("netsplice", DoesNone),
    ("cpuio", DoesNone),
    ("exec", DoesNone),
    ("falloc", DoesNone),
    ("e4defrag", DoesNone),
    ("ftruncate", DoesNone),
    ("filecreate", DoesNone),
    ("filestat", DoesNone),
    ("filedelete", DoesNone),
];

/// An I/O engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The name of the engine.
    pub name: String,
    /// Whether the engine waits for its I/Os.
    pub waits: EngineWaits,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine { name: DEFAULT.to_owned(), waits: Synchronous }
    }
}

/// The engine with a name.
///
/// # Errors
/// If there is no engine with this name.
pub fn engine(text: &str) -> Result<Engine, WrittenValueError> {
    let name = text.trim();
    values::word(name, "I/O engine", ENGINES).map(|waits| Engine { name: name.to_owned(), waits })
}
