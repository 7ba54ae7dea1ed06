//! Common parts of the tests of several generators.

use sansim_schema::context::Facts;
use sansim_schema::keys::Keys;
use sansim_schema::places::KeyPositions;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceTexts;
use sansim_schema::table::Tabular;
use sansim_schema::tree::parse_file;

/// The keys of a table, parsed from their text.
pub(crate) fn keys<T: Tabular>(text: &str) -> T {
    T::from_toml(text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

/// The errors between keys that are valid by themselves; empty if there are no errors.
pub(crate) fn checked<T: Tabular>(text: &str) -> String {
    let whole = format!("[it]\n{text}\n");
    let sources = SourceTexts::new("it.toml", &whole, &[], "");
    let (mut sink, root) = (ProblemSink::new(&sources), parse_file(&whole, &mut Vec::new()));
    keys::<T>(text).check(&mut Keys::new(&mut sink, KeyPositions::new(&root), "it"));
    if sink.is_empty() { String::new() } else { sink.into_report("it.toml").to_string() }
}
