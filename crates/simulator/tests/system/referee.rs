//! The referee compares the results of some forty short runs with the results that were recorded before.
//!
//! All output of a run is compared: each figure of the summary by its value, each column of the tables, the analyzer trace, the
//! capture and each column of the timeline by a hash. Every run is made on both loops, which have to give the same result. A
//! change that is meant to change no result, such as a reorganisation of the code, can thus be seen to change none, and a change
//! of the model shows its effect.
//!
//! * `referee/model.txt` is the recorded result of the model; `referee/events.txt` is the number of events on each loop,
//!   which concerns only the engine and is compared by a test of its own.
//! * After an intended change, record the results again and look at the difference of the files before it is
//!   committed: `SANSIM_RECORD=model cargo test -p sansim-simulator --test system
//!   referee::` (or `events`, or `model,events`).
//! * `SANSIM_KEEP=FOLDER` keeps the traces, captures and timelines in that folder, so that two versions can be
//!   compared.
//! * When a figure is only renamed, [`RENAMED`] maps the new name to the recorded name.

mod cases;
mod said;

use crate::common::load;
use cases::{CASES, Case};
use said::{Line, Renamed, said};
use sansim_component::NetworkModel;
use sansim_observe::capture::{CaptureOptions, MonitoredPoints};
use sansim_observe::observers::WatchOptions;
use sansim_observe::timeline::TimelineOptions;
use sansim_observe::trace::TraceOptions;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::samples::Sampling;
use sansim_simulator::{RunFlow, RunOptions};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The names that have changed since the recording: the new name, then the recorded name. A name is a part of the name of a figure,
/// column or quantity, or several parts with dots between; or a whole text of a figure or timeline, with `PART = ` before it if only
/// names that end with PART are meant.
const RENAMED: Renamed = &[("kind = host", "kind = controller")];

/// The result of a run on one loop, and its number of events.
struct Run {
    lines: Vec<Line>,
    events: u64,
}

/// The results of a case on both loops.
struct Outcome {
    case: &'static Case,
    fast: Run,
    reference: Run,
}

/// All cases, run once for all tests of this file.
static OUTCOMES: LazyLock<Vec<Outcome>> = LazyLock::new(|| {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut outcomes = Vec::new();
        while let Some(case) = CASES.get(next.fetch_add(1, Ordering::Relaxed)) {
            let [fast, reference] =
                [NetworkModel::Fast, NetworkModel::Reference].map(|model| run(case, model));
            outcomes.push(Outcome { case, fast, reference });
        }
        outcomes
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    let mut outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a case ends")).collect()
    });
    outcomes.sort_by_key(|outcome| CASES.iter().position(|case| case.name == outcome.case.name));
    outcomes
});

/// The folder for the files of a run, which is removed again unless it is to be kept.
struct Folder(PathBuf, bool);

impl Folder {
    fn new(case: &Case, model: NetworkModel) -> Self {
        let name = format!("{}-{model:?}", case.name);
        let (path, keep) = match std::env::var_os("SANSIM_KEEP") {
            Some(folder) => (PathBuf::from(folder).join(name), true),
            None => {
                (std::env::temp_dir().join(format!("sansim-referee-{}-{name}", std::process::id())), false)
            }
        };
        std::fs::create_dir_all(&path).expect("a folder for the files");
        Self(path, keep)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.1 {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// Runs a case with everything that can be recorded.
fn run(case: &Case, loop_model: NetworkModel) -> Run {
    let folder = Folder::new(case, loop_model);
    let place = |name: &str| folder.0.join(name);
    // Only on the reference loop does every port handle every word.
    let traces = loop_model == NetworkModel::Reference;
    let watch = WatchOptions {
        tenancies: true,
        paths: true,
        trace: traces.then(|| (place("trace.txt"), TraceOptions { states: true, ..Default::default() })),
        capture: Some((
            place("capture.pcapng"),
            CaptureOptions { points: MonitoredPoints::All, ..Default::default() },
        )),
        timeline: Some((
            place("timeline.pftrace"),
            TimelineOptions { counters: true, signals: true, ..Default::default() },
        )),
        playback: Some((place("playback.sansim"), Default::default())),
        force: true,
    };
    let recording = RecordingOptions { ios: true, sampling: Sampling::Automatic };
    let options = RunOptions { loop_model, recording, watch, ..RunOptions::default() };
    let result =
        sansim_simulator::run(&load(case.scenario, &case.overrides()), &options, &mut |_| RunFlow::Continue)
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    Run { lines: said(&result, RENAMED), events: result.run.events }
}

/// The path of a file of records in the folder of this test.
fn record(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/system/referee").join(name).with_extension("txt")
}

/// Whether the record with this name is to be written again instead of compared.
fn writes(name: &str) -> bool {
    std::env::var("SANSIM_RECORD").is_ok_and(|wish| wish.split(',').any(|word| word == name))
}

/// A record as text: a heading for each case, then a line for each of its results.
fn as_text<'a>(head: &str, cases: impl Iterator<Item = (&'a str, &'a [Line])>) -> String {
    let mut text = format!("# {head}\n# Written by tests/referee.rs, which says how.\n");
    for (case, lines) in cases {
        text += &format!("\n[{case}]\n");
        lines.iter().for_each(|line| text += &format!("{} = {}\n", line.name, line.value));
    }
    text
}

/// The lines of a record by case.
fn parse(text: &str) -> HashMap<&str, Vec<Line>> {
    let mut cases: HashMap<&str, Vec<Line>> = HashMap::new();
    let mut case = "";
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            case = name;
        } else if let Some((name, value)) = line.split_once(" = ") {
            cases.entry(case).or_default().push(Line::new(name, value));
        }
    }
    cases
}

