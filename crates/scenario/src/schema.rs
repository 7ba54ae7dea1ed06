//! The JSON Schema of a scenario file, made from the tables of its components.
//!
//! The schema serves editors and other programs: they complete and check keys while typing. The schema accepts everything the parser
//! accepts; errors that involve more than one key (unknown names, duplicate addresses) are found only by the parser.

use sansim_schema::{Json, JsonMap as Map, json};

use crate::reserved::{Holds, RESERVED};
use sansim_registry::KINDS;
use sansim_schema::definitions::shared_definitions;
use sansim_schema::schema::table_schema;

/// The JSON Schema (draft 2020-12) of a scenario file, for editors and other programs. The text of the schema is the same each time: keys
/// are in the order of the reference.
pub fn json_schema() -> Json {
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
    let mut definitions = Map::new();
    for reserved in RESERVED {
        let name = reserved.name;
        let reference = json!({ "$ref": format!("#/$defs/{name}") });
        let schema = match &reserved.holds {
            Holds::Format => {
                json!({ "type": "integer", "minimum": 0, "maximum": crate::format::FORMAT, "description": reserved.doc })
            }
            Holds::Text => json!({ "type": "string", "description": reserved.doc }),
            Holds::Table(table) => {
                definitions.insert(name.to_owned(), table_schema(&(table.describe)(), None));
                reference
            }
            Holds::Tables(table) => {
                definitions.insert(name.to_owned(), table_schema(&(table.describe)(), None));
                json!({ "type": "array", "items": reference, "description": reserved.doc })
            }
            // Any value within a template may be that of a parameter.
            Holds::Templates => json!({
                "type": "object",
                "additionalProperties": { "type": "object", "additionalProperties": { "type": "object" } },
                "description": reserved.doc,
            }),
        };
        properties.insert(name.to_owned(), schema);
    }
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
            "properties": { "kind": {
                "anyOf": [{ "enum": words }, { "type": "string", "pattern": "^[A-Za-z0-9_-]+$" }],
                "description": "What the component is: a kind, or a template of this file.",
            } },
            "allOf": by_kind,
        },
        "$defs": shared_definitions(&definitions),
    })
}
