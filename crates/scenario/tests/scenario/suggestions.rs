//! Tests that a suggestion keeps the magnitude that was meant, or is not made: whatever number and unit people write, the suggestion can be
//! read, and is one of the possible meanings of the unit.

use proptest::prelude::*;
use sansim_scenario::Scenario;

const BASE: &str = include_str!("../../../../scenarios/wang-2005-base.toml");

/// Units that people write after a number, and their possible meanings: factors of a byte, a second, a metre or a byte per second.
const UNITS: &[(&str, &[f64])] = &[
    ("k", &[1e3, 1024.0]),
    ("K", &[1e3, 1024.0]),
    ("kb", &[125.0, 1e3, 1024.0]),
    ("kB", &[1e3, 1024.0]),
    ("Kb", &[125.0]),
    ("kib", &[1024.0]),
    ("Kib", &[128.0]),
    ("KIB", &[1024.0]),
    // The unit `m` means a metre for a length, and a minute or nothing for a time.
    ("m", &[1e6, 1048576.0]),
    ("M", &[1e6, 1048576.0]),
    ("mb", &[125e3, 1e6, 1048576.0]),
    ("mB", &[1e6, 1048576.0]),
    ("Mb", &[125e3]),
    ("mib", &[1048576.0]),
    ("Mbit", &[125e3]),
    ("g", &[1e9, 1073741824.0]),
    ("G", &[1e9, 1073741824.0]),
    ("gb", &[125e6, 1e9, 1073741824.0]),
    ("Gb", &[125e6]),
    ("T", &[1e12, 1099511627776.0]),
    ("tb", &[125e9, 1e12, 1099511627776.0]),
    ("P", &[1e15, 1125899906842624.0]),
    ("b", &[0.125, 1.0]),
    ("bytes", &[1.0]),
    ("kilobytes", &[1e3, 1024.0]),
    ("kbps", &[125.0]),
    ("Mbps", &[125e3]),
    ("mbps", &[125e3]),
    ("MBps", &[1e6]),
    ("MBPS", &[125e3, 1e6]),
    ("Gbps", &[125e6]),
    ("Gb/s", &[125e6]),
    ("gb/s", &[125e6, 1e9]),
    ("Gbit/s", &[125e6]),
    ("MB/sec", &[1e6]),
    ("MiBps", &[1048576.0]),
    ("M/s", &[1e6, 1048576.0]),
    ("Bps", &[1.0]),
    ("MS", &[1e-3]),
    ("Ms", &[1e-3]),
    ("S", &[1.0]),
    ("\u{b5}sec", &[1e-6]),
    ("usec", &[1e-6]),
    ("uS", &[1e-6]),
    ("msec", &[1e-3]),
    ("sec", &[1.0]),
    ("nsec", &[1e-9]),
    ("min", &[60.0]),
    ("hr", &[3600.0]),
    ("h", &[3600.0]),
    ("Hz", &[]),
    ("IOPS", &[]),
    ("kIOPS", &[]),
    ("mm", &[1e-3]),
    ("Mm", &[1e6]),
    ("KM", &[1e3]),
    ("ft", &[0.3048]),
    ("miles", &[1609.344]),
    ("GBd", &[]),
    ("ks", &[1e3]),
    ("cs", &[1e-2]),
];

