//! Tests of tables whose values other code reads: keys, schema and reference, with inner tables.

use sansim_schema::doc::{TableNeed, TablePlacement};
use sansim_schema::json;
use sansim_schema::outline::Shape;
use sansim_schema::page;
use sansim_schema::quantities::{Choice, Flag, Text};
use sansim_schema::schema::table_schema;
use sansim_schema::words::WordDoc;

sansim_schema::words! {
    /// How it shines.
    pub enum Light {
        /// All the time.
        Steady = "steady",
        /// Now and then.
        Flashing = "flashing",
    }
}

sansim_schema::outline! {
    /// A room.
    pub fn room {
        /// Who lives there.
        owner: Text, required "\"me\"";
        /// What is bought.
        shopping: Shape::new("table", json!({ "type": "object" })), optional "";
    }
    tables {
        /// Its lamps, by name.
        lamps: named lamp, required;
        /// Its lamps on the ceiling.
        above: listed spot, some;
        door: once door, any;
    }
}

sansim_schema::outline! {
    /// A lamp.
    fn lamp {
        /// What people call it.
        label: Text, optional "its name";
        /// How it shines.
        light: Choice::<Light>::ANY, default "\"steady\"";
        /// What it screws into.
        socket: Text, needed "for a bulb";
    }
}

sansim_schema::outline! {
    /// A lamp on the ceiling.
    fn spot {}
    parts(lamp)
}

sansim_schema::outline! {
    /// The door.
    fn door {
        /// Whether it is open.
        open: Flag, default "false";
    }
}

#[test]
fn the_schema_knows_how_each_table_stands_and_which_is_needed() {
    let text = json!({ "description": "What people call it. Default: its name.", "type": "string" });
    let light = json!({
        "description": "How it shines.", "type": "string", "enum": ["steady", "flashing"], "default": "steady",
    });
    let socket = json!({ "description": "What it screws into. Needed for a bulb.", "type": "string" });
    let lamp = |doc: &str| {
        json!({
            "description": doc, "type": "object", "properties": { "label": text, "light": light, "socket": socket },
            "additionalProperties": false,
        })
    };
    let expected = json!({
        "description": "A room.",
        "type": "object",
        "properties": {
            "owner": { "description": "Who lives there.", "type": "string" },
            "shopping": { "description": "What is bought.", "type": "object" },
            "lamps": {
                "description": "Its lamps, by name.", "type": "object", "additionalProperties": lamp("A lamp."),
                "minProperties": 1,
            },
            "above": {
                "description": "Its lamps on the ceiling.", "type": "array", "items": lamp("A lamp on the ceiling."),
                "minItems": 1,
            },
            "door": {
                "description": "The door.", "type": "object",
                "properties": { "open": { "description": "Whether it is open.", "type": "boolean", "default": false } },
                "additionalProperties": false,
            },
        },
        "required": ["owner", "lamps"],
        "additionalProperties": false,
    });
    assert_eq!(table_schema(&room(), None), expected);
}

#[test]
fn the_reference_tells_every_key_once() {
    let mut page = String::new();
    page::append_outline(&mut page, &room());
    let expected = "\
| key | value | default | meaning |
|---|---|---|---|
| `owner` | text | required, such as `\"me\"` | Who lives there. |
| `shopping` | table |  | What is bought. |

## `[lamps.NAME]`

A lamp. At least one is required.

| key | value | default | meaning |
|---|---|---|---|
| `label` | text | its name | What people call it. |
| `light` | one of `\"steady\"` (All the time); `\"flashing\"` (Now and then) | `\"steady\"` | How it shines. |
| `socket` | text | needed for a bulb | What it screws into. |

## `[[above]]`

A lamp on the ceiling.

Its keys are those of `[lamps.NAME]`.

## `[door]`

The door.

| key | value | default | meaning |
|---|---|---|---|
| `open` | true or false | `false` | Whether it is open. |
";
    assert_eq!(page, expected);
}

#[test]
fn tables_below_have_paths_and_say_how_they_stand() {
    let room = room();
    let below: Vec<_> =
        room.inner_tables("a").into_iter().map(|(path, inner)| (path, inner.stands, inner.need)).collect();
    let expected = [
        ("a.lamps.NAME", TablePlacement::Named, TableNeed::Required),
        ("a.above", TablePlacement::Listed, TableNeed::Some),
        ("a.door", TablePlacement::Once, TableNeed::Any),
    ];
    assert_eq!(below, expected.map(|(path, stands, need)| (path.to_owned(), stands, need)));
}

#[test]
fn words_have_their_meanings_and_many_have_a_table_of_their_own() {
    let word = |word, meaning| WordDoc { word, meaning, source: "" };
    assert_eq!(lamp().fields[1].words, [word("steady", "All the time."), word("flashing", "Now and then.")]);
    let mut lamp = lamp();
    lamp.fields[1].words.extend([word("a", "A."), word("b", "B."), word("c", "C."), word("d", "D.")]);
    let mut page = String::new();
    page::append_outline(&mut page, &lamp);
    assert!(page.contains("| `light` | one of the words below | `\"steady\"` |"), "{page}");
    assert!(page.ends_with("| `\"c\"` | C. |\n| `\"d\"` | D. |\n"), "{page}");
    // If one of the words has a published source, the page gives the source of each word.
    lamp.fields[1].words[0].source = "List of Lights";
    page.clear();
    page::append_outline(&mut page, &lamp);
    assert!(page.contains("| `light` | meaning | source |\n|---|---|---|\n"), "{page}");
    assert!(page.contains("| `\"steady\"` | All the time. | List of Lights |\n"), "{page}");
}

#[test]
fn a_key_that_holds_a_table_of_the_users_own_is_known_as_one() {
    assert_eq!(room().fields.iter().map(|field| field.is_table()).collect::<Vec<_>>(), [false, true]);
}
