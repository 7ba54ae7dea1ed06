//! The analysis of many designs: a scenario with thousands of combinations of values.

use super::seen::Seen;
use super::{Analysis, StationLoad, analyse_among};
use sansim_scenario::Scenario;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Keys with their values, as `--set` accepts them.
pub type KeySettings = Vec<(String, String)>;

/// A scenario from which a search begins.
#[derive(Clone, Debug, Default)]
pub struct BaseScenario {
    /// The text of the design.
    pub text: String,
    /// The name of the design in messages.
    pub name: String,
    /// The folder of the files that the design names.
    pub folder: PathBuf,
}

/// The input of a search.
#[derive(Clone, Debug, Default)]
pub struct DesignSearch {
    /// The scenarios from which the search begins.
    pub bases: Vec<BaseScenario>,
    /// The choices, each with the settings of its options.
    pub choices: Vec<Vec<KeySettings>>,
    /// The designs: the number of the base, and the option of each choice.
    pub designs: Vec<(usize, Vec<usize>)>,
    /// The percentile of response times that the search uses; without one it uses the mean.
    pub percentile: Option<f64>,
}

/// A design that was analysed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Design {
    /// The first problem of the design's scenario, if it cannot be built.
    pub problem: Option<String>,
    /// I/Os per second of all workloads; null if more requests arrive than complete.
    pub iops: Option<f64>,
    /// The mean response time of all I/Os.
    pub mean_ns: Option<f64>,
    /// The response time that the search uses, over all I/Os: the mean, or the largest of the percentiles of
    /// workloads.
    pub response_ns: Option<f64>,
    /// The I/Os per second and that response time, by workload.
    pub workloads: Vec<(String, Option<f64>, Option<f64>)>,
    /// The component with the highest utilisation.
    pub fullest: Option<String>,
    /// The server with the highest utilisation within that component.
    pub fullest_server: &'static str,
    /// The utilisation of that server.
    pub taken: f64,
    /// The number of reasons to doubt the prediction.
    pub doubts: usize,
    /// The first reason to doubt the prediction.
    pub doubt: Option<String>,
}

