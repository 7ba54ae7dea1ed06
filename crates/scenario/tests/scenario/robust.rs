//! Tests with arbitrary text: the parser does not panic, every problem has a line, and every accepted scenario can be written and read
//! again.

use proptest::prelude::*;
use sansim_scenario::Scenario;

const BASE: &str = include_str!("../../../../scenarios/wang-2005-base.toml");

/// A file with every form: loops, adapters with names, a controller, a mirror, direct attachment, templates, events.
const GRAPH: &str = r#"title = "Everything"
[run]
measured_ios = 100
[[event]]
at = "1 ms"
do = "fail"
what = "copies[1]"
[templates.shelf.parameters]
disks = 2
to = "host"
[templates.shelf.disks]
kind = "drives"
count = "$disks"
model = "ram"
transfer_rate = "50 MiB/s"
[templates.shelf.load]
kind = "closed"
from = "$to"
to = ["disks", "copies"]
size = "4 KiB"
[left]
kind = "shelf"
[right]
kind = "shelf"
disks = 3
[front]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host.adapters.a", "bridge.front", "left-disks", "right-disks"]
[back]
kind = "arbitrated-loop"
speed = "1GFC"
port_delay = "3 words"
stations = ["bridge.back", "disks", "host.adapters.b"]
[host]
kind = "host"
attached = "copies"
path = "round-robin"
[host.adapters.a]
[host.adapters.b.port]
delay = "2 words"
[bridge]
kind = "controller"
to = ["disks", "pair"]
[disks]
kind = "drives"
count = 2
access_time = "2 ms"
transfer_rate = "50 MiB/s"
[pair]
kind = "mirror"
to = "members"
[members]
kind = "drives"
count = 2
model = "ram"
transfer_rate = "50 MiB/s"
[copies]
kind = "drives"
count = 3
model = "ram"
transfer_rate = "50 MiB/s"
[load]
kind = "closed"
from = "host"
to = ["bridge", "disks"]
size = "4 KiB"
"#;

/// The files that are changed at random.
const FILES: [&str; 2] = [BASE, GRAPH];

/// Parses a text, and checks the properties that hold for any text.
fn survives(text: &str, overrides: &[(String, String)]) -> Result<(), TestCaseError> {
    match Scenario::parse_with(text, "any.toml", overrides) {
        Ok(scenario) => {
            let resolved = scenario.to_toml();
            let again = Scenario::parse_text(&resolved, "resolved.toml");
            prop_assert_eq!(again.map_err(|report| report.to_string()), Ok(scenario), "{}", resolved);
        }
        Err(report) => {
            prop_assert!(!report.problems.is_empty());
            let lines = text.split('\n').count();
            for problem in &report.problems {
                prop_assert!((1..=lines).contains(&problem.line()), "{problem}");
                prop_assert!(problem.column() >= 1);
                prop_assert!(!problem.message.is_empty());
                // The caret is below characters that are shown.
                prop_assert!(problem.at.caret <= problem.at.text.chars().count(), "{problem}");
            }
            prop_assert!(!report.to_string().chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        }
    }
    Ok(())
}

/// Cuts a text into words, punctuation and blanks.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut previous = 2;
    for c in text.chars() {
        match tokens.last_mut() {
            Some(last) if class(c) == previous && previous != 2 => last.push(c),
            _ => tokens.push(c.to_string()),
        }
        previous = class(c);
    }
    tokens
}

/// A token that makes sense somewhere in a scenario, or nowhere.
fn token() -> impl Strategy<Value = String> {
    let known: Vec<String> =
        FILES.into_iter().flat_map(tokens).filter(|token| !token.trim().is_empty()).collect();
    prop_oneof![
        4 => prop::sample::select(known),
        1 => "[0-9]{1,25}",
        1 => "[a-z_]{1,12}",
        1 => prop::sample::select(vec!["=", "\"", "[", "]", "[[", "{", "}", "\n", ",", "'''", "\"\"\"", "#", "\\", "\u{e9}", "-1", "1e9", "inf", "\0"])
            .prop_map(str::to_owned),
    ]
}

/// One change of a list of tokens.
fn change() -> impl Strategy<Value = (u8, prop::sample::Index, prop::sample::Index, String)> {
    (0u8..4, any::<prop::sample::Index>(), any::<prop::sample::Index>(), token())
}

