//! The reference page: every key with its unit, range, default, meaning and source, made from the tables of the components.

use sansim_describe::page;
use sansim_describe::units::Dimension;

use crate::codes;
use crate::kinds::{KINDS, RESERVED};

/// What stands before the tables.
const HEAD: &str = r#"# Scenario reference

This page is generated from the source; `cargo run -p sansim-scenario --example generate` rewrites it.

A scenario is a TOML file. Every table at the top level is a component: its name is the table's name, and its `kind`
says what it is. The names `title`, `description`, `run` and `fcp` are reserved. Components refer to each other by
name. The smallest useful scenario:

```toml
[loop]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host", "drives"]

[host]
kind = "host"

[drives]
kind = "drives"
count = 16
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[workload]
kind = "closed"
from = "host"
to = "drives"
size = "64 KiB"
```

One loop, one or more hosts, one or more groups of drives, one or more workloads and any number of passive groups
make a scenario. A key that is left out takes its default; a key that is not in this reference is an error.

Any value can be replaced on the command line by `--set key=value`, with the dotted path of the key: `--set
workload.size=16KiB`, `--set drives.port.incoming_buffers=4`. A value that is valid TOML counts as that, any other as text.

## Quantities

A quantity is a number and a unit in quotes, with or without a space between them: `"64 KiB"`, `"43.9us"`. The number is
decimal, may have `_` between digits, and has no sign and no exponent. K, M, G, T and P are powers of 1000, Ki, Mi, Gi,
Ti and Pi of 1024; B is a byte, and there are no bits. Other spellings (`4k`, `100 Mbps`, `5 usec`) are refused with
the quantity that they mean. A bare number where a unit is needed is an
error, and so is a unit of the wrong kind.

Numbers are read exactly and rounded once, to the nearest: times to the clock tick of 1/561 ns (in which every
nanosecond and the word of every Fibre Channel rate is whole), rates to bytes per second, lengths to micrometres,
propagation delays to picoseconds per metre, percentages to millionths. Sizes must be whole bytes. Picoseconds are
accepted only where they are a whole number of ticks. A number of words is multiplied by the word time of the loop.

"#;

/// The reference of every key, as Markdown.
pub fn reference() -> String {
    let mut page = HEAD.to_owned();
    let dimensions = [
        Dimension::Time,
        Dimension::Words,
        Dimension::Size,
        Dimension::Rate,
        Dimension::Length,
        Dimension::Propagation,
        Dimension::Share,
    ];
    page::quantities(&mut page, &dimensions);
    page.push_str("\n`K`, `M`, `G` are powers of ten, `Ki`, `Mi`, `Gi` powers of two.\n");
    for reserved in RESERVED {
        let Some(table) = &reserved.table else { continue };
        page::section(&mut page, table.title, reserved.name, None, &(table.describe)());
    }
    for kind in KINDS {
        let mut title = kind.noun.trim_start_matches("a ").to_owned();
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        page::section(&mut page, &title, "NAME", Some(kind.word), &(kind.describe)());
    }
    page.push_str(
        "\n## Messages\n\nAll problems of a scenario are reported at once, each with a code that never changes its meaning.\n\n",
    );
    page::codes(&mut page, &codes::all());
    page
}
