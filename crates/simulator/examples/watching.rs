//! The cost of observation, for the benchmarks: `watching SCENARIO HOW IOS [FILE]` prints a JSON object.
//!
//! HOW: `off` (no observer), `stepped` (the same without frame bursts), `tables` (I/Os, tenancies, samples), `reference` (the reference
//! loop without observers), `trace` (the reference loop with everything traced to FILE), `capture`, `timeline` (to FILE, by default
//! /dev/null).

use sansim_component::NetworkModel;
use sansim_observe::capture::CaptureOptions;
use sansim_observe::observers::WatchOptions;
use sansim_observe::timeline::TimelineOptions;
use sansim_observe::trace::TraceOptions;
use sansim_scenario::Scenario;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::samples::Sampling;
use sansim_simulator::{RunFlow, RunOptions, run};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, how, ios, rest @ ..] = arguments.as_slice() else {
        return Err("usage: watching SCENARIO HOW IOS [FILE]".into());
    };
    let set = [("run.measured_ios".to_owned(), ios.clone())];
    let scenario = Scenario::load_file(Path::new(scenario), &set).map_err(|report| report.to_string())?;
    let mut options = RunOptions::default();
    let file = rest.first().map_or(PathBuf::from("/dev/null"), PathBuf::from);
    match how.as_str() {
        "off" => {}
        "tables" => {
            options.recording = RecordingOptions { ios: true, sampling: Sampling::Automatic };
            options.watch.tenancies = true;
        }
        "stepped" => options.loop_model = NetworkModel::Stepped,
        "reference" => options.loop_model = NetworkModel::Reference,
        "trace" => {
            options.loop_model = NetworkModel::Reference;
            options.watch =
                WatchOptions { trace: Some((file, TraceOptions::default())), ..WatchOptions::default() };
        }
        "capture" => {
            options.watch =
                WatchOptions { capture: Some((file, CaptureOptions::default())), ..WatchOptions::default() };
        }
        "timeline" => {
            options.watch = WatchOptions {
                timeline: Some((file, TimelineOptions::default())),
                ..WatchOptions::default()
            };
        }
        other => return Err(format!("no such way of watching: {other}").into()),
    }
    let begin = std::time::Instant::now();
    let result = run(&scenario, &options, &mut |_| RunFlow::Continue)?;
    let trace = result.watched.trace.as_ref();
    let (bytes, edges) = trace.map_or((0, 0), |trace| (trace.file.bytes, trace.edges));
    let file = result.watched.capture.as_ref().map(|(file, _)| file).or(result.watched.timeline.as_ref());
    // The time includes writing the complete file.
    print(begin.elapsed().as_secs_f64(), bytes + file.map_or(0, |file| file.bytes), edges);
    Ok(())
}

fn print(wall_s: f64, bytes: u64, edges: u64) {
    println!("{{\"wall_s\": {wall_s}, \"bytes\": {bytes}, \"edges\": {edges}}}");
}