/// Values for the keys of the base system, most of them valid.
fn setting() -> impl Strategy<Value = (String, String)> {
    let time = || {
        prop_oneof![
            (0u64..5_000).prop_map(|n| format!("{n} ns")),
            (0u64..5_000, 0u64..1_000).prop_map(|(n, d)| format!("{n}.{d:03} us")),
            (0u64..100, 0u64..10_000).prop_map(|(n, d)| format!("{n}.{d:04}ns")),
        ]
    };
    let words_or_time =
        || prop_oneof![time(), (0u64..50, 0u64..1000).prop_map(|(n, d)| format!("{n}.{d:03} words"))];
    let size = || {
        (1u64..5_000, prop::sample::select(vec!["B", "KB", "KiB"]))
            .prop_map(|(n, unit)| format!("{n} {unit}"))
    };
    let split = || prop_oneof![Just("whole".to_owned()), size()];
    let flag = || any::<bool>().prop_map(|flag| flag.to_string());
    let small = || (1u32..100).prop_map(|n| n.to_string());
    let word = |words: &'static [&'static str]| prop::sample::select(words).prop_map(str::to_owned);
    let key = |keys: &'static [&'static str]| prop::sample::select(keys).prop_map(str::to_owned);
    let distribution = prop_oneof![
        time(),
        time().prop_map(|mean| format!("{{ distribution = \"exponential\", mean = \"{mean}\" }}")),
        (time(), time()).prop_map(|(low, high)| format!(
            "{{ distribution = \"uniform\", low = \"{low}\", high = \"{high}\" }}"
        )),
        (time(), time()).prop_map(|(mean, deviation)| {
            format!("{{ distribution = \"normal\", mean = \"{mean}\", deviation = \"{deviation}\" }}")
        }),
    ];
    prop_oneof![
        (
            key(&[
                "controller.driver.arrival_time",
                "controller.driver.completion_time",
                "controller.adapter.message_time",
                "controller.adapter.command_time",
                "controller.adapter.xfer_rdy_time",
                "drives.adapter.response_time",
                "drives.adapter.dma_setup_time",
                "drives.adapter.frame_time",
                "drives.adapter.single_frame_time",
                "workload.think_time",
            ]),
            time()
        ),
        (
            key(&[
                "loop.port_delay",
                "controller.port.delay",
                "drives.port.delay",
                "drives.port.frame_reaction"
            ]),
            words_or_time()
        ),
        (key(&["workload.size", "controller.adapter.request_bytes", "fcp.command_payload"]), size()),
        (key(&["drives.burst", "drives.read_sequence"]), split()),
        (
            key(&[
                "controller.port.full_duplex",
                "drives.port.close_after_frames",
                "drives.fair",
                "controller.command_first_queue",
                "controller.command_first_arbitration",
                "controller.command_first_preemption",
            ]),
            flag()
        ),
        (
            key(&[
                "drives.count",
                "drives.concurrency",
                "drives.port.incoming_buffers",
                "controller.port.login_credit",
                "workload.queue_depth",
                "run.seed",
                "run.warm_up",
                "controller.driver.outstanding_limit",
            ]),
            small()
        ),
        (
            key(&["run.precision"]),
            prop_oneof![
                Just("off".to_owned()),
                (1u64..5000).prop_map(|n| format!("{}.{:02} %", n / 100, n % 100))
            ]
        ),
        (key(&["run.precision_of"]), word(&["response-time", "iops", "bytes-per-second", "p50", "p99.9"])),
        (key(&["run.most_ios"]), (8_000u64..100_000).prop_map(|n| n.to_string())),
        (key(&["loop.speed"]), word(&["1GFC", "2GFC", "4GFC", "8GFC"])),
        (
            key(&["loop.word_time"]),
            prop_oneof![Just("exact".to_owned()), (1u64..60).prop_map(|n| format!("{n} ns"))]
        ),
        (key(&["loop.medium"]), word(&["fibre", "copper"])),
        (key(&["loop.propagation"]), (4u64..9, 0u64..1000).prop_map(|(n, d)| format!("{n}.{d:03} ns/m"))),
        (key(&["loop.cable", "drives.port.cable"]), (0u64..5_000).prop_map(|n| format!("{n} cm"))),
        (key(&["controller.schedule"]), word(&["fair", "unfair", "command-first"])),
        (key(&["drives.model"]), word(&["disk", "ram"])),
        (key(&["drives.access_time"]), distribution),
        (
            key(&["drives.transfer_rate", "drives.adapter.dma_bandwidth"]),
            (1u64..5_000).prop_map(|n| format!("{n} MB/s"))
        ),
        (key(&["workload.read_fraction"]), (0.0..=1.0).prop_map(|f: f64| f.to_string())),
        (key(&["workload.queue_depth_per"]), word(&["drive", "all"])),
        (key(&["controller.port.al_pa"]), word(&["auto", "01", "EF", "4A", "00"])),
        (key(&["title", "description"]), any::<String>()),
    ]
}

