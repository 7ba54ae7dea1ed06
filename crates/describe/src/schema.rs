//! The JSON Schema of a table, made from what is known about its keys.
//!
//! It serves editors and other programs: they complete and check keys while typing. It accepts everything the parser
//! accepts; what needs more than one key at a time only the parser finds.

use serde_json::{Map, Value as Json, json};

use crate::doc::{DefaultDoc, TableDoc};
use crate::tree::{Value, parse_file};

/// The JSON Schema of a table. One that is told apart by its `kind` must have that, too.
pub fn table_schema(table: &TableDoc, kind: Option<&str>) -> Json {
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
    let table = parse_file(&format!("value = {toml}"), &mut Vec::new());
    match table.get("value").map(|entry| &entry.node.value) {
        Some(Value::Text(text)) => json!(text),
        Some(Value::Integer(Some(number))) => json!(*number as i64),
        Some(Value::Float(number)) => json!(number.parse::<f64>().unwrap_or_default()),
        Some(Value::Flag(flag)) => json!(flag),
        _ => Json::Null,
    }
}
