//! The kinds of components, and the top-level tables that are none.

use sansim_describe::doc::TableDoc;
use sansim_describe::table::Tabular;
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fcp::adapter::UnitSizes;
use sansim_host::workload::WorkloadParameters;

use crate::run::Run;
use crate::scenario::{DriveGroup, Host, PassiveGroup};

/// A kind of component, as it is written in files.
pub(crate) struct Kind {
    pub word: &'static str,
    /// What a component of this kind is, with its article.
    pub noun: &'static str,
    pub describe: fn() -> TableDoc,
}

/// Every kind of component.
pub(crate) const KINDS: &[Kind] = &[
    Kind { word: "arbitrated-loop", noun: "a loop", describe: LoopParameters::describe },
    Kind { word: "host", noun: "a host", describe: Host::describe },
    Kind { word: "drives", noun: "a group of drives", describe: DriveGroup::describe },
    Kind { word: "passive", noun: "a group of passive ports", describe: PassiveGroup::describe },
    Kind { word: "closed", noun: "a workload", describe: WorkloadParameters::describe },
];

/// The kind that a word means.
pub(crate) fn kind_of(word: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.word == word)
}

/// A top-level key that is no component.
pub(crate) struct Reserved {
    pub name: &'static str,
    pub doc: &'static str,
    /// Of a table.
    pub table: Option<ReservedTable>,
}

/// A top-level table that is no component.
pub(crate) struct ReservedTable {
    /// The heading of its section in the reference.
    pub title: &'static str,
    pub describe: fn() -> TableDoc,
}

/// The top-level keys that are no components.
pub(crate) const RESERVED: &[Reserved] = &[
    Reserved { name: "title", doc: "One line that names the scenario in results.", table: None },
    Reserved { name: "description", doc: "What the scenario is for; any number of lines.", table: None },
    Reserved {
        name: "run",
        doc: "How long to run and what to measure.",
        table: Some(ReservedTable { title: "Run", describe: Run::describe }),
    },
    Reserved {
        name: "fcp",
        doc: "Payload sizes of the information units.",
        table: Some(ReservedTable { title: "Information units", describe: UnitSizes::describe }),
    },
];

/// What is known about the keys of a top-level table that is no component.
pub(crate) fn reserved_table(name: &str) -> Option<TableDoc> {
    let table = RESERVED.iter().find(|reserved| reserved.name == name)?.table.as_ref()?;
    Some((table.describe)())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_describe::context::Context;

    #[test]
    fn every_default_and_every_example_can_be_read() {
        let context = Context::default();
        let unreadable = [
            Run::unreadable_defaults(&context),
            UnitSizes::unreadable_defaults(&context),
            LoopParameters::unreadable_defaults(&context),
            Host::unreadable_defaults(&context),
            DriveGroup::unreadable_defaults(&context),
            PassiveGroup::unreadable_defaults(&context),
            WorkloadParameters::unreadable_defaults(&context),
        ];
        assert_eq!(unreadable.concat(), Vec::<&str>::new());
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
        RESERVED.iter().filter_map(|reserved| reserved_table(reserved.name)).for_each(|table| check(&table));
        KINDS.iter().for_each(|kind| check(&(kind.describe)()));
    }
}
