//! Drives that are described by a data sheet, in whole systems.

use sansim_scenario::Scenario;
use sansim_simulator::summary::Summary;
use sansim_simulator::{RunFlow, RunOptions};

/// Runs the example with these keys.
fn run(keys: &[(&str, &str)]) -> Summary {
    let set: Vec<(String, String)> =
        keys.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let file = crate::common::repository("scenarios/data-sheet.toml");
    let scenario = Scenario::load_file(&file, &set).unwrap_or_else(|report| panic!("{report}"));
    sansim_simulator::run(&scenario, &RunOptions::default(), &mut |_| RunFlow::Continue)
        .expect("it runs")
        .summary
}

/// With queue depth 4 a random read of 4 KiB takes 13.4 ms in the data sheet, so that eight drives complete 8 * 4
/// / 13.4 ms.
#[test]
fn a_drive_with_a_steady_queue_carries_out_as_many_as_its_data_sheet_says() {
    let summary =
        run(&[("workload.size", "4 KiB"), ("workload.read_fraction", "1.0"), ("workload.queue_depth", "4")]);
    let sheet = 8.0 * 4.0 / 0.0134;
    // The remaining response time is in driver, adapters and loop, during which the drive sometimes has one
    // command less.
    assert!(summary.iops < sheet && summary.iops > 0.98 * sheet, "{} of {sheet}", summary.iops);
    let access = summary.ledger_ns.mean.value_named("drives.drive_response").copied().unwrap_or(0.0);
    assert!((access / 13.4e6 - 1.0).abs() < 0.02, "{access}");
}

#[test]
fn commands_in_sequence_take_the_times_of_those() {
    let keys = [
        ("workload.size", "64 KiB"),
        ("workload.read_fraction", "1.0"),
        ("workload.queue_depth", "1"),
        ("workload.pattern", "sequential"),
    ];
    let access = run(&keys).ledger_ns.mean.value_named("drives.drive_response").copied().unwrap_or(0.0);
    assert!((access / 0.8e6 - 1.0).abs() < 0.01, "{access}");
}

#[test]
fn a_drive_that_fails_answers_with_failures() {
    let file = crate::common::repository("scenarios/data-sheet.toml");
    let event = "\n[[event]]\nat = \"20 ms\"\ndo = \"fail\"\nwhat = \"drives[1]\"\n";
    let folder = crate::common::repository("scenarios");
    let text = std::fs::read_to_string(file).expect("the example") + event;
    let sheet = folder.join("data-sheet.csv");
    let text = text.replace("\"data-sheet.csv\"", &format!("{:?}", sheet.display().to_string()));
    let scenario = Scenario::parse_text(&text, "fails.toml").unwrap_or_else(|report| panic!("{report}"));
    let ran = sansim_simulator::run(&scenario, &RunOptions::default(), &mut |_| RunFlow::Continue)
        .expect("it runs");
    assert!(ran.summary.failed_ios > 0);
}
