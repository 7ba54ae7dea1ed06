//! Words that people write for a kind of component and that mean a feature that is not modelled, such as `kind = "infiniband"`.
//!
//! The list of missing features is searched last: a word that a kind, a key or a value has is modelled, whatever is written here
//! ([`crate::meant`]).

use sansim_schema::codes;
use sansim_schema::fault::{Diagnostic, NOT_MODELLED};
use sansim_schema::source::SourceRange;

use crate::meant::same;

/// A feature that is not modelled: words for it, its noun with the article, and the nearest alternative.
pub(crate) struct Missing {
    pub(crate) words: &'static [&'static str],
    noun: &'static str,
    nearest: &'static str,
}

pub(crate) const MISSING: &[Missing] = &[
    Missing {
        words: &["fcoe", "infiniband", "sas", "sata"],
        noun: "a network of this sort",
        nearest: "networks are of kind \"arbitrated-loop\", \"loop-switch\", \"fabric\", \"scsi-bus\", \"pcie\", \"ethernet\" or \"tcp\"",
    },
    Missing {
        words: &["optane", "zns", "smr", "cd", "dvd"],
        noun: "a drive of this sort",
        nearest: "kind = \"drives\" takes the access time and the transfer rate that you give it",
    },
    Missing {
        words: &["vdbench", "ycsb", "tpc-c", "filebench", "specsfs"],
        noun: "a workload of this sort",
        nearest: "kind = \"synthetic\" draws requests from distributions, kind = \"trace\" replays recorded ones",
    },
    Missing {
        words: &["os", "file-system", "filesystem", "application", "vm", "hypervisor"],
        noun: "what is above the driver",
        nearest: "a host has `processors`, a `driver` with queues and limits, and a `path` to choose among paths",
    },
];

/// The diagnostic for a word of a feature that is not modelled.
pub(crate) fn fault(written: &str, place: SourceRange) -> Option<Diagnostic> {
    let missing = MISSING.iter().find(|missing| missing.words.iter().any(|word| same(written, word)))?;
    let fault = Diagnostic::new(
        codes::NOT_BUILT,
        place,
        format!("`{}` is not modelled: {}", written.trim(), missing.noun),
    );
    Some(
        fault
            .with_label("not modelled")
            .with_help(format!("{}; {NOT_MODELLED} lists what is left out", missing.nearest)),
    )
}
