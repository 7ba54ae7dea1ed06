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
fn the_example_of_the_reference_is_a_correct_scenario() {
    let page = sansim_scenario::reference();
    let example =
        page.split("```").nth(1).and_then(|block| block.strip_prefix("toml\n")).expect("a block of TOML");
    if let Err(report) = sansim_scenario::Scenario::parse(example, "reference") {
        panic!("{report}");
    }
}
