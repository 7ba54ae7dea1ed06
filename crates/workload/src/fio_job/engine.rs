//! I/O engines: which hand an I/O over and go on, and which wait for it.
//!
//! Source: fio 3.33, whose synchronous engines say "queue depth will be capped at 1", and `fio(1)`.

use super::values;
use crate::faults::Wrong;

/// How an engine does I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineWaits {
    /// It hands one over and goes on.
    Asynchronous,
    /// It waits until one is done.
    Synchronous,
    /// It does none of a block device.
    DoesNone,
}

use EngineWaits::{Asynchronous, DoesNone, Synchronous};

/// The engine of a job that names none.
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

/// An engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// Its name.
    pub name: String,
    /// How it does I/Os.
    pub waits: EngineWaits,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine { name: DEFAULT.to_owned(), waits: Synchronous }
    }
}

/// The engine of a name.
///
/// # Errors
/// If there is none.
pub fn engine(text: &str) -> Result<Engine, Wrong> {
    let name = text.trim();
    values::word(name, "I/O engine", ENGINES).map(|waits| Engine { name: name.to_owned(), waits })
}