/// Analyses designs, on all processors; the results are in the order in which the designs were given, whatever the
/// order of the computation.
pub fn designs(search: &DesignSearch) -> Vec<Design> {
    let seen = Seen::default();
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Design>> = Mutex::new(vec![Design::default(); search.designs.len()]);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((base, options)) = search.designs.get(number) else { return };
            let design = search.design(*base, options, &seen);
            found.lock().unwrap_or_else(PoisonError::into_inner)[number] = design;
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..processors.min(search.designs.len()) {
            scope.spawn(work);
        }
        work();
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl DesignSearch {
    fn design(&self, base: usize, options: &[usize], seen: &Seen) -> Design {
        let Some(BaseScenario { text, name, folder }) = self.bases.get(base) else {
            return Design { problem: Some(format!("there is no scenario {base}")), ..Design::default() };
        };
        let chosen = self.choices.iter().zip(options).filter_map(|(choice, &option)| choice.get(option));
        let mut settings = KeySettings::new();
        for (key, value) in chosen.flatten() {
            // Later choices replace earlier choices of the same key.
            settings.retain(|(before, _)| before != key);
            settings.push((key.clone(), value.clone()));
        }
        match Scenario::parse_in(folder, text, name, &settings, "what is chosen") {
            Ok(scenario) => Design::of(&analyse_among(&scenario, seen), self.percentile),
            Err(report) => {
                let first =
                    report.problems.first().map(|problem| format!("{}: {}", problem.key, problem.message));
                Design { problem: Some(first.unwrap_or_else(|| report.to_string())), ..Design::default() }
            }
        }
    }
}

impl Design {
    fn of(analysis: &Analysis, percentile: Option<f64>) -> Self {
        let workloads: Vec<(String, Option<f64>, Option<f64>)> = analysis
            .workloads
            .0
            .iter()
            .map(|(name, of)| {
                let response = percentile.map_or(of.response_ns, |p| of.percentile_ns(p));
                (name.clone(), of.iops, response)
            })
            .collect();
        let largest = || workloads.iter().filter_map(|&(.., response)| response).max_by(f64::total_cmp);
        let all_known = workloads.iter().all(|(.., response)| response.is_some());
        let response_ns = match percentile {
            None => analysis.response_ns,
            Some(_) if all_known => largest(),
            Some(_) => None,
        };
        let fullest: Option<&StationLoad> = analysis.stations.first();
        Self {
            problem: None,
            iops: analysis.iops,
            mean_ns: analysis.response_ns,
            response_ns,
            fullest: fullest.map(|station| station.component.clone()),
            fullest_server: fullest.map_or("", |station| station.server),
            taken: fullest.map_or(0.0, |station| station.taken),
            doubts: analysis.outside.len(),
            doubt: analysis.outside.first().cloned(),
            workloads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse;

    const TEXT: &str = r#"
[run]
measured_ios = 100
[loop]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["host", "drives"]
[host]
kind = "host"
schedule = "unfair"
[drives]
kind = "drives"
count = 4
access_time = "4 ms"
transfer_rate = "100 MB/s"
[load]
kind = "closed"
from = "host"
to = ["drives"]
size = "16 KiB"
queue_depth = 2
"#;

    fn options(key: &str, values: &[&str]) -> Vec<KeySettings> {
        values.iter().map(|value| vec![(key.to_owned(), (*value).to_owned())]).collect()
    }

    fn search(choices: Vec<Vec<KeySettings>>, designs: Vec<Vec<usize>>) -> DesignSearch {
        let base = BaseScenario { text: TEXT.to_owned(), name: "text".to_owned(), folder: PathBuf::new() };
        let designs = designs.into_iter().map(|options| (0, options)).collect();
        DesignSearch { bases: vec![base], choices, designs, percentile: None }
    }

    #[test]
    fn each_design_is_what_its_scenario_is_by_itself_in_the_order_in_which_they_were_given() {
        let counts = ["1", "2", "3", "4", "5", "6", "7", "8"];
        let of = search(
            vec![options("drives.count", &counts)],
            (0..counts.len()).rev().map(|n| vec![n]).collect(),
        );
        let found = designs(&of);
        for (design, count) in found.iter().zip(counts.iter().rev()) {
            let set = [("drives.count".to_owned(), (*count).to_owned())];
            let Ok(scenario) = Scenario::parse_with(TEXT, "text", &set) else { panic!("{count} drives") };
            let alone = analyse(&scenario);
            assert_eq!((design.iops, design.mean_ns), (alone.iops, alone.response_ns), "{count} drives");
            assert_eq!(design.fullest.as_deref(), Some(alone.stations[0].component.as_str()));
        }
    }

    #[test]
    fn what_is_chosen_later_counts() {
        let both =
            search(vec![options("drives.count", &["2"]), options("drives.count", &["8"])], vec![vec![0, 0]]);
        let one = search(vec![options("drives.count", &["8"])], vec![vec![0]]);
        assert_eq!(designs(&both), designs(&one));
    }

    #[test]
    fn a_design_that_cannot_be_says_why_and_the_others_are_worked_out() {
        let found = designs(&search(vec![options("drives.count", &["0", "4"])], vec![vec![0], vec![1]]));
        assert_eq!(found[0].problem.as_deref(), Some("load.to: `load` has no drive to go to"));
        assert_eq!(found[0].iops, None);
        assert!(found[1].problem.is_none() && found[1].iops > Some(500.0), "{found:?}");
    }

    #[test]
    fn what_workloads_ask_for_is_looked_at_once_for_all_designs_in_which_it_is_the_same() {
        let looks = |key: &str, values: &[&str]| {
            let of = search(vec![options(key, values)], Vec::new());
            let seen = Seen::default();
            (0..values.len()).for_each(|option| drop(of.design(0, &[option], &seen)));
            seen.observation_count()
        };
        assert_eq!(looks("loop.speed", &["\"1GFC\"", "\"2GFC\"", "\"4GFC\""]), 1);
        assert_eq!(looks("drives.access_time", &["\"1 ms\"", "\"2 ms\""]), 1);
        assert_eq!(looks("load.size", &["\"8 KiB\"", "\"64 KiB\""]), 2);
        assert_eq!(looks("drives.count", &["2", "4"]), 2);
    }
}
