//! Tests that errors in keys are reported at their place, and that the longest permitted times are large enough.

use super::*;
use crate::command::DiskCommand;
use crate::disk::Disk;
use proptest::prelude::*;
use sansim_kernel::{RandomStream, Time};
use sansim_schema::context::Facts;
use sansim_schema::places::KeyPositions;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceTexts;
use sansim_schema::table::Tabular;
use sansim_schema::tree::parse_file;

/// The diagnostics for a table of these keys, as text; none if there are no diagnostics.
fn wrong(keys: &str) -> Option<String> {
    let parameters = match DiskParameters::from_toml(keys, &Facts::default()) {
        Ok(parameters) => parameters,
        Err(report) => return Some(report.to_string()),
    };
    let text = format!("[disk]\n{keys}");
    let sources = SourceTexts::new("disk.toml", &text, &[], "");
    let (mut sink, root) = (ProblemSink::new(&sources), parse_file(&text, &mut Vec::new()));
    parameters.check(&mut Keys::new(&mut sink, KeyPositions::new(&root), "disk"));
    (!sink.is_empty()).then(|| sink.into_report("disk.toml").to_string())
}

#[test]
fn presets_and_drives_of_a_data_sheet_have_nothing_wrong() {
    for preset in Preset::EVERY {
        assert_eq!(wrong(&format!("preset = \"{preset}\"")), None);
    }
    let sheet = "rpm = 15_000\nsurfaces = 4\ncylinders = 50_000\nzones = [[0, 1200, 60, 70], [25_000, 900, 50, 60, 1000]]\n\
        seek = { form = \"three-point\", single = \"0.2 ms\", average = \"3.5 ms\", full = \"7.4 ms\" }";
    assert_eq!(wrong(sheet), None);
    assert_eq!(DiskParameters::unreadable_defaults(&Facts::default()), Vec::<&str>::new());
}

#[test]
fn contradictions_are_said_at_the_key_with_what_would_do() {
    for (keys, parts) in [
        (
            "cylinders = 6_000",
            vec!["zone 10 begins at cylinder 6518 and ends before cylinder 6000", "disk.toml:2"],
        ),
        ("zones = [[5, 100, 0, 0]]", vec!["the first zone begins at cylinder 0"]),
        ("zones = [[0, 100]]", vec!["first cylinder, sectors per track, track skew"]),
        (
            "seek = { form = \"three-point\", single = \"1 ms\", average = \"5 ms\", full = \"18 ms\" }",
            vec!["the average is 6.667 ms or more, not 5 ms"],
        ),
        (
            "seek = { form = \"measured\", points = [[1, \"2 ms\"], [9, \"1 ms\"]] }",
            vec!["a curve must not fall"],
        ),
        ("seek = { form = \"three-points\" }", vec!["three-points", "did you mean \"three-point\"?"]),
        ("seek = { single = \"1 ms\" }", vec!["the key `form` is missing"]),
        ("seek = { form = \"three-point\", mean = \"1 ms\" }", vec!["has no key `mean`"]),
        ("seek = { form = \"measured\" }", vec!["the key `points` is missing"]),
        ("seek = \"5 ms\"", vec!["three-point"]),
        ("preset = \"st39102\"", vec!["st39102lw"]),
        (
            "rpm = 100\nzones = [[0, 1, 0, 0]]\nsegment_blocks = 16_000_000",
            vec!["3 segments of 16000000 blocks", "give smaller segments"],
        ),
        ("[queue]\norder = \"fastest\"", vec!["fastest", "sptf"]),
    ] {
        let said = wrong(keys).unwrap_or_else(|| panic!("nothing is said of {keys}"));
        assert!(parts.iter().all(|part| said.contains(part)), "{keys}: {said}");
    }
}

proptest! {
    #[test]
    fn no_command_takes_longer_than_is_said(
        rpm in 100_u32..20_000, sectors in 1_u32..50, skew in 0_u32..50, settle in 0_u64..2_000, write_behind: bool,
        commands in prop::collection::vec((any::<bool>(), 0_u64..4_000, 1_u32..400), 1..20),
    ) {
        let keys = format!("rpm = {rpm}\nsurfaces = 2\ncylinders = 3000\nzones = [[0, {sectors}, {skew}, {skew}]]\nwrite_settle = \"{settle} us\"\n\
            write_behind = {write_behind}\nblock_transfer = \"3 us\"\nsegment_blocks = 64");
        let parameters = DiskParameters::from_toml(&keys, &Facts::default()).expect("keys that are right");
        let mut disk = Disk::new(&parameters, &mut RandomStream::new(1, "phase")).expect("a disk");
        let mut now = Time::ZERO;
        for (write, lbn, blocks) in commands {
            disk.submit_command(DiskCommand { id: 0, write, force_unit_access: false, lbn, blocks, arrival: now }).expect("blocks that there are");
            let served = disk.begin_command(disk.next_event()).expect("a command");
            prop_assert!(served.done - served.begin <= parameters.longest_command_time(blocks), "{:?}", served);
            now = served.done;
        }
    }
}
