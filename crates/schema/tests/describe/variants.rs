//! Tests of a table with variants: reading, writing, documentation.

use sansim_schema::context::Facts;
use sansim_schema::doc::DefaultDoc;
use sansim_schema::quantities::{Count, Flag};
use sansim_schema::schema::table_schema;
use sansim_schema::table::Tabular;
use sansim_schema::writer::TomlWriter;
use sansim_schema::{page, table, variants};

table! {
    /// Burns wax. Drips.
    pub struct Candle {
        /// How many wicks it has.
        wicks: u32 = Count::<u32>::between(1, 9), required "2", source "";
    }
}

table! {
    /// Burns gas.
    pub struct GasLamp {
        /// Whether it hisses.
        hisses: bool = Flag, default "true", source "";
    }
}

variants! {
    /// Where light comes from.
    pub enum Light by "burns", default "gas", source "ours: an example" {
        Candle(Candle) = "wax",
        GasLamp(GasLamp) = "gas",
    }
}

variants! {
    /// The required source of light.
    pub enum Said by "burns" {
        Candle(Candle) = "wax",
        GasLamp(GasLamp) = "gas",
    }
}

table! {
    /// A room.
    pub struct Room {
        /// How many doors it has.
        doors: u32 = Count::<u32>::between(1, 9), default "1", source "";
    }
    tables {
        /// In it.
        light: Light;
    }
}

fn room(text: &str) -> Result<Room, String> {
    Room::from_toml(text, &Facts::default()).map_err(|report| report.to_string())
}

#[test]
fn the_word_says_which_keys_there_are() {
    let candle = |wicks| Light::Candle(Candle { wicks });
    assert_eq!(room("light = { burns = \"wax\", wicks = 3 }").expect("a candle").light, candle(3));
    assert_eq!(room("[light]\nburns = \"wax\"\nwicks = 1").expect("a candle").light, candle(1));
    let gas = Light::GasLamp(GasLamp { hisses: false });
    assert_eq!(room("light = { hisses = false }").expect("the default").light, gas);
    assert_eq!(room("").expect("nothing said").light.word(), "gas");
}

#[test]
fn a_key_of_another_one_is_unknown() {
    let report = room("light = { wicks = 3 }").expect_err("gas has no wicks");
    assert!(report.contains("`light` has no key `wicks`"), "{report}");
    assert!(room("light = { burns = \"wax\" }").expect_err("no wicks").contains("lacks the key `wicks`"));
}

#[test]
fn an_unknown_word_is_told_once_and_nothing_is_said_of_the_keys() {
    let report = room("light = { burns = \"waxx\", hisses = 7 }").expect_err("waxx");
    assert!(report.contains("did you mean \"wax\"?") && !report.contains("hisses` "), "{report}");
    assert_eq!(report.matches("error[").count(), 1, "{report}");
}

#[test]
fn a_word_without_a_default_has_to_be_written() {
    let report = Said::from_toml("", &Facts::default()).expect_err("no word").to_string();
    assert!(report.contains("the key `burns` is missing"), "{report}");
    assert!(matches!(Said::describe().fields[0].default, DefaultDoc::Required(_)));
    assert!(matches!(Light::describe().fields[0].default, DefaultDoc::Word("gas")));
}

#[test]
fn what_is_written_is_read_as_the_same() {
    let candle = room("doors = 2\nlight = { burns = \"wax\", wicks = 3 }").expect("a room");
    let mut writer = TomlWriter::new(Facts::default());
    candle.write(&mut writer);
    assert_eq!(writer.out, "doors = 2\n\n[light]\nburns = \"wax\"\nwicks = 3\n");
    assert_eq!(room(&writer.out).expect("as written"), candle);
}

#[test]
fn schema_and_reference_tell_of_each() {
    let schema = table_schema(&Room::describe(), None);
    let each = schema["properties"]["light"]["oneOf"].as_array().expect("several");
    assert_eq!(each[0]["required"], serde_json::json!(["burns", "wicks"]));
    assert_eq!(each[0]["properties"]["burns"]["const"], "wax");
    assert_eq!(each[1].get("required"), None, "gas is what counts without a word");
    let mut text = String::new();
    page::append_table_section(&mut text, "Rooms", "room", None, &Room::describe());
    assert!(text.contains("one of `\"wax\"` (Burns wax); `\"gas\"` (Burns gas)"), "{text}");
    assert!(text.contains("#### `[room.light]` with `burns = \"wax\"`"), "{text}");
    assert!(Room::describe().key_paths().contains(&"light.wicks".to_owned()));
}

variants! {
    /// The source of warmth, selected by a key of the same name.
    pub enum Warmth by "burns", default "gas", source "ours: an example" {
        GasLamp(GasLamp) = "gas",
        Stove(Candle) = "wood",
    }
}

table! {
    /// A hut.
    pub struct Hut {}
    tables {
        /// In it.
        light: Light;
        /// In it, too.
        warmth: Warmth;
    }
}

#[test]
fn tables_whose_choosing_key_has_other_words_are_each_told() {
    let mut text = String::new();
    page::append_table_section(&mut text, "Huts", "hut", None, &Hut::describe());
    assert!(text.contains("#### `[hut.warmth]` with `burns = \"wood\"`"), "{text}");
}
