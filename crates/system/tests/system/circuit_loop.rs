//! Loops that carry circuits (`fidelity = "circuit"`) against the same loops in words.
//!
//! `cargo test -p sansim-system --test circuit_loop -- --nocapture` prints the errors; docs/model/circuit-loop.md has them as a table.

use crate::common::text::{run, scenario};
use sansim_system::RunResult;

/// What is different from case to case.
#[derive(Clone, Debug)]
struct Case {
    speed: &'static str,
    drives: u32,
    depth: u32,
    size: &'static str,
    reads: f64,
    cable: &'static str,
    ios: u64,
    more: &'static str,
    host: &'static str,
    drive: &'static str,
    medium: &'static str,
}

const ALONE: Case = Case {
    speed: "2GFC",
    drives: 1,
    depth: 1,
    size: "4 KiB",
    reads: 1.0,
    cable: "0 m",
    ios: 50,
    more: "",
    host: "",
    drive: "",
    medium: "model = \"ram\"\ntransfer_rate = \"1 TB/s\"",
};

impl Case {
    fn text(&self, fidelity: &str) -> String {
        let Case { speed, drives, depth, size, reads, cable, ios, more, host, drive, medium } = self;
        format!(
            "[run]\nmeasured_ios = {ios}\nwarm_up = 2\n\
             [loop]\nkind = \"arbitrated-loop\"\nspeed = \"{speed}\"\ncable = \"{cable}\"\nfidelity = \"{fidelity}\"\n\
             stations = [\"host\", \"drives\"]\n{more}\n\
             [host]\nkind = \"host\"\n{host}\n\
             [drives]\nkind = \"drives\"\ncount = {drives}\n{medium}\n{drive}\n\
             [load]\nkind = \"closed\"\nfrom = \"host\"\nto = \"drives\"\nsize = \"{size}\"\nread_fraction = {reads:?}\nqueue_depth = {depth}\n"
        )
    }

    fn both(&self) -> [RunResult; 2] {
        ["words", "circuit"].map(|fidelity| run(&self.text(fidelity)))
    }
}

fn mean(result: &RunResult) -> f64 {
    result.summary.response_time_ns.figure.mean
}

#[test]
fn explore() {
    for reads in [1.0, 0.0] {
        for size in ["512 B", "2 KiB", "4 KiB", "64 KiB", "1 MiB"] {
            for cable in ["0 m", "100 m", "1 km"] {
                for port in ["", "port.login_credit = 3"] {
                    let case = Case { reads, size, cable, host: port, drive: port, ..ALONE };
                    let [words, circuit] = case.both();
                    let word = 40.0 / 2.125;
                    println!(
                        "{reads} {size:>8} {cable:>6} {port:>22}: {:>12.1} {:>12.1} ns: {:+.2} words {:+.3} %",
                        mean(&words),
                        mean(&circuit),
                        (mean(&circuit) - mean(&words)) / word,
                        100.0 * (mean(&circuit) / mean(&words) - 1.0)
                    );
                }
            }
        }
    }
    let _ = scenario;
}

#[test]
fn sweep() {
    let ram = ALONE.medium;
    let slow = "model = \"fixed\"\ntransfer_rate = \"40 MB/s\"";
    for (name, medium) in [("ram", ram), ("fixed", slow)] {
        for (what, host, drive) in [
            ("half", "", ""),
            (
                "credit",
                "port.login_credit = 2\nport.incoming_buffers = 4",
                "port.login_credit = 2\nport.incoming_buffers = 4",
            ),
            ("full", "port.full_duplex = true", "port.full_duplex = true"),
            ("dhd", "port.dynamic_half_duplex = true", "port.dynamic_half_duplex = true"),
            ("unfair", "schedule = \"unfair\"", ""),
            ("command", "schedule = \"command-first\"", ""),
        ] {
            for (drives, depth) in [(1, 1), (1, 8), (8, 1), (8, 8), (60, 2)] {
                for (size, reads) in
                    [("4 KiB", 1.0), ("4 KiB", 0.0), ("64 KiB", 1.0), ("64 KiB", 0.0), ("64 KiB", 0.5)]
                {
                    let case = Case {
                        reads,
                        size,
                        host,
                        drive,
                        drives,
                        depth,
                        medium,
                        ios: 1000,
                        cable: "10 m",
                        ..ALONE
                    };
                    let [words, circuit] = case.both();
                    let used = |r: &RunResult| {
                        r.summary
                            .components
                            .0
                            .iter()
                            .find(|c| c.0 == "loop")
                            .map(|c| {
                                serde_json::to_value(&c.1).unwrap()["utilisation"].as_f64().unwrap_or(-1.0)
                            })
                            .unwrap()
                    };
                    println!(
                        "{name:>5} {what:>7} {drives:>2}x{depth} {size:>6} {reads}: iops {:>8.0} {:+.2} %  mean {:>10.0} {:+.2} %  used {:.3} {:+.3} events {} {}",
                        words.summary.iops,
                        100.0 * (circuit.summary.iops / words.summary.iops - 1.0),
                        mean(&words),
                        100.0 * (mean(&circuit) / mean(&words) - 1.0),
                        used(&words),
                        used(&circuit) - used(&words),
                        words.run.events / 1000,
                        circuit.run.events / 1000
                    );
                }
            }
        }
    }
}
