//! The JSON Schema of a table, made from the documentation of its keys.
//!
//! The schema serves editors and other programs: they complete and check keys while typing. The schema accepts everything the parser
//! accepts; errors that involve more than one key are found only by the parser.

use serde_json::{Map, Value as Json, json};

use crate::doc::{DefaultDoc, InnerDoc, TableDoc, TableNeed, TablePlacement};
use crate::tree::{Value, parse_file};

/// The JSON Schema of a table. With a `kind`, the schema also requires the key that selects it.
pub fn table_schema(table: &TableDoc, kind: Option<&str>) -> Json {
    if !table.variants.is_empty() {
        return one_of_several(table);
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some(kind) = kind {
        properties.insert("kind".to_owned(), json!({ "const": kind }));
        required.push("kind");
    }
    for field in &table.fields {
        let mut description = field.full_doc();
        match field.default {
            DefaultDoc::Follows(followed) => description.push_str(&format!(" Default: follows {followed}.")),
            DefaultDoc::Optional("") | DefaultDoc::Is(_) | DefaultDoc::Word(_) | DefaultDoc::Required(_) => {}
            DefaultDoc::Optional(words) => description.push_str(&format!(" Default: {words}.")),
            DefaultDoc::Needed(words) => description.push_str(&format!(" Needed {words}.")),
        }
        let mut schema = json!({ "description": description });
        if !field.source.is_empty() {
            schema["x-source"] = json!(field.source);
        }
        if field.changes {
            schema["x-changes"] = json!(true);
        }
        if let (Some(schema), Json::Object(more)) = (schema.as_object_mut(), field.schema.clone()) {
            schema.extend(more);
            match field.default {
                DefaultDoc::Required(_) => required.push(field.name),
                DefaultDoc::Is(toml) => {
                    schema.insert("default".to_owned(), default_as_json(toml));
                }
                DefaultDoc::Word(word) => {
                    schema.insert("default".to_owned(), json!(word));
                }
                DefaultDoc::Follows(_) | DefaultDoc::Optional(_) | DefaultDoc::Needed(_) => {}
            }
        }
        properties.insert(field.name.to_owned(), schema);
    }
    for inner in &table.tables {
        properties.insert(inner.name.to_owned(), inner_schema(inner));
        if inner.need == TableNeed::Required {
            required.push(inner.name);
        }
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

/// The JSON Schema of a table with variants: each variant has its word, which may be left out for the default variant.
fn one_of_several(table: &TableDoc) -> Json {
    let default = table.fields.iter().find_map(|field| match field.default {
        DefaultDoc::Word(word) => Some(word),
        _ => None,
    });
    let schemas: Vec<Json> = table
        .variants
        .iter()
        .map(|variant| {
            let mut schema = table_schema(&variant.table, None);
            schema["properties"][variant.key] = json!({ "const": variant.word });
            if default != Some(variant.word) {
                let mut required = schema["required"].as_array().cloned().unwrap_or_default();
                required.insert(0, json!(variant.key));
                schema["required"] = json!(required);
            }
            schema
        })
        .chain(table.in_place_of_word.iter().zip(&table.variants).map(|(own, variant)| {
            json!({
                "type": "object",
                "properties": { variant.key: own },
                "required": [variant.key],
                "additionalProperties": false,
            })
        }))
        .collect();
    json!({ "description": table.doc, "type": "object", "oneOf": schemas })
}

/// The JSON Schema of the value under the name of a table within another one.
fn inner_schema(inner: &InnerDoc) -> Json {
    let one = table_schema(&inner.table, None);
    let (mut schema, least) = match inner.stands {
        TablePlacement::Once => return one,
        TablePlacement::Named => (
            json!({ "description": inner.doc, "type": "object", "additionalProperties": one }),
            "minProperties",
        ),
        TablePlacement::Listed => {
            (json!({ "description": inner.doc, "type": "array", "items": one }), "minItems")
        }
    };
    if let (Some(schema), false) = (schema.as_object_mut(), inner.need == TableNeed::Any) {
        schema.insert(least.to_owned(), json!(1));
    }
    schema
}

/// The default, which is TOML of a text, a number or a switch, as JSON.
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
