//! Checks scenario files and prints the resolved scenarios: `cargo run -p sansim-scenario --example check -- FILE [key=value]...`. The
//! example is for trying out messages without the rest of the program.

use std::process::ExitCode;

use sansim_scenario::Scenario;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: check FILE [key=value]...");
        return ExitCode::from(2);
    };
    let overrides: Vec<(String, String)> = arguments
        .map(|argument| {
            let (key, value) = argument.split_once('=').unwrap_or((&argument, ""));
            (key.to_owned(), value.to_owned())
        })
        .collect();
    match Scenario::load_file(path, &overrides) {
        Ok(scenario) => {
            print!("{}", scenario.to_toml());
            ExitCode::SUCCESS
        }
        Err(report) => {
            eprint!("{report}");
            ExitCode::from(2)
        }
    }
}
