//! What can be described and not simulated yet is refused before a run.

use std::path::Path;

use sansim_describe::codes;
use sansim_scenario::Scenario;
use sansim_system::build::not_built;

fn load(file: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(file);
    Scenario::load(path, &[]).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn what_the_engine_does_not_know_is_refused_and_one_loop_is_not() {
    for file in ["two-loops.toml", "controller-two-loops.toml", "mirror.toml", "direct.toml"] {
        let report = not_built(&load(file)).unwrap_or_else(|| panic!("{file} can be simulated"));
        assert_eq!(report.problems[0].code, codes::NOT_BUILT, "{report}");
    }
    for file in ["wang-2005-base.toml", "four-disks.toml", "long-loop.toml"] {
        assert!(not_built(&load(file)).is_none(), "{file}");
    }
}
