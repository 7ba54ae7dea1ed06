//! Tests of a declared table: its reading, checks, writing and documentation, with parts and inner tables.

use sansim_schema::context::Facts;
use sansim_schema::doc::DefaultDoc;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::places::KeyPositions;
use sansim_schema::quantities::{Count, Dimensioned, Flag, Size};
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceTexts;
use sansim_schema::table::Tabular;
use sansim_schema::tree::parse_file;
use sansim_schema::writer::TomlWriter;
use sansim_schema::{codes, table};

/// A fact: the number of bulbs of a lamp whose table does not give it.
#[derive(Clone, Copy, Default)]
struct Usual(u32);

table! {
    /// The text printed on it.
    #[derive(Copy)]
    pub struct Label {
        /// Whether it can be read in the dark.
        glows: bool = Flag, default "false", source "";
    }
}

table! {
    /// Where the light comes from.
    pub struct Bulbs {
        /// How many.
        count: u32 = Count::<u32>::between(1, 9), follows "the usual" |context| context.fact::<Usual>().0, source "";
        /// How many of them burn.
        burning: u32 = Count::<u32>::between(0, 9), follows "`count`" |_context| count, source "";
    }
    checks(check_burning)
}

impl Bulbs {
    fn check_burning(&self, keys: &mut Keys<'_, '_>) {
        if self.burning > self.count && keys.all_readable(&["burning", "count"]) {
            let message = format!("{} has {} bulbs", keys.path(), self.count);
            keys.report(
                "burning",
                Diagnostic::new(codes::CONTRADICTION, keys.value_position("burning"), message),
            );
        }
    }
}

table! {
    /// A lamp.
    pub struct Lamp {
        /// How much it remembers.
        memory: Option<u64> = Size::between(1, 4096).or("none"), default r#""none""#, source "The handbook";
    }
    parts {
        /// Printed on it.
        label: Label;
    }
    tables {
        /// Inside.
        bulbs: Bulbs;
    }
    checks(check_memory)
}

impl Lamp {
    fn check_memory(&self, keys: &mut Keys<'_, '_>) {
        if self.memory.is_some() && self.label.glows {
            keys.report(
                "memory",
                Diagnostic::new(codes::NOT_BUILT, keys.value_position("memory"), "it cannot do both"),
            );
        }
    }
}

fn usual(count: u32) -> Facts {
    Facts::default().with_fact(Usual(count))
}

fn lamp(text: &str) -> Lamp {
    Lamp::from_toml(text, &usual(3)).unwrap_or_else(|report| panic!("{report}"))
}

/// The codes and keys of the contradictions between the keys of a lamp.
fn checked(text: &str) -> Vec<(String, String)> {
    let sources = SourceTexts::new("lamp.toml", text, &[], "");
    let (mut sink, root) = (ProblemSink::new(&sources), parse_file(text, &mut Vec::new()));
    let inner = text.strip_prefix("[lamp]\n").expect("a lamp").replace("[lamp.", "[");
    lamp(&inner).check(&mut Keys::new(&mut sink, KeyPositions::new(&root), "lamp"));
    let problems = sink.into_report("lamp.toml").problems.into_iter();
    problems.map(|problem| (format!("{} line {}", problem.code, problem.line()), problem.key)).collect()
}

#[test]
fn keys_of_a_part_stand_in_the_table_itself() {
    let lamp = lamp("glows = true\nmemory = \"1 KiB\"");
    assert_eq!((lamp.label.glows, lamp.memory), (true, Some(1024)));
    assert_eq!(Lamp::keys(), ["memory", "glows", "bulbs"]);
}

#[test]
fn what_is_left_out_follows_the_surroundings_and_the_keys_before() {
    assert_eq!(lamp("").bulbs, Bulbs { count: 3, burning: 3 });
    assert_eq!(lamp("[bulbs]\ncount = 5").bulbs, Bulbs { count: 5, burning: 5 });
}

#[test]
fn a_key_that_nobody_has_is_refused_with_the_nearest_of_all_parts() {
    let report = Lamp::from_toml("glow = true", &usual(3)).expect_err("no such key").to_string();
    assert!(report.contains("E0102") && report.contains("did you mean `glows`?"), "{report}");
}

#[test]
fn what_was_written_reads_back_and_what_follows_is_a_comment() {
    for text in ["", "memory = \"2 B\"\nglows = true\n[bulbs]\nburning = 1"] {
        let mut writer = TomlWriter::new(usual(3));
        writer.write_table("lamp", None, |writer| lamp(text).write(writer));
        let inner = writer.out.replace("[lamp]", "").replace("[lamp.bulbs]", "[bulbs]");
        assert_eq!(lamp(&inner), lamp(text), "{inner}");
        assert!(inner.contains("# count = 3   (follows the usual)"), "{inner}");
    }
}

#[test]
fn checks_of_the_table_its_parts_and_the_tables_within_point_at_their_keys() {
    assert_eq!(checked("[lamp]\nglows = true\n"), []);
    let wrong = checked("[lamp]\nglows = true\nmemory = \"1 B\"\n[lamp.bulbs]\ncount = 2\nburning = 4\n");
    let expected = [("E0308 line 3", "lamp.memory"), ("E0304 line 6", "lamp.bulbs.burning")];
    assert_eq!(wrong, expected.map(|(at, key)| (at.to_owned(), key.to_owned())));
}

#[test]
fn a_table_describes_its_keys_with_those_of_its_parts() {
    let doc = Lamp::describe();
    let names: Vec<&str> = doc.fields.iter().map(|field| field.name).collect();
    assert_eq!((doc.doc.as_str(), names), ("A lamp.", vec!["memory", "glows"]));
    assert_eq!(doc.fields[0].written, "`\"none\"` or a size, 1 B to 4 KiB");
    assert!(matches!(doc.fields[0].default, DefaultDoc::Is("\"none\"")));
    assert_eq!(doc.key_paths(), ["memory", "glows", "bulbs", "bulbs.count", "bulbs.burning"]);
    assert_eq!(Lamp::unreadable_defaults(&usual(3)), Vec::<&str>::new());
}

table! {
    /// A socket.
    pub struct Socket {
        /// The effect of a pull.
        r#do: bool = Flag, default "true", source "";
    }
}

table! {
    /// A room with sockets that have names.
    pub struct Room {
        /// How many lamps it has.
        lamps: u32 = Count::<u32>::between(0, 9), default "1", source "";
    }
    named {
        /// The sockets in it.
        sockets: Socket;
    }
}

#[test]
fn tables_with_names_are_read_in_their_order_and_written_back() {
    let text = "sockets.b.do = false\n[sockets.a]\n";
    let room = Room::from_toml(text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    let found: Vec<(&str, bool)> =
        room.sockets.iter().map(|socket| (socket.name.as_str(), socket.r#do)).collect();
    assert_eq!(found, [("b", false), ("a", true)]);
    let mut writer = TomlWriter::new(Facts::default());
    room.write(&mut writer);
    assert_eq!(writer.out, "lamps = 1\n\n[sockets.b]\ndo = false\n\n[sockets.a]\ndo = true\n");
    assert_eq!(Room::from_toml(&writer.out, &Facts::default()), Ok(room));
    assert_eq!(Room::describe().key_paths(), ["lamps", "sockets", "sockets.do"]);
    let report = Room::from_toml("sockets.a.doo = 1\nsockets.\"c d\" = {}\n", &Facts::default());
    let report = report.expect_err("a key and a name that are none").to_string();
    assert!(report.contains("did you mean `do`?") && report.contains("`c d` cannot be a name"), "{report}");
}
