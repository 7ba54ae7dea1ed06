//! The format of files: scenarios, studies and plans say `format = 1`.
//!
//! A file without the key has format 0, which differs in the names of some keys: each table lists them
//! ([`RenamedDoc`](sansim_schema::doc::RenamedDoc)). A key with an old name is an error that gives the new name, and
//! [`migrate`](crate::migrate) rewrites it.

use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::tree::{Table, Value};

/// The format that this version writes.
pub const FORMAT: i128 = 1;

/// The key that gives the format of a file.
pub const KEY: &str = "format";

/// Reports a format that this version cannot read.
pub(crate) fn check(sink: &mut ProblemSink<'_>, root: &Table) {
    let Some(entry) = root.get(KEY) else { return };
    let fault = match entry.node.value {
        Value::Integer(Some(format)) if (0..=FORMAT).contains(&format) => return,
        Value::Integer(Some(format)) if format > FORMAT => Diagnostic::new(
            codes::NEWER_FORMAT,
            entry.node.place,
            format!("the file has format {format}, and this version of sansim reads formats 0 to {FORMAT}"),
        )
        .with_label("too new")
        .with_help(format!(
            "read it with the version that wrote it or a later one; this is {}",
            env!("CARGO_PKG_VERSION")
        )),
        _ => Diagnostic::new(
            codes::BAD_VALUE,
            entry.node.place,
            "the format of a file is a whole number, 0 or more",
        )
        .with_label(format!("write {FORMAT}")),
    };
    sink.report(KEY, fault);
}
