//! One engine under one load, once: `sansim-bench ENGINE LOAD EVENTS` prints the events handled in a wall second.
//!
//! The first tenth of EVENTS is not timed. Engines: `ours`, `ours-probed` (with a probe that counts every event), `heap`,
//! `simcore`. Loads: `hold-N`, `timeouts-N`, `tandem`.
#![forbid(unsafe_code)]

mod heap;
mod load;
mod ours;
mod simcore_peer;

use load::{Engine, Model};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

/// Events per wall second of `step`, which handles one event.
fn rate(events: u64, mut step: impl FnMut()) -> f64 {
    (0..events / 10).for_each(|_| step());
    let start = Instant::now();
    (0..events).for_each(|_| step());
    events as f64 / start.elapsed().as_secs_f64()
}

fn model_rate<E: Engine>(engine: E, load: &Load, events: u64) -> (f64, E) {
    let mut model = match *load {
        Load::Hold(n) => Model::hold(engine, n, false),
        Load::Timeouts(n) => Model::hold(engine, n, true),
        Load::Tandem => Model::tandem(engine),
    };
    let rate = rate(events, || model.step());
    black_box(model.check());
    (rate, model.engine)
}

enum Load {
    Hold(u32),
    Timeouts(u32),
    Tandem,
}

impl Load {
    fn parse(text: &str) -> Option<Load> {
        match text.split_once('-') {
            None if text == "tandem" => Some(Load::Tandem),
            Some(("hold", n)) => n.parse().ok().map(Load::Hold),
            Some(("timeouts", n)) => n.parse().ok().map(Load::Timeouts),
            _ => None,
        }
    }
}

fn run(arguments: &[String]) -> Option<f64> {
    let [engine, load, events] = arguments else { return None };
    let (load, events) = (Load::parse(load)?, events.parse().ok()?);
    match engine.as_str() {
        "ours" => Some(model_rate(ours::Ours::new(), &load, events).0),
        "ours-probed" => {
            let (rate, engine) = model_rate(ours::Ours::probed(), &load, events);
            black_box(engine.seen());
            Some(rate)
        }
        "heap" if !matches!(load, Load::Timeouts(_)) => {
            Some(model_rate(heap::Heap::default(), &load, events).0)
        }
        "simcore" => {
            let simulation = match load {
                Load::Hold(n) => simcore_peer::hold(n, false),
                Load::Timeouts(n) => simcore_peer::hold(n, true),
                Load::Tandem => simcore_peer::tandem(),
            };
            Some(rate(events, || assert!(simulation.step())))
        }
        _ => None,
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Some(rate) => {
            println!("{rate:.0}");
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("usage: sansim-bench ours|ours-probed|heap|simcore hold-N|timeouts-N|tandem EVENTS");
            ExitCode::from(2)
        }
    }
}
