//! Any text as a scenario: no panic; every problem has a line; what is accepted can be written down and read again.
//! What follows a zero byte is taken as an override, `key=value`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sansim_scenario::Scenario;

fuzz_target!(|text: &str| {
    let (text, set) = text.split_once('\0').unwrap_or((text, ""));
    let set: Vec<(String, String)> =
        set.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).into_iter().collect();
    match Scenario::parse_with(text, "fuzz.toml", &set) {
        Ok(scenario) => {
            let again = Scenario::parse_text(&scenario.to_toml(), "resolved.toml");
            assert_eq!(again.as_ref(), Ok(&scenario), "a resolved scenario reads back the same");
        }
        Err(report) => {
            assert!(!report.problems.is_empty() && report.problems.iter().all(|problem| problem.line() >= 1));
            let _ = report.to_string();
        }
    }
});
