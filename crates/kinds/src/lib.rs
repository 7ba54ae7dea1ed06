//! The kinds of components that a scenario can have, in one list.
//!
//! A kind is a structure declared with [`table!`](sansim_describe::table!) that is a [`Compound`]: it says how many members it has, of
//! which [`Part`]s each consists, how these are joined and which ports it shows. To add a kind, write a module beside the others
//! here, and its line below. Nothing else knows of it: reading, checks, the resolved scenario, the schema, the reference and the graph are made of the list.

#![forbid(unsafe_code)]

mod adapters;
mod arbitrated_loop;
mod closed;
mod compound;
mod controller;
mod drives;
mod host;
mod mirror;
mod part;
mod passive;
mod register;

pub use adapters::NamedAdapter;
pub use compound::{Action, Compound, Inside, Joins, Load, Member, NetworkPort, Reference, Request, Side};
pub use controller::{Back, Controller, Front};
pub use drives::DriveGroup;
pub use host::Host;
pub use mirror::Mirror;
pub use part::{AnyComponent, Part};
pub use passive::PassiveGroup;
pub use register::{Category, Kind};

use register::kinds;
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_host::workload::WorkloadParameters;

kinds! {
    "arbitrated-loop", "a loop": ArbitratedLoop(LoopParameters), Network, names in ["stations"],
        also ["loop", "fc-al", "fcal", "al", "ring", "fibre-channel", "fc-loop", "fc"];
    "host", "a host": Host(Host), Host, names in ["attached"],
        also ["hba", "server", "initiator", "adapter", "client", "host-adapter", "node"];
    "drives", "a group of drives": Drives(DriveGroup), Device, names in [],
        also ["disk", "disks", "hdd", "hdds", "target", "targets", "jbod", "storage", "enclosure", "device", "devices"];
    "controller", "a storage controller": Controller(Controller), Device, names in ["to"],
        also ["storage-controller", "bridge", "array-controller"];
    "mirror", "a mirror": Mirror(Mirror), Device, names in ["to"],
        also ["raid-1", "raid1", "mirrors", "replica"];
    "passive", "a group of passive ports": Passive(PassiveGroup), Passive, names in [],
        also ["hub", "repeater", "port", "ports", "analyzer", "analyser", "bypass", "passive-hub"];
    "closed", "a workload": Closed(WorkloadParameters), Workload, names in ["from", "to"],
        also ["workload", "load", "job", "jobs", "traffic", "io", "ios", "benchmark", "closed-loop"];
}

/// What to say of a table whose kind has become that of something else since it was written: `has` says which keys it has.
pub fn former(word: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let was_host = word == "controller" && ["driver", "port", "adapter", "schedule"].into_iter().any(has);
    was_host.then_some("a controller with an operating system's driver is a host: write kind = \"host\"")
}

/// The kind that a word means.
pub fn kind_of(word: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_describe::context::Context;
    use sansim_describe::doc::TableDoc;

    #[test]
    fn every_default_and_every_example_can_be_read() {
        for kind in KINDS {
            assert_eq!((kind.unreadable_defaults)(&Context::default()), Vec::<&str>::new(), "{}", kind.word);
        }
    }

    #[test]
    fn every_key_is_documented() {
        fn check(table: &TableDoc) {
            assert!(!table.doc.is_empty());
            for field in &table.fields {
                assert!(field.doc.ends_with('.'), "{}: {}", field.name, field.doc);
                assert!(!field.written.is_empty());
            }
            table.tables.iter().for_each(|inner| check(&inner.table));
        }
        KINDS.iter().for_each(|kind| check(&(kind.describe)()));
    }

    #[test]
    fn the_keys_that_name_others_are_keys() {
        for kind in KINDS {
            let table = (kind.describe)();
            for key in kind.names_in {
                assert!(table.fields.iter().any(|field| field.name == *key), "{}.{key}", kind.word);
            }
        }
    }
}
