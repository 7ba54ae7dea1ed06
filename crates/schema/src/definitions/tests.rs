use super::*;

/// A key with a description of this many characters.
fn key(length: usize) -> Json {
    json!({ "type": "integer", "description": "x".repeat(length) })
}

fn names(shared: &Map<String, Json>) -> Vec<&str> {
    shared.keys().map(String::as_str).collect()
}

/// The definitions of a schema that has these definitions.
fn shared_of(definitions: Json) -> Map<String, Json> {
    shared_definitions(definitions.as_object().expect("definitions"))
}

#[test]
fn what_stands_in_two_places_is_named_after_the_first() {
    let lamp = |key: &Json| json!({ "type": "object", "properties": { "watts": key } });
    let found =
        shared_of(json!({ "lamp": lamp(&key(200)), "torch": lamp(&key(200)), "moon": lamp(&key(201)) }));
    assert_eq!(names(&found), ["lamp", "torch", "moon", "lamp.watts"]);
    let reference = json!({ "$ref": "#/$defs/lamp.watts" });
    assert_eq!(found["lamp"], lamp(&reference));
    assert_eq!(found["torch"], lamp(&reference));
    assert_eq!(found["moon"], lamp(&key(201)));
    assert_eq!(found["lamp.watts"], key(200));
}

#[test]
fn what_is_short_or_not_told_of_stands_where_it_stood() {
    let untold = json!({ "enum": ["x".repeat(200)] });
    let definitions = json!({
        "lamp": { "properties": { "watts": key(20), "colour": untold } },
        "torch": { "properties": { "watts": key(20), "colour": untold } },
    });
    assert_eq!(Json::Object(shared_of(definitions.clone())), definitions);
}

#[test]
fn of_equal_tables_what_is_within_them_is_no_definition_of_its_own() {
    let bulb = json!({ "description": "A bulb.", "properties": { "watts": key(200) }, "additionalProperties": false });
    let found = shared_of(json!({
        "lamp": { "properties": { "bulb": bulb } },
        "torch": { "properties": { "bulbs": { "type": "object", "additionalProperties": bulb } } },
    }));
    assert_eq!(names(&found), ["lamp", "torch", "lamp.bulb"]);
    assert_eq!(found["lamp.bulb"], bulb);
    assert_eq!(
        found["torch"]["properties"]["bulbs"]["additionalProperties"],
        json!({ "$ref": "#/$defs/lamp.bulb" })
    );
}

#[test]
fn names_tell_tables_by_name_lists_words_and_titles() {
    let table = |length: usize| json!({ "properties": { "burns": { "const": "gas" }, "rate": key(length) } });
    let titled = json!({ "title": "any colour", "enum": ["x".repeat(200)] });
    let all = json!({ "properties": {
        "several": { "type": "object", "additionalProperties": key(200) },
        "listed": { "type": "array", "items": key(201) },
        "one": { "oneOf": [table(202)] },
        "colour": { "anyOf": [{ "type": "integer" }, titled] },
    } });
    let found = shared_of(json!({ "lamp": all, "torch": all }));
    let common = ["lamp.several.NAME", "lamp.listed.EACH", "lamp.one:gas.rate", "any-colour"];
    assert_eq!(names(&found), [&["lamp", "torch"], &common[..]].concat());
}
