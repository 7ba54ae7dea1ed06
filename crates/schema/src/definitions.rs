//! Definitions of a JSON Schema: parts that occur in several places.
//!
//! Keys and tables that have the same description and values become definitions, to which their places refer. A definition is named after
//! the first place in the order of the reference (`host.port`, `host.adapters.NAME`, `synthetic.arrivals:poisson` for one of several
//! tables), or by the title of the schema of a quantity.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value as Json, json};

/// The least number of characters of a definition: looking up a shorter one would cost a reader more than reading it again.
const WORTHWHILE: usize = 160;

/// A schema that may occur in several places.
struct Told {
    /// The number of the schema, in the order of the first places.
    number: usize,
    /// The name of the schema, from its first place.
    name: String,
    /// The number of its places. A part of a larger schema counts once, however often the larger schema occurs.
    places: usize,
}

/// All schemas that may occur in several places, by their text.
type All = HashMap<String, Told>;

/// The definitions of a schema, followed by their common parts, to which they refer.
pub fn shared_definitions(definitions: &Map<String, Json>) -> Map<String, Json> {
    let mut all = All::new();
    let mut common = BTreeMap::new();
    let mut shared = definitions.clone();
    for (name, schema) in &mut shared {
        inner(schema, name).into_iter().for_each(|(schema, path)| count(schema, &path, &mut all));
    }
    for (_, schema) in &mut shared {
        inner(schema, "").into_iter().for_each(|(schema, _)| refer(schema, &all, &mut common));
    }
    shared.extend(common.into_values());
    shared
}

/// Counts a schema at a path and, where it is met for the first time, the schemas within it.
fn count(schema: &mut Json, path: &str, all: &mut All) {
    if let Some(text) = worthwhile(schema) {
        let number = all.len();
        let name = schema["title"].as_str().map_or_else(|| path.to_owned(), |title| title.replace(' ', "-"));
        let told = all.entry(text).or_insert(Told { number, name, places: 0 });
        told.places += 1;
        if told.places > 1 {
            return;
        }
    }
    inner(schema, path).into_iter().for_each(|(schema, path)| count(schema, &path, all));
}

/// Replaces a schema with several places by a reference, and treats the parts of any other.
fn refer(schema: &mut Json, all: &All, common: &mut BTreeMap<usize, (String, Json)>) {
    let told = worthwhile(schema).and_then(|text| all.get(&text)).filter(|told| told.places > 1);
    if told.is_none_or(|told| !common.contains_key(&told.number)) {
        inner(schema, "").into_iter().for_each(|(schema, _)| refer(schema, all, common));
    }
    if let Some(Told { number, name, .. }) = told {
        let reference = json!({ "$ref": format!("#/$defs/{name}") });
        let schema = std::mem::replace(schema, reference);
        common.entry(*number).or_insert_with(|| (name.clone(), schema));
    }
}

/// The text of a schema that may become a definition: long enough, and a table, a key or a schema with a title.
fn worthwhile(schema: &Json) -> Option<String> {
    let is_told = schema.get("description").or(schema.get("title")).is_some();
    is_told.then(|| schema.to_string()).filter(|text| text.len() >= WORTHWHILE)
}

/// The schemas directly within a schema, with their paths.
fn inner<'a>(schema: &'a mut Json, path: &str) -> Vec<(&'a mut Json, String)> {
    let mut found = Vec::new();
    for (word, value) in schema.as_object_mut().into_iter().flatten() {
        match (word.as_str(), value) {
            ("properties", Json::Object(keys)) => {
                found.extend(keys.iter_mut().map(|(key, schema)| (schema, format!("{path}.{key}"))));
            }
            ("additionalProperties", schema @ Json::Object(_)) => {
                found.push((schema, format!("{path}.NAME")))
            }
            ("items", schema) => found.push((schema, format!("{path}.EACH"))),
            ("oneOf" | "anyOf", Json::Array(several)) => {
                found.extend(several.iter_mut().enumerate().map(|(number, schema)| {
                    let which = word_of(schema).unwrap_or_else(|| number.to_string());
                    (schema, format!("{path}:{which}"))
                }));
            }
            _ => {}
        }
    }
    found
}

/// The word that selects a variant of a table.
fn word_of(schema: &Json) -> Option<String> {
    let keys = schema.get("properties")?.as_object()?;
    keys.values().find_map(|key| key.get("const")?.as_str()).map(str::to_owned)
}

#[cfg(test)]
mod tests;