#[test]
fn a_fault_between_cr_and_lf_has_its_caret_at_the_end_of_the_line() {
    survives("title = \"\r\nnext = 1", &[]).expect("a caret within its line");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        survives(&text, &[])?;
    }

    #[test]
    fn any_text_of_toml_characters(text in "[a-z\\[\\]{}=\"'#., \n\\\\0-9_\t-]{0,200}") {
        survives(&text, &[])?;
    }

    #[test]
    fn any_bytes_in_the_middle_of_a_good_file(file in prop::sample::select(&FILES[..]), at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 0..12)) {
        let (mut mutated, at) = (file.as_bytes().to_vec(), at.index(file.len()));
        mutated.splice(at..at, bytes);
        survives(&String::from_utf8_lossy(&mutated), &[])?;
    }

    #[test]
    fn a_good_file_with_changed_tokens(file in prop::sample::select(&FILES[..]), changes in prop::collection::vec(change(), 1..6)) {
        let mut list = tokens(file);
        for (how, at, other, token) in changes {
            let (at, other) = (at.index(list.len()), other.index(list.len()));
            match how {
                0 => drop(list.remove(at)),
                1 => list.insert(at, list[other].clone()),
                2 => list[at] = token,
                _ => list.swap(at, other),
            }
        }
        survives(&list.concat(), &[])?;
    }

    #[test]
    fn a_good_file_with_changed_lines(file in prop::sample::select(&FILES[..]), changes in prop::collection::vec((0u8..3, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6)) {
        let mut lines: Vec<&str> = file.lines().collect();
        for (how, at, other) in changes {
            let (at, other) = (at.index(lines.len()), other.index(lines.len()));
            match how {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[other]),
                _ => lines.swap(at, other),
            }
        }
        survives(&lines.join("\n"), &[])?;
    }

    #[test]
    fn any_overrides(overrides in prop::collection::vec((any::<String>(), any::<String>()), 1..4)) {
        survives(BASE, &overrides)?;
    }

    #[test]
    fn any_values_for_known_keys(
        overrides in prop::collection::vec((setting(), prop_oneof![any::<String>(), "[0-9a-zA-Z. \"{}\\[\\]=,]{0,20}"]), 1..4)
    ) {
        let overrides: Vec<(String, String)> = overrides.into_iter().map(|((key, _), value)| (key, value)).collect();
        survives(BASE, &overrides)?;
    }

    #[test]
    fn what_is_written_reads_back_the_same(overrides in prop::collection::vec(setting(), 0..20)) {
        survives(BASE, &overrides)?;
    }
}

#[test]
fn most_of_the_generated_settings_are_valid() {
    // Without this check the round trip above might test nothing.
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut valid = 0;
    for _ in 0..200 {
        let overrides =
            prop::collection::vec(setting(), 0..6).new_tree(&mut runner).expect("settings").current();
        valid += usize::from(Scenario::parse_with(BASE, "base", &overrides).is_ok());
    }
    assert!(valid > 100, "{valid} of 200");
}

#[test]
fn more_workloads_than_can_be_ranked_are_refused() {
    let mut text = r#"
[l]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["c", "d"]
[c]
kind = "host"
[d]
kind = "drives"
model = "ram"
transfer_rate = "50 MB/s"
"#
    .to_owned();
    for number in 0..10_001 {
        text += &format!("[w{number}]\nkind=\"closed\"\nfrom=\"c\"\nto=\"d\"\nsize=\"4 KiB\"\n");
    }
    let report = Scenario::parse_text(&text, "many").expect_err("too many");
    assert_eq!(report.problems.len(), 1, "{report}");
    assert_eq!(report.problems[0].message, "10001 workloads, but 10000 are the most");
    assert_eq!(report.problems[0].key, "w10000");
    let fewer = text.rsplit_once("[w10000]").expect("the last").0;
    assert_eq!(Scenario::parse_text(fewer, "many").expect("few enough").graph.routes.len(), 10_000);
}

#[test]
fn the_files_that_are_changed_are_correct() {
    for file in FILES {
        if let Err(report) = Scenario::parse_text(file, "file") {
            panic!("{report}");
        }
    }
}
