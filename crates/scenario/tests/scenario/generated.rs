//! Tests that the generated files in `docs` are those of the present source.

use std::path::Path;

use sansim_registry::KINDS;
use sansim_schema::Json;
use sansim_schema::schema::table_schema;

fn committed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

const HINT: &str = "run `cargo run -p sansim-scenario --example generate` and commit the result";

#[test]
fn the_committed_schema_is_the_present_one() {
    assert_eq!(
        committed("scenario.schema.json"),
        format!("{:#}\n", sansim_scenario::json_schema()),
        "{HINT}"
    );
}

/// Replaces every reference of a schema by its definition.
fn unfold(schema: &mut Json, definitions: &Json) {
    if let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
        let name = reference.strip_prefix("#/$defs/").expect("a definition");
        *schema = definitions.get(name).unwrap_or_else(|| panic!("{name} is not defined")).clone();
    }
    match schema {
        Json::Object(values) => values.values_mut().for_each(|schema| unfold(schema, definitions)),
        Json::Array(values) => values.iter_mut().for_each(|schema| unfold(schema, definitions)),
        _ => {}
    }
}

#[test]
fn with_what_its_references_stand_for_the_schema_says_what_the_tables_say() {
    let definitions = sansim_scenario::json_schema()["$defs"].clone();
    for kind in KINDS {
        let mut found = definitions[kind.word].clone();
        unfold(&mut found, &definitions);
        assert_eq!(found, table_schema(&(kind.describe)(), Some(kind.word)), "{}", kind.word);
    }
}

#[test]
fn the_schema_says_nothing_long_twice() {
    fn tell(schema: &Json, told: &mut Vec<String>) {
        if schema.get("description").is_some() {
            told.push(schema.to_string());
        }
        match schema {
            Json::Object(values) => values.values().for_each(|schema| tell(schema, told)),
            Json::Array(values) => values.iter().for_each(|schema| tell(schema, told)),
            _ => {}
        }
    }
    let mut told = Vec::new();
    tell(&sansim_scenario::json_schema(), &mut told);
    told.retain(|text| text.len() > 200);
    told.sort();
    let twice: Vec<&String> =
        told.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
    assert_eq!(twice, Vec::<&String>::new());
}

#[test]
fn the_committed_reference_is_the_present_one() {
    assert_eq!(committed("scenario-reference.md"), sansim_scenario::key_reference(), "{HINT}");
}

#[test]
fn the_examples_of_the_reference_are_correct_scenarios() {
    let page = sansim_scenario::key_reference();
    let examples: Vec<&str> =
        page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("toml\n")).collect();
    assert_eq!(examples.len(), 4);
    for example in examples {
        if let Err(report) = sansim_scenario::Scenario::parse_text(example, "reference") {
            panic!("{report}");
        }
    }
}
