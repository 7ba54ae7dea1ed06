//! The components of a file with their parameters, and the facts about its surroundings that the table of each needs.

use std::path::Path;
use std::rc::Rc;

use sansim_fc::delay::WordTime;
use sansim_registry::{ComponentCategory, KindParameters};
use sansim_schema::context::Facts;
use sansim_schema::quantities::Folder;
use sansim_schema::sink::ProblemSink;
use sansim_schema::table::NamedValue;

use crate::component::Component;

/// The most parts of the name of a port: `host.adapters.a`.
const MOST_PARTS: usize = 3;

/// Reads all components: networks first, as the keys of ports depend on their network.
pub(crate) fn read_components(
    sink: &mut ProblemSink<'_>,
    tables: &[Component<'_>],
    folder: &Path,
) -> Vec<NamedValue<KindParameters>> {
    let is_network =
        |table: &&Component<'_>| table.kind.is_some_and(|kind| kind.category == ComponentCategory::Network);
    let mut described: Vec<NamedValue<KindParameters>> = Vec::new();
    for table in tables.iter().filter(is_network) {
        // Delays of a loop may be in words of its own word time, so the word time is found first, with another sink.
        let first = table.read_parameters(
            &mut ProblemSink::new(sink.sources()),
            &Facts::default().with_fact(Folder(folder.to_owned())),
        );
        let word_time = first.iter().find_map(|first| Some(first.network_interface()?.word_time()));
        let context = Facts::default()
            .with_fact(WordTime(word_time.unwrap_or_default()))
            .with_fact(Folder(folder.to_owned()));
        described.extend(
            table.read_parameters(sink, &Facts::default().with_table(table.name(), Rc::new(context))),
        );
    }
    let surroundings = surroundings(&described, folder);
    described.extend(
        tables
            .iter()
            .filter(|table| !is_network(table))
            .filter_map(|table| table.read_parameters(sink, &surroundings)),
    );
    described
}

/// The facts for the tables of components: the networks of their ports, and the folder to which names of files are relative.
pub(crate) fn surroundings(components: &[NamedValue<KindParameters>], folder: &Path) -> Facts {
    let mut surroundings = Facts::default().with_fact(Folder(folder.to_owned()));
    for component in components {
        let Some(network) = component.network_interface() else { continue };
        let context = Rc::new(network.facts().with_fact(Folder(folder.to_owned())));
        surroundings = surroundings.with_table(&component.name, Rc::clone(&context));
        for station in network.stations() {
            // A name is arbitrary text until it is checked; names of ports have few parts.
            if station.split('.').count() <= MOST_PARTS {
                surroundings = surroundings.with_table(station, Rc::clone(&context));
            }
        }
    }
    surroundings
}