/// All differences between the recorded lines and the present lines.
fn differences(case: &str, recorded: &[Line], now: &[Line]) -> Vec<String> {
    let by_name =
        |lines: &[Line]| lines.iter().map(|l| (l.name.clone(), l.value.clone())).collect::<HashMap<_, _>>();
    let (recorded_by_name, now_by_name) = (by_name(recorded), by_name(now));
    let mut found = Vec::new();
    for Line { name, value } in recorded {
        match now_by_name.get(name) {
            None => found.push(format!("{case}: {name} is gone, it was {value}")),
            Some(now) if now != value => found.push(format!("{case}: {name} was {value}, is {now}")),
            Some(_) => {}
        }
    }
    for Line { name, value } in now.iter().filter(|line| !recorded_by_name.contains_key(&line.name)) {
        found.push(format!("{case}: {name} is new, {value}"));
    }
    found
}

/// Fails if there are differences, and prints the first differences of each case, because later ones mostly follow
/// from them.
fn assert_none(what: &str, found: &[Vec<String>]) {
    let count: usize = found.iter().map(Vec::len).sum();
    let mut text = String::new();
    for found in found {
        found.iter().take(MOST_TOLD).for_each(|line| text += &format!("{line}\n"));
        if found.len() > MOST_TOLD {
            text += &format!("  and {} more of this case\n", found.len() - MOST_TOLD);
        }
    }
    assert!(
        count == 0,
        "{count} {what}:\n{text}The head of tests/referee.rs says what to do if this was meant."
    );
}

/// The most differences that are reported for a case.
const MOST_TOLD: usize = 20;

/// Compares the results with a record, or writes the record.
fn judge<'a>(record_name: &str, head: &str, cases: Vec<(&'a str, &'a [Line])>) {
    let path = record(record_name);
    if writes(record_name) {
        std::fs::write(&path, as_text(head, cases.into_iter())).expect("the record can be written");
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut recorded = parse(&text);
    let mut found = Vec::new();
    for (case, lines) in cases {
        found.push(differences(case, &recorded.remove(case).unwrap_or_default(), lines));
    }
    found.extend(recorded.keys().map(|case| vec![format!("{case}: there is no such case any more")]));
    assert_none(&format!("differences from {}", path.display()), &found);
}

#[test]
fn every_figure_table_and_file_is_as_it_was_recorded() {
    let cases = OUTCOMES.iter().map(|outcome| (outcome.case.name, outcome.reference.lines.as_slice()));
    judge("model", "What the simulator says of the runs of the referee.", cases.collect());
}

#[test]
fn the_fast_loop_says_what_the_reference_loop_says() {
    let mut found = Vec::new();
    for Outcome { case, fast, reference } in OUTCOMES.iter() {
        let of_both: Vec<Line> =
            reference.lines.iter().filter(|l| !l.name.starts_with("trace")).cloned().collect();
        found.push(differences(case.name, &of_both, &fast.lines));
    }
    assert_none("differences, from what the reference loop says to what the fast loop does", &found);
}

#[test]
fn the_engine_takes_as_many_events_as_recorded() {
    let lines: Vec<(&str, Vec<Line>)> = OUTCOMES
        .iter()
        .map(|Outcome { case, fast, reference }| {
            let of = |name: &str, run: &Run| Line::new(name, &run.events.to_string());
            (case.name, vec![of("fast", fast), of("reference", reference)])
        })
        .collect();
    let head = "Events of the runs of the referee. They may change without a change of the model.";
    judge("events", head, lines.iter().map(|(case, lines)| (*case, lines.as_slice())).collect());
}

#[test]
fn no_two_cases_have_one_name_or_are_one_run() {
    for (number, case) in CASES.iter().enumerate() {
        for other in &CASES[..number] {
            assert!(case.name != other.name && (case.scenario, case.set) != (other.scenario, other.set));
        }
    }
}

#[test]
fn what_changed_is_told_apart_from_what_is_new_and_what_is_gone() {
    let recorded = parse("# a comment\n\n[one]\nfigure.a = 1\nfigure.b = x y\nfigure.c = 3\n");
    let now = [Line::new("figure.a", "2"), Line::new("figure.b", "x y"), Line::new("figure.d", "4")];
    assert_eq!(
        differences("one", &recorded["one"], &now),
        ["one: figure.a was 1, is 2", "one: figure.c is gone, it was 3", "one: figure.d is new, 4"]
    );
}

#[test]
fn what_is_renamed_is_compared_by_its_recorded_name_and_numbers_are_not() {
    let renamed = [("loop.waiting", "loop"), ("host", "controller")];
    let check = |now: [&str; 2], recorded: [&str; 2]| {
        assert_eq!(Line::new(now[0], now[1]).recorded(&renamed), Line::new(recorded[0], recorded[1]));
    };
    check(["ledger.loop.waiting.mean", "7"], ["ledger.loop.mean", "7"]);
    check(["kind", "\"host\""], ["kind", "\"controller\""]);
    let of_a_kind = [("kind = host", "kind = controller")];
    let host = Line::new("components.host.kind", "\"host\"").recorded(&of_a_kind);
    assert_eq!(host, Line::new("components.host.kind", "\"controller\""), "a name that is equal stays");
    assert_eq!(Line::new("title", "\"host\"").recorded(&of_a_kind), Line::new("title", "\"host\""));
    check(["loop.waiting_for", "\"a host\""], ["loop.waiting_for", "\"a host\""]);
}
