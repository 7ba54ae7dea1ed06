//! The places at which a scenario names components, for programs that edit it: renaming a component changes them all.

use sansim_registry::ReferenceRelation;

use crate::scenario::Scenario;

/// A place at which a component is named: the key, the index of the name in its list, the name as it is written, and the relation.
pub type NamedAt = (String, Option<usize>, String, &'static str);

impl Scenario {
    /// All places at which components, their ports or members are named. A key that could name components and names none has an empty
    /// name.
    pub fn references(&self) -> Vec<NamedAt> {
        let mut found = Vec::new();
        for component in &self.components {
            for reference in component.kind_behaviour().references() {
                let key = format!("{}.{}", component.name, reference.key);
                let word = word(reference.joins);
                if reference.names.is_empty() {
                    found.push((key.clone(), None, String::new(), word));
                }
                let names = reference.names.iter().enumerate();
                found.extend(names.map(|(index, name)| (key.clone(), Some(index), name.clone(), word)));
            }
            for (key, members) in
                component.network_interface().map_or_else(Vec::new, |network| network.zoned())
            {
                let key = format!("{}.{key}", component.name);
                let members = members.iter().enumerate();
                found
                    .extend(members.map(|(index, name)| (key.clone(), Some(index), name.clone(), "members")));
            }
        }
        let events = self.events.iter().enumerate();
        found.extend(
            events
                .map(|(number, event)| (format!("event[{number}].what"), None, event.what.clone(), "event")),
        );
        found
    }
}

/// The word for a relation.
fn word(joins: ReferenceRelation) -> &'static str {
    match joins {
        ReferenceRelation::Stations => "stations",
        ReferenceRelation::Through => "through",
        ReferenceRelation::Devices => "devices",
        ReferenceRelation::Attached => "attached",
        ReferenceRelation::Behind => "behind",
        ReferenceRelation::Shares => "shares",
        ReferenceRelation::Manages => "manages",
        ReferenceRelation::Inside => "inside",
        ReferenceRelation::Sends => "sends",
    }
}
