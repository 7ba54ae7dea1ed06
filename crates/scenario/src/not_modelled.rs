//! What people describe that is not modelled, or is under another name: `kind = "router"`, `kind = "ethernet"`.

use sansim_describe::codes;
use sansim_describe::fault::{Fault, NOT_MODELLED};
use sansim_describe::source::Place;
use sansim_kinds::KINDS;

/// A kind that is not modelled: words for it, what it is with its article, and what comes nearest.
struct Missing {
    words: &'static [&'static str],
    noun: &'static str,
    nearest: &'static str,
}

const MISSING: &[Missing] = &[
    Missing {
        words: &["router", "gateway", "loop-switch"],
        noun: "what joins networks of several kinds",
        nearest: "kind = \"fabric\" has switches and links, kind = \"arbitrated-loop\" is a loop",
    },
    Missing {
        words: &[
            "ethernet",
            "iscsi",
            "fcoe",
            "infiniband",
            "sas",
            "sata",
            "nvme-of",
            "nvmeof",
            "fc-nvme",
            "roce",
            "tcp",
            "scsi-bus",
        ],
        noun: "another network than Fibre Channel",
        nearest: "arbitrated loops and fabrics are simulated",
    },
    Missing {
        words: &["optane", "zns", "smr", "cd", "dvd"],
        noun: "a drive of this sort",
        nearest: "kind = \"drives\" takes the access time and the transfer rate that you give it",
    },
    Missing {
        words: &[
            "fio",
            "trace",
            "replay",
            "poisson",
            "open",
            "open-loop",
            "burst",
            "bursty",
            "mixed",
            "zipf",
            "iometer",
            "vdbench",
            "ycsb",
            "spc",
            "tpc-c",
            "arrivals",
            "on-off",
        ],
        noun: "a workload of this sort",
        nearest: "kind = \"closed\" keeps a number of I/Os outstanding",
    },
    Missing {
        words: &[
            "cpu",
            "processor",
            "memory",
            "os",
            "file-system",
            "filesystem",
            "application",
            "vm",
            "database",
            "scheduler",
            "multipath",
            "numa",
        ],
        noun: "what is above the driver",
        nearest: "a host has `processors`, a `driver` with queues and limits, and a `path` to choose among ways",
    },
];

/// As people write a word: `Storage Array`, `storage_array`, `RAID5`, `switches`.
fn same(written: &str, word: &str) -> bool {
    let plain = |word: &str| -> String {
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let (written, word) = (plain(written), plain(word));
    written == word || written.strip_suffix("es") == Some(&word) || written.strip_suffix('s') == Some(&word)
}

/// The kind that is meant by another word for it.
pub(crate) fn kind_meant(written: &str) -> Option<&'static str> {
    KINDS.iter().find(|kind| kind.also.iter().any(|word| same(written, word))).map(|kind| kind.word)
}

/// What to say of a kind that is known but not modelled.
pub(crate) fn fault(written: &str, place: Place) -> Option<Fault> {
    let missing = MISSING.iter().find(|missing| missing.words.iter().any(|word| same(written, word)))?;
    let fault = Fault::new(
        codes::NOT_BUILT,
        place,
        format!("`{}` is not modelled: {}", written.trim(), missing.noun),
    );
    Some(
        fault
            .label("not modelled")
            .help(format!("{}; {NOT_MODELLED} lists what is left out", missing.nearest)),
    )
}
