//! Tests of a file that a table names: found relative to the scenario, resolved with its identity, and refused when its content differs.

use std::path::PathBuf;

use sansim_schema::context::Facts;
use sansim_schema::quantities::{FileName, Folder, NamedFile};
use sansim_schema::table;
use sansim_schema::table::Tabular;
use sansim_schema::writer::TomlWriter;

table! {
    /// A replay.
    pub struct Replay {
        /// The trace to replay.
        trace: NamedFile = FileName, required r#""trace.csv""#, source "";
    }
}

/// A folder for the test with a file in it.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sansim-file-name-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    std::fs::write(folder.join("trace.csv"), "abc").expect("a temporary file");
    folder
}

fn written(replay: &Replay) -> String {
    let mut writer = TomlWriter::new(Facts::default());
    replay.write(&mut writer);
    writer.out
}

fn read(folder: &std::path::Path, text: &str) -> Result<Replay, String> {
    let context = Facts::default().with_fact(Folder(folder.to_owned()));
    Replay::from_toml(text, &context).map_err(|report| report.to_string())
}

#[test]
fn a_file_is_found_from_the_scenario_and_resolved_with_size_and_hash() {
    let folder = folder("found");
    let replay = read(&folder, "trace = \"trace.csv\"\n").expect("it is there");
    assert_eq!(replay.trace.path, folder.join("trace.csv"));
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!((replay.trace.bytes, replay.trace.sha256.as_str()), (3, sha256));
    // The file is found from another folder as well, because the resolved path is absolute; and with the same bytes.
    let resolved = written(&replay);
    let again = read(&std::env::temp_dir(), &resolved).expect("it is the same");
    assert_eq!((written(&again), again), (resolved, replay));
    std::fs::remove_dir_all(&folder).expect("it was there");
}

#[test]
fn the_text_of_a_file_is_the_one_that_was_found_whenever_it_is_asked_for() {
    let folder = folder("once");
    let [kept, late] = [0, 1].map(|_| read(&folder, "trace = \"trace.csv\"\n").expect("it is there").trace);
    assert_eq!(kept.text(), Ok("abc"));
    std::fs::write(folder.join("trace.csv"), "abd").expect("a temporary file");
    assert_eq!(late.text(), Err("trace.csv was changed while the scenario was read".to_owned()));
    std::fs::remove_dir_all(&folder).expect("it was there");
    assert_eq!(kept.clone().text(), Ok("abc"));
}

#[test]
fn another_file_in_its_place_is_refused() {
    let folder = folder("other");
    let resolved = written(&read(&folder, "trace = \"trace.csv\"\n").expect("it is there"));
    std::fs::write(folder.join("trace.csv"), "abd").expect("a temporary file");
    let report = read(&folder, &resolved).expect_err("it is another one");
    assert!(report.contains("is not what it was when the scenario was resolved"), "{report}");
    assert!(report.contains("E0317") && report.contains("was 3 B, SHA-256 ba7816bf8f01"), "{report}");
    std::fs::remove_dir_all(&folder).expect("it was there");
}

#[test]
fn what_is_no_file_is_refused_with_where_it_was_looked_for() {
    let folder = folder("missing");
    for name in ["\"none.csv\"", "\".\"", "\"\"", "3", "{ path = \"trace.csv\" }"] {
        let report = read(&folder, &format!("trace = {name}\n")).expect_err("it is no file");
        assert!(report.contains("trace = "), "{report}");
    }
    let report = read(&folder, "trace = \"none.csv\"\n").expect_err("it is not there");
    assert!(report.contains(&format!("looked for it as {}", folder.join("none.csv").display())), "{report}");
    std::fs::remove_dir_all(&folder).expect("it was there");
}
