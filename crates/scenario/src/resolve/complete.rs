//! Checks that a scenario has every category of component that a simulation needs.

use sansim_registry::{ComponentCategory, KINDS};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceRange;

use crate::component::Component;

/// The required categories, each with its noun and the name in an example.
const NEEDED: [(ComponentCategory, &str, &str); 3] = [
    (ComponentCategory::Host, "host", "host"),
    (ComponentCategory::Device, "drives", "drives"),
    (ComponentCategory::Workload, "workload", "workload"),
];

/// Reports missing components and keys.
pub(crate) fn completeness(sink: &mut ProblemSink<'_>, components: &[Component<'_>]) {
    // A component whose kind could not be read may be the missing one.
    if components.iter().any(|component| component.kind.is_none()) {
        return;
    }
    for (category, noun, example) in NEEDED {
        let is_there =
            components.iter().any(|component| component.kind.is_some_and(|kind| kind.category == category));
        let kind = KINDS.iter().find(|kind| kind.category == category);
        if let (false, Some(kind)) = (is_there, kind) {
            let fault =
                Diagnostic::new(codes::INCOMPLETE, SourceRange::FILE, format!("the scenario has no {noun}"))
                    .with_help(format!("add a table such as [{example}] with kind = \"{}\"", kind.word));
            sink.report("", fault);
        }
    }
}
