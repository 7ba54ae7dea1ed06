//! The JSON Schema of a scenario file, made from the field tables.
//!
//! It serves editors and other programs: they complete and check keys while typing. It accepts everything the parser
//! accepts; what needs more than one key at a time (unknown names, addresses given twice) only the parser finds.

use serde_json::{Map, Value as Json, json};

use crate::model::{Fcp, Run};
use crate::scenario::{KINDS, RESERVED};
use crate::table::{DefaultDoc, TableDoc, Tabular};
use crate::tree::Value;

/// The JSON Schema (draft 2020-12) of a scenario file, for editors and other programs. The same text each time: keys
/// stand in the order of the reference.
pub fn schema() -> Json {
    let words: Vec<&str> = KINDS.iter().map(|kind| kind.word).collect();
    let by_kind: Vec<Json> = KINDS
        .iter()
        .map(|kind| {
            json!({
                "if": { "properties": { "kind": { "const": kind.word } }, "required": ["kind"] },
                "then": { "$ref": format!("#/$defs/{}", kind.word) },
            })
        })
        .collect();
    let mut properties = Map::new();
    for (name, doc) in RESERVED {
        let schema = match *name {
            "run" => json!({ "$ref": "#/$defs/run" }),
            "fcp" => json!({ "$ref": "#/$defs/fcp" }),
            _ => json!({ "type": "string", "description": doc }),
        };
        properties.insert((*name).to_owned(), schema);
    }
    let mut definitions = Map::new();
    definitions.insert("run".to_owned(), table_schema(&Run::describe(), None));
    definitions.insert("fcp".to_owned(), table_schema(&Fcp::describe(), None));
    for kind in KINDS {
        definitions.insert(kind.word.to_owned(), table_schema(&(kind.describe)(), Some(kind.word)));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "sansim scenario",
        "description": "A storage network to simulate: components by name, each of a kind.",
        "type": "object",
        "properties": properties,
        "propertyNames": { "pattern": "^[A-Za-z0-9_-]+$" },
        "additionalProperties": {
            "type": "object",
            "required": ["kind"],
            "properties": { "kind": { "enum": words, "description": "What the component is." } },
            "allOf": by_kind,
        },
        "$defs": definitions,
    })
}

fn table_schema(table: &TableDoc, kind: Option<&str>) -> Json {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some(kind) = kind {
        properties.insert("kind".to_owned(), json!({ "const": kind }));
        required.push("kind");
    }
    for field in &table.fields {
        let mut description = field.doc.clone();
        if let DefaultDoc::Follows(followed) = field.default {
            description.push_str(&format!(" Default: follows {followed}."));
        }
        let mut schema = json!({ "description": description });
        if let (Some(schema), Json::Object(more)) = (schema.as_object_mut(), field.schema.clone()) {
            schema.extend(more);
            match field.default {
                DefaultDoc::Required(_) => required.push(field.name),
                DefaultDoc::Is(toml) => {
                    schema.insert("default".to_owned(), default_as_json(toml));
                }
                DefaultDoc::Follows(_) => {}
            }
        }
        properties.insert(field.name.to_owned(), schema);
    }
    for (name, inner) in &table.tables {
        properties.insert((*name).to_owned(), table_schema(inner, None));
    }
    let mut schema = json!({ "description": table.doc, "type": "object", "properties": properties });
    if let Some(schema) = schema.as_object_mut() {
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
    schema
}

/// A default, which is TOML text of a text, a number or a switch.
fn default_as_json(toml: &str) -> Json {
    let table = crate::tree::parse_file(&format!("value = {toml}"), &mut Vec::new());
    match table.get("value").map(|entry| &entry.node.value) {
        Some(Value::Text(text)) => json!(text),
        Some(Value::Integer(Some(number))) => json!(*number as i64),
        Some(Value::Float(number)) => json!(number.parse::<f64>().unwrap_or_default()),
        Some(Value::Flag(flag)) => json!(flag),
        _ => Json::Null,
    }
}
