//! The JSON Schema of a study file.

use sansim_schema::schema::table_schema;
use sansim_schema::{Json, JsonMap as Map, json};

use crate::tables::study_file_table;

/// The JSON Schema (draft 2020-12) of a study file, for editors and other programs. The schema has keys, types and words; values that
/// depend on other parts of a study file, such as names of axes, are checked only by the reader.
pub fn study_json_schema() -> Json {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".to_owned(), json!("sansim study"));
    if let Json::Object(table) = table_schema(&study_file_table(), None) {
        schema.extend(table);
    }
    Json::Object(schema)
}
