//! Tests that a template is the same as its expanded text.

use crate::common::{drives, host, owned, parse};
use sansim_scenario::Scenario;
use sansim_schema::report::ProblemReport;

/// Two racks, each of two shelves and a host, and the components outside of them.
const RACKS: &str = r#"
title = "Racks"

[templates.shelf.parameters]
disks = 2
on = "loop"
access = "2 ms"

[templates.shelf.disks]
kind = "drives"
count = "$disks"
access_time = { distribution = "uniform", low = "1 ms", high = "$access" }
transfer_rate = "50 MiB/s"

[templates.shelf.load]
kind = "closed"
from = "$on"
to = ["disks", "shared"]
size = "64 KiB"

[templates.rack.parameters]
upper = 3

[templates.rack.loop]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host", "top-disks", "bottom-disks", "host.adapters.b"]

[templates.rack.host]
kind = "host"
adapters.b.command_time = "3 us"
adapters.a.command_time = "1 us"

[templates.rack.top]
kind = "shelf"
disks = "$upper"
on = "host"

[templates.rack.bottom]
kind = "shelf"
access = "5 ms"
on = "host"

[west]
kind = "rack"

[east]
kind = "rack"
upper = 4

[common]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["west-host.adapters.a", "east-host.adapters.a", "shared"]

[shared]
kind = "drives"
model = "ram"
transfer_rate = "50 MiB/s"
"#;

/// The scenario of this test with its templates expanded.
fn written_out() -> String {
    let mut text = "title = \"Racks\"\n".to_owned();
    for (rack, upper) in [("west", 3), ("east", 4)] {
        text += &format!(
            "[{rack}-loop]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\n\
             stations = [\"{rack}-host\", \"{rack}-top-disks\", \"{rack}-bottom-disks\", \"{rack}-host.adapters.b\"]\n\
             [{rack}-host]\nkind = \"host\"\nadapters.b.command_time = \"3 us\"\nadapters.a.command_time = \"1 us\"\n"
        );
        for (shelf, disks, access) in [("top", upper, "2 ms"), ("bottom", 2, "5 ms")] {
            text += &format!(
                "[{rack}-{shelf}-disks]\nkind = \"drives\"\ncount = {disks}\n\
                 access_time = {{ distribution = \"uniform\", low = \"1 ms\", high = \"{access}\" }}\ntransfer_rate = \"50 MiB/s\"\n\
                 [{rack}-{shelf}-load]\nkind = \"closed\"\nfrom = \"{rack}-host\"\nto = [\"{rack}-{shelf}-disks\", \"shared\"]\nsize = \"64 KiB\"\n"
            );
        }
    }
    text + "[common]\nkind = \"arbitrated-loop\"\nspeed = \"1GFC\"\n\
            stations = [\"west-host.adapters.a\", \"east-host.adapters.a\", \"shared\"]\n\
            [shared]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"50 MiB/s\"\n"
}

/// The station of a host with several adapters is named by one of them.
fn fixed(text: &str) -> String {
    text.replace("\"host\", \"top-disks\"", "\"top-disks\"")
}

fn parsed(text: &str, set: &[(&str, &str)]) -> Result<Scenario, ProblemReport> {
    Scenario::parse_with(text, "racks", &owned(set))
}

#[test]
fn a_template_is_the_same_as_writing_it_out() {
    let out = written_out()
        .replace("\"west-host\", \"west-top", "\"west-top")
        .replace("\"east-host\", \"east-top", "\"east-top");
    let expected = parse(&out);
    assert_eq!(parse(&fixed(RACKS)), expected);
    assert_eq!(drives(&expected, "east-top-disks").count, 4);
    assert_eq!(host(&expected, "west-host").adapters.len(), 2);
    // An expanded scenario is unchanged when it is written again.
    let resolved = expected.to_toml();
    assert!(!resolved.contains("templates"), "{resolved}");
    assert_eq!(Scenario::parse_text(&resolved, "resolved"), Ok(expected));
}

#[test]
fn a_name_that_a_parameter_brings_belongs_to_who_gave_it() {
    // The shelf gets a host called `disks`, which is also the shelf's own name for its drives.
    let text =
        fixed(RACKS).replace("[templates.rack.host]", "[templates.rack.disks]").replace("\"host", "\"disks");
    let text = text
        .replace("-host.adapters.a", "-disks.adapters.a")
        .replace("kind = \"disks\"\nadapters", "kind = \"host\"\nadapters");
    let scenario = parse(&text);
    assert_eq!(crate::common::workload(&scenario, "west-top-load").from, ["west-disks"]);
    assert_eq!(crate::common::workload(&scenario, "west-top-load").to, ["west-top-disks", "shared"]);
}

#[test]
fn overrides_reach_uses_and_what_comes_of_them() {
    let text = fixed(RACKS);
    let scenario =
        parsed(&text, &[("west.upper", "7"), ("templates.rack.parameters.upper", "9")]).expect("correct");
    assert_eq!(drives(&scenario, "west-top-disks").count, 7);
    let scenario = parsed(&text, &[("west-top-disks.count", "6"), ("run.seed", "3")]).expect("correct");
    assert_eq!(
        (drives(&scenario, "west-top-disks").count, drives(&scenario, "east-top-disks").count),
        (6, 4)
    );
    assert_eq!(scenario.run.seed, 3);
    let report = parsed(&text, &[("west-topp-disks.count", "6")]).expect_err("unknown").to_string();
    assert!(report.contains("there is no component `west-topp-disks`"), "{report}");
}

#[test]
fn templates_that_would_make_too_many_components_are_refused() {
    let mut text = "[templates.t0.host]\nkind = \"host\"\n".to_owned();
    for depth in 1..20 {
        text += &format!(
            "[templates.t{depth}.a]\nkind = \"t{0}\"\n[templates.t{depth}.b]\nkind = \"t{0}\"\n",
            depth - 1
        );
    }
    let report =
        Scenario::parse_text(&format!("{text}[all]\nkind = \"t19\"\n"), "many").expect_err("too many");
    assert_eq!(report.problems.len(), 1, "{report}");
    assert!(report.to_string().contains("more than 20000 components"), "{report}");
}

#[test]
fn templates_that_stand_too_deep_within_each_other_are_refused() {
    let mut text = "[templates.t0.host]\nkind = \"host\"\n".to_owned();
    for depth in 1..500 {
        text += &format!("[templates.t{depth}.a]\nkind = \"t{}\"\n", depth - 1);
    }
    let report =
        Scenario::parse_text(&format!("{text}[all]\nkind = \"t499\"\n"), "deep").expect_err("too deep");
    assert!(report.to_string().contains("more than 32 deep"), "{report}");
}