/// The units of scenarios, with factors as above.
const OURS: &[(&str, f64)] = &[
    ("ps", 1e-12),
    ("ns", 1e-9),
    ("us", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("B", 1.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("PB", 1e15),
    ("KiB", 1024.0),
    ("MiB", 1048576.0),
    ("GiB", 1073741824.0),
    ("TiB", 1099511627776.0),
    ("PiB", 1125899906842624.0),
    ("cm", 0.01),
    ("m", 1.0),
    ("km", 1e3),
];

/// Keys whose values are a size, a rate, a time, a length, and words or a time.
const KEYS: &[&str] =
    &["drives.capacity", "drives.transfer_rate", "drives.access_time", "loop.cable", "loop.port_delay"];

fn report(key: &str, value: &str) -> Option<String> {
    let overrides = [(key.to_owned(), value.to_owned())];
    Scenario::parse_with(BASE, "base.toml", &overrides).err().map(|report| report.to_string())
}

/// The quantities that a report suggests.
fn suggested(report: &str) -> Vec<String> {
    let help = report.lines().filter_map(|line| line.split_once("= help: ")).map(|(_, help)| help);
    let asked = help.filter_map(|help| help.split_once("did you mean ").or(help.split_once("write ")));
    asked.flat_map(|(_, rest)| rest.split('"').skip(1).step_by(2).map(str::to_owned)).collect()
}

/// The value of a quantity in a unit of scenarios.
fn value(quantity: &str) -> f64 {
    let (number, unit) = quantity.split_once(' ').expect("a number and a unit");
    let unit = unit.strip_suffix("/s").unwrap_or(unit);
    let factor =
        OURS.iter().find(|ours| ours.0 == unit).unwrap_or_else(|| panic!("no unit of ours: {quantity}"));
    number.parse::<f64>().expect("a number") * factor.1
}

/// Whether the key can parse `quantity`, whether or not it is too small or too large.
fn can_be_read(key: &str, quantity: &str) -> bool {
    report(key, quantity).is_none_or(|report| {
        ["E0203", "E0202", "E0201", "E0206"].iter().all(|code| !report.contains(&format!("error[{code}]")))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(3_000)))]
    #[test]
    fn a_suggestion_keeps_the_magnitude_that_was_meant(
        number in prop_oneof![
            (1u64..10_000).prop_map(|number| number.to_string()),
            (0u64..1_000, 0u64..1_000).prop_map(|(whole, part)| format!("{whole}.{part}")),
        ],
        (unit, meanings) in prop::sample::select(UNITS),
        blank in prop::sample::select(vec!["", " "]),
        key in prop::sample::select(KEYS),
    ) {
        let written = format!("{number}{blank}{unit}");
        let number: f64 = number.parse().expect("a number");
        for quantity in report(key, &written).as_deref().map(suggested).unwrap_or_default() {
            prop_assert!(can_be_read(key, &quantity), "{key} = {written}: {quantity} cannot be read");
            let meant = |factor: &f64| (value(&quantity) - number * factor).abs() <= 1e-9 * number * factor;
            prop_assert!(meanings.iter().any(meant), "{key} = {written}: {quantity} is something else");
        }
    }

    #[test]
    fn a_number_without_a_unit_gets_one_that_can_be_read(
        number in prop_oneof![
            "[0-9]{1,20}", "[0-9]{1,4}\\.[0-9]{1,4}", "[0-9]{1,3}e[0-9]{1,2}", "[0-9]{1,3}e-[0-9]{1,2}",
            Just("nan".to_owned()), Just("inf".to_owned()), Just("-inf".to_owned()), Just("+nan".to_owned()),
            Just("-2.5".to_owned()), Just("+7".to_owned()), Just("+7.5".to_owned()), Just("0x10".to_owned()),
        ],
        key in prop::sample::select(KEYS),
    ) {
        for quantity in report(key, &number).as_deref().map(suggested).unwrap_or_default() {
            prop_assert!(!number.contains("nan") && !number.contains("inf"), "{quantity}");
            prop_assert!(quantity.starts_with(|c: char| c.is_ascii_digit()), "{number}: {quantity}");
            if !quantity.ends_with("words") && !quantity.ends_with('m') {
                prop_assert!(can_be_read(key, &quantity), "{key} = {number}: {quantity} cannot be read");
            }
        }
    }

    #[test]
    fn a_speed_that_is_suggested_has_the_number_that_was_written(
        number in prop::sample::select(vec!["1", "2", "4", "8", "16", "3", "10", "2.5", "0.5"]),
        unit in prop::sample::select(vec!["G", "GFC", "gfc", "Gb", "Gbps", "Gb/s", " GFC", "M", "MFC", "MB/s", "k", "T", "TFC", ""]),
    ) {
        let written = format!("{number}{unit}");
        for speed in report("loop.speed", &written).as_deref().map(suggested).unwrap_or_default() {
            prop_assert_eq!(&speed, &format!("{number}GFC"), "{}", written);
            prop_assert!(!unit.contains(['M', 'k', 'T']), "{written}: {speed}");
        }
    }
}

#[test]
fn what_a_first_use_met() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("workload.size", "4k", &["4 KiB"]),
        ("drives.transfer_rate", "100 Mbps", &["12.5 MB/s"]),
        ("workload.size", "nan", &[]),
        ("workload.size", "1e6", &["1000000 B"]),
        ("workload.size", "1e6 B", &["1000000 B"]),
        ("workload.size", "1,5 KiB", &[]),
        ("drives.access_time", "5 usec", &["5 us"]),
    ];
    for (key, written, expected) in cases {
        let report = report(key, written).unwrap_or_default();
        assert_eq!(suggested(&report), *expected, "{key}={written}: {report}");
    }
    for (key, quantity) in
        [("drives.capacity", "1 TB"), ("drives.capacity", "2 PiB"), ("drives.transfer_rate", "1 TB/s")]
    {
        assert_eq!(report(key, quantity), None);
    }
}
