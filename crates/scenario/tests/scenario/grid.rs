//! Tests that a grid is the same as writing out its drives, its loops and the adapters of its host.

use sansim_scenario::Scenario;

const GRID: &str = r#"
[server]
kind = "host"

[array]
kind = "grid"
columns = 2
rows = 3
from = "server"

[array.loop]
speed = "2GFC"

[array.adapter]
command_time = "20 us"

[array.drive]
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[load]
kind = "closed"
from = "server"
to = ["array"]
size = "64 KiB"
"#;

fn parse(text: &str) -> Scenario {
    Scenario::parse_text(text, "test").unwrap_or_else(|report| panic!("{report}"))
}

fn refused(change: (&str, &str)) -> String {
    Scenario::parse_text(&GRID.replace(change.0, change.1), "test").expect_err("it is wrong").to_string()
}

fn written_out() -> String {
    let mut text = "[server]\nkind = \"host\"\n".to_owned();
    let drives: Vec<(usize, usize)> = (1..=2).flat_map(|c| (1..=3).map(move |r| (c, r))).collect();
    for ring in ["column-1", "column-2", "row-1", "row-2", "row-3"] {
        text += &format!("adapters.array-{ring}.command_time = \"20 us\"\n");
    }
    for (c, r) in &drives {
        text += &format!(
            "[array-{c}-{r}]\nkind = \"drives\"\ncount = 1\naccess_time = \"2 ms\"\ntransfer_rate = \"50 MiB/s\"\n\
             adapters.main = {{}}\nadapters.redundant.access = \"non-optimised\"\n"
        );
    }
    let ring = |name: &str, port: &str, stands: Vec<&(usize, usize)>| {
        let drives: Vec<String> =
            stands.iter().map(|(c, r)| format!("\"array-{c}-{r}.adapters.{port}\"")).collect();
        format!(
            "[array-{name}]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"server.adapters.array-{name}\", {}]\n",
            drives.join(", ")
        )
    };
    for column in 1..=2 {
        text +=
            &ring(&format!("column-{column}"), "main", drives.iter().filter(|(c, _)| *c == column).collect());
    }
    for row in 1..=3 {
        text += &ring(&format!("row-{row}"), "redundant", drives.iter().filter(|(_, r)| *r == row).collect());
    }
    let all: Vec<String> = drives.iter().map(|(c, r)| format!("\"array-{c}-{r}\"")).collect();
    text + &format!(
        "[load]\nkind = \"closed\"\nfrom = \"server\"\nto = [{}]\nsize = \"64 KiB\"\n",
        all.join(", ")
    )
}

#[test]
fn a_grid_is_the_same_as_writing_it_out() {
    assert_eq!(parse(GRID).graph, parse(&written_out()).graph);
}

#[test]
fn each_drive_stands_on_one_loop_by_column_and_on_one_by_row() {
    let graph = parse(GRID).graph;
    assert_eq!(graph.loops.len(), 5);
    let stations = |number: usize| graph.loops[number].stations.len();
    assert_eq!([0, 1, 2, 3, 4].map(stations), [4, 4, 3, 3, 3]);
    assert!(graph.reaches.iter().all(|reach| reach.ways.len() == 2));
}

#[test]
fn what_is_wrong_with_a_grid_is_told() {
    let told = refused(("rows = 3", "rows = 0"));
    assert!(told.contains("`array.rows` has to be a number from 1 to 126"), "{told}");
    let told = refused(("from = \"server\"\n\n[array.loop]", "from = \"sever\"\n\n[array.loop]"));
    assert!(told.contains("there is no component `sever`"), "{told}");
    let told = refused(("rows = 3", "rows = 3\ndepth = 2"));
    assert!(told.contains("a grid has no key `depth`"), "{told}");
    let told = refused(("columns = 2\n", ""));
    assert!(told.contains("`array.columns` has to be a number"), "{told}");
}
