//! The top-level keys of a file that are no components.

use sansim_fcp::adapter::UnitSizes;
use sansim_schema::doc::TableDoc;
use sansim_schema::table::Tabular;

use crate::event::ScenarioEvent;
use crate::run::RunSettings;

/// A top-level key that is no component.
pub(crate) struct Reserved {
    pub name: &'static str,
    pub doc: &'static str,
    pub holds: Holds,
}

/// The content of a top-level key that is no component.
pub(crate) enum Holds {
    /// The key holds a text.
    Text,
    /// The key holds the format of the file.
    Format,
    /// The key holds a table.
    Table(ReservedTable),
    /// The key holds a list of tables: `[[event]]`.
    Tables(ReservedTable),
    /// The key holds templates that the user names.
    Templates,
}

/// A top-level table that is no component.
pub(crate) struct ReservedTable {
    /// The heading of its section in the reference.
    pub title: &'static str,
    pub describe: fn() -> TableDoc,
}

/// The top-level keys that are no components.
pub(crate) const RESERVED: &[Reserved] = &[
    Reserved {
        name: crate::format::KEY,
        doc: "The format of the file: 1. A file without it has format 0, which `sansim migrate` rewrites.",
        holds: Holds::Format,
    },
    Reserved { name: "title", doc: "One line that names the scenario in results.", holds: Holds::Text },
    Reserved {
        name: "description",
        doc: "What the scenario is for; any number of lines.",
        holds: Holds::Text,
    },
    Reserved {
        name: "run",
        doc: "How long to run and what to measure.",
        holds: Holds::Table(ReservedTable { title: "Run", describe: RunSettings::describe }),
    },
    Reserved {
        name: "fcp",
        doc: "Payload sizes of the information units.",
        holds: Holds::Table(ReservedTable { title: "Information units", describe: UnitSizes::describe }),
    },
    Reserved {
        name: "event",
        doc: "What happens to components from outside.",
        holds: Holds::Tables(ReservedTable { title: "Events", describe: ScenarioEvent::describe }),
    },
    Reserved {
        name: "templates",
        doc: "Compounds of components, to be used under several names.",
        holds: Holds::Templates,
    },
];

/// Whether a top-level key is no component.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.iter().any(|reserved| reserved.name == name)
}

/// The description of the keys of a top-level table that is no component.
pub(crate) fn reserved_table(name: &str) -> Option<TableDoc> {
    match &RESERVED.iter().find(|reserved| reserved.name == name)?.holds {
        Holds::Table(table) => Some((table.describe)()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_schema::context::Facts;

    #[test]
    fn every_default_and_every_example_can_be_read() {
        let context = Facts::default();
        let unreadable = [
            RunSettings::unreadable_defaults(&context),
            UnitSizes::unreadable_defaults(&context),
            ScenarioEvent::unreadable_defaults(&context),
        ];
        assert_eq!(unreadable.concat(), Vec::<&str>::new());
    }

    #[test]
    fn every_key_is_documented() {
        for reserved in RESERVED {
            let (Holds::Table(table) | Holds::Tables(table)) = &reserved.holds else { continue };
            for field in (table.describe)().fields {
                assert!(field.doc.ends_with('.') && !field.written.is_empty(), "{}", field.name);
            }
        }
    }
}
