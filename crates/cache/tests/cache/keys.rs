//! Tests that contradictions between keys of a cache are reported where they are written, with a correction.

use sansim_cache::CacheParameters;
use sansim_schema::context::Facts;
use sansim_schema::keys::Keys;
use sansim_schema::places::KeyPositions;
use sansim_schema::sink::ProblemSink;
use sansim_schema::source::SourceTexts;
use sansim_schema::table::Tabular;
use sansim_schema::tree::parse_file;

/// Errors between keys that are valid by themselves; empty if there are no errors.
fn checked(text: &str) -> String {
    let whole = format!("[it]\n{text}\n").replace("[.", "[it.");
    let sources = SourceTexts::new("it.toml", &whole, &[], "");
    let (mut sink, root) = (ProblemSink::new(&sources), parse_file(&whole, &mut Vec::new()));
    let parameters = CacheParameters::from_toml(&text.replace("[.", "["), &Facts::default());
    let parameters = parameters.unwrap_or_else(|report| panic!("{report}"));
    parameters.check(&mut Keys::new(&mut sink, KeyPositions::new(&root), "it"));
    if sink.is_empty() { String::new() } else { sink.into_report("it.toml").to_string() }
}

#[test]
fn every_key_has_a_default_that_can_be_read() {
    assert_eq!(CacheParameters::unreadable_defaults(&Facts::default()), Vec::<&str>::new());
}

#[test]
fn keys_that_go_together_are_taken() {
    assert_eq!(checked("capacity = \"16 GiB\""), "");
    assert_eq!(checked("capacity = \"512 B\"\nblock = \"512 B\"\n[.write]\nstripe_size = \"1 KiB\""), "");
    assert_eq!(checked("capacity = \"1 MiB\"\n[.write.destage]\nlow = \"10 %\"\nhigh = \"11 %\""), "");
}

#[test]
fn keys_that_contradict_each_other_are_refused_with_what_would_be_right() {
    let cases = [
        ("capacity = \"1 MiB\"\nblock = \"4 MiB\"", "it.toml:2", "has 0 blocks", "give a smaller it.block"),
        (
            "capacity = \"1 PiB\"\nblock = \"512 B\"",
            "it.toml:2",
            "has 2199023255552 blocks",
            "give a larger it.block",
        ),
        (
            "capacity = \"1 MiB\"\nblock = \"12 KiB\"\n[.write]\nstripe_size = \"64 KiB\"",
            "it.toml:5",
            "a stripe of 65536 B has no whole number of blocks of 12288 B",
            "73728 B",
        ),
        (
            "capacity = \"1 MiB\"\n[.write.destage]\nlow = \"90 %\"",
            "it.toml:4",
            "the low mark is not below the high mark",
            "it.write.destage.high",
        ),
        (
            "capacity = \"1 MiB\"\n[.write.destage]\nwhen = \"linear\"\nlow = \"80 %\"",
            "it.toml:5",
            "the low mark is not below the high mark",
            "lower it.write.destage.low",
        ),
        (
            "capacity = \"1 MiB\"\n[.read_ahead]\npolicy = \"adaptive\"\nfirst = \"2 MiB\"",
            "it.toml:5",
            "2097152 B are fetched first, but 1048576 B at most",
            "raise it.read_ahead.most",
        ),
    ];
    for (text, place, what, instead) in cases {
        let told = checked(text);
        for part in [place, what, instead] {
            assert!(told.contains(part), "{part} is not in:\n{told}");
        }
    }
}

#[test]
fn a_policy_takes_its_own_keys_only() {
    let text = "capacity = \"1 MiB\"\n[replacement]\npolicy = \"lru\"\nsegments = 3";
    let told = CacheParameters::from_toml(text, &Facts::default()).expect_err("LRU has no segments");
    assert!(told.to_string().contains("segments"), "{told}");
    let text = text.replace("lru", "slru");
    assert!(CacheParameters::from_toml(&text, &Facts::default()).is_ok());
}
