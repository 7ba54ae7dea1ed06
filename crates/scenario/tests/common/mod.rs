//! Common parts of the tests of scenarios: the files of the repository, and components by their kinds.
#![allow(dead_code, reason = "not every test uses everything")]

pub mod told;

use std::path::{Path, PathBuf};

use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_scenario::kinds::{DriveGroup, HostKind, PassiveGroup};
use sansim_scenario::{KindParameters, ProblemReport, Scenario};
use sansim_workload::closed::WorkloadParameters;

/// A scenario of the repository.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name)
}

/// Reads the named scenario with overrides.
pub fn load(name: &str, overrides: &[(&str, &str)]) -> Scenario {
    Scenario::load_file(file(name), &owned(overrides)).unwrap_or_else(|report| panic!("{report}"))
}

/// Overrides as owned strings.
pub fn owned(overrides: &[(&str, &str)]) -> Vec<(String, String)> {
    overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// Parses a text that has to be correct.
pub fn parse(text: &str) -> Scenario {
    Scenario::parse_text(text, "text").unwrap_or_else(|report| panic!("{report}"))
}

/// The report on a text that has to be refused.
pub fn refused(text: &str) -> String {
    Scenario::parse_text(text, "text").expect_err("it must be refused").to_string()
}

/// Compares a report with the file of this name in `tests/messages`. With `UPDATE_MESSAGES=1` the file is rewritten.
pub fn expect(name: &str, result: Result<Scenario, ProblemReport>) {
    let text = result.expect_err("the case must be refused").to_string();
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        std::fs::write(&path, &text).expect("the file of the message can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "message {name} differs from {}", path.display());
}

/// Makes a function for each kind of component that returns the component with a name.
macro_rules! by_kind {
    ($($(#[doc = $doc:literal])* $name:ident: $variant:ident($type:ty) $(, $of:tt)?;)*) => {
        $($(#[doc = $doc])*
        pub fn $name<'s>(scenario: &'s Scenario, name: &str) -> &'s $type {
            match scenario.component_named(name) {
                Some(KindParameters::$variant(found)) => &found$(.$of)?,
                other => panic!("{name}: {other:?}"),
            }
        })*
    };
}

by_kind! {
    /// A loop.
    network: ArbitratedLoop(LoopParameters), 0;
    /// A host.
    host: Host(HostKind);
    /// A group of drives.
    drives: Drives(DriveGroup);
    /// A group of passive ports.
    passive: Passive(PassiveGroup);
    /// A workload.
    workload: Closed(WorkloadParameters);
}

/// The names and addresses of all stations of a loop.
pub fn stations(scenario: &Scenario, number: usize) -> Vec<(&str, u8)> {
    let stations = scenario.graph.loops[number].stations.iter();
    stations.map(|station| (station.name.as_str(), station.address.value() as u8)).collect()
}

/// The addresses of the stations of a component on the first loop.
pub fn al_pas(scenario: &Scenario, component: &str) -> Vec<u8> {
    let is_its = |station: &&sansim_scenario::graph::GraphStation| {
        scenario.components[station.component].name == component
    };
    let stations = scenario.graph.loops[0].stations.iter().filter(is_its);
    stations.map(|station| station.address.value() as u8).collect()
}

/// The AL_PA with this value.
pub fn al_pa(byte: u8) -> AlPa {
    AlPa::new(byte).expect("a legal address")
}
