//! The generated files in `docs` are those of the present source.

use std::path::Path;

fn committed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

const HINT: &str = "run `cargo run -p sansim-scenario --example generate` and commit the result";

#[test]
fn the_committed_schema_is_the_present_one() {
    assert_eq!(committed("scenario.schema.json"), format!("{:#}\n", sansim_scenario::schema()), "{HINT}");
}

#[test]
fn the_committed_reference_is_the_present_one() {
    assert_eq!(committed("scenario-reference.md"), sansim_scenario::reference(), "{HINT}");
}

#[test]
fn the_examples_of_the_reference_are_correct_scenarios() {
    let page = sansim_scenario::reference();
    let examples: Vec<&str> =
        page.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("toml\n")).collect();
    assert_eq!(examples.len(), 2);
    for example in examples {
        if let Err(report) = sansim_scenario::Scenario::parse(example, "reference") {
            panic!("{report}");
        }
    }
}
