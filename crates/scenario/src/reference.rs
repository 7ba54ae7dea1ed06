//! The reference page: every key with its unit, range, default, meaning and source, made from the tables of the components.

use sansim_schema::page;
use sansim_schema::units::Dimension;

use crate::codes;
use crate::reserved::{Holds, RESERVED};
use sansim_registry::KINDS;

/// The text before the tables.
const HEAD: &str = r#"# Scenario reference

This page is generated from the source; `cargo run -p sansim-scenario --example generate` rewrites it.

A scenario is a TOML file. Every table at the top level is a component: its name is the table's name, and its `kind`
says what it is. The names `title`, `description`, `run`, `fcp`, `event` and `templates` are reserved. Components refer to each other by
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

Any number of components of each kind make a scenario; at least one host, one group of drives and one workload. A key that is left out takes its default; a key that is not in this reference is an error.

Any value can be replaced on the command line by `--set key=value`, with the dotted path of the key: `--set
workload.size=16KiB`, `--set drives.port.incoming_buffers=4`. A value that is valid TOML counts as that, any other as text.

## How components are joined

* `stations` of a loop lists the components whose ports stand on it, in the order in which words pass them. A group stands there with all its
  members, side by side. A component with several adapters lists each by its name: `host.adapters.a`, `bridge.front`. A port stands on one loop.
* `from` and `to` of a workload name the host that its I/Os go through and the devices that they are for. There has to be a path from the host to each device: a network on which
  both have ports, or a direct connection. Where there are several paths, `path` of the host names the policy that chooses one.
* `attached` of a host names devices that it asks straight, with no adapter and no network between; so does `to` of a mirror. Such devices stand on no loop, and their ports and
  adapters are not built.
* `to` of a controller names the devices behind it: those on a loop are asked through its `back` adapters, the others straight. It presents a device for each of them.
* `cards` of a bus lists the adapters of its host or controller that are on it: `adapters.a`, `fronts.b`. An only bus without a list has all of them.
* A component that is alone and names a group is joined to all its members. Where a group names a group, each member is joined to as many of it, in their order: of twelve drives behind three arrays four to each.

## Groups

`count` makes a group of equal components: drives, arrays, caches, hosts, controllers, appliances, workloads. Four hosts that have four of sixteen drives each:

```toml
[loop]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["hosts", "drives"]

[hosts]
kind = "host"
count = 4

[drives]
kind = "drives"
count = 16
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[load]
kind = "closed"
from = "hosts"
to = "drives"
devices_each = "shares"
size = "64 KiB"
```

The members are `hosts[0]` to `hosts[3]` and `drives[0]` to `drives[15]`. A workload from a group of hosts is a group itself, `load[0]` to `load[3]`, one for each host; a `count` of its own makes so
many for each host. `devices_each` divides the devices among the workloads: `"all"`, which is the default, `"one"`, `"turns"` or `"shares"`. `to` may also choose members: `"drives[3]"` is one
drive, `"drives[4..8]"` are drives 4 to 7, `"drives[4..]"` those from drive 4 on. `hosts.count`, `load.count`, `load.to` and `load.devices_each` may be axes of a study.

## Templates

A part of a system that is there several times can be described once and used by its name:

```toml
[templates.shelf.parameters]
disks = 15

[templates.shelf.loop]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host", "disks"]

[templates.shelf.host]
kind = "host"

[templates.shelf.disks]
kind = "drives"
count = "$disks"
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[left]
kind = "shelf"

[right]
kind = "shelf"
disks = 30

[workload]
kind = "closed"
from = "left-host"
to = "left-disks"
size = "64 KiB"
```

It is the same as writing it out, with `left-loop`, `left-host`, `left-disks` and so on for the names within; names of components outside may be used, too. `"$disks"` stands for
the parameter of that name, which has a default and may be given where the template is used. Templates may use other templates.

`count` uses a template several times: `[shelves]` with `kind = "shelf"` and `count = 2` has the components `shelves-0-loop`, `shelves-0-host` and so on up to `shelves-1-disks`. Outside of it
`"shelves-disks"` in a list of names, or as `from` or `to` of a workload, means the disks of all of them, and `"shelves-0-disks"` those of the first. `--set shelves.count=4` and an axis of a study
change it. (A template that has a parameter `count` of its own uses that.)

## Grids

Drives with two ports on the crossings of two sets of loops (Wang 2005, figure 3.2) are described in one table:

```toml
[server]
kind = "host"

[array]
kind = "grid"
columns = 4
rows = 3
from = "server"

[array.loop]
speed = "2GFC"

[array.drive]
access_time = "2 ms"
transfer_rate = "50 MiB/s"

[load]
kind = "closed"
from = "server"
to = "array"
size = "64 KiB"
```

It is the same as writing out twelve drives `array-1-1` (column 1, row 1) to `array-4-3`, each with a port `adapters.main` on the loop of its column, `array-column-1` to
`array-column-4`, and a port `adapters.redundant` on that of its row, `array-row-1` to `array-row-3`; and, at the host that `from` names, an adapter of each of these names. The
redundant ports are `access = "non-optimised"`: they are taken only when the main way fails; `drive.adapters.redundant.access = "optimised"` lets `path` of the host choose among
both. `drive` may be of another kind, and `loop` too; `adapter` is what all the host's adapters have in common. Components that name `array` name all its drives.

## Quantities

A quantity is a number and a unit in quotes, with or without a space between them: `"64 KiB"`, `"43.9us"`. The number is
decimal, may have `_` between digits, and has no sign and no exponent. K, M, G, T and P are powers of 1000, Ki, Mi, Gi,
Ti and Pi of 1024; B is a byte, and there are no bits. Other spellings (`4k`, `100 Mbps`, `5 usec`) are refused with
the quantity that they mean. A bare number where a unit is needed is an
error, and so is a unit of the wrong kind.

Numbers are read exactly and rounded once, to the nearest: times to the clock tick of 1/561 ns (in which every
nanosecond and the word of every Fibre Channel rate is whole), rates to bytes per second, lengths to micrometres,
propagation delays to picoseconds per metre, percentages to millionths, numbers per second to millionths per second. Sizes must be whole bytes. Picoseconds are
accepted only where they are a whole number of ticks. A number of words is multiplied by the word time of the loop.

"#;

/// The reference of every key, as Markdown.
pub fn key_reference() -> String {
    let mut page = HEAD.to_owned();
    let dimensions = [
        Dimension::Time,
        Dimension::Words,
        Dimension::Size,
        Dimension::Rate,
        Dimension::Length,
        Dimension::Propagation,
        Dimension::Share,
        Dimension::Frequency,
    ];
    page::append_quantities(&mut page, &dimensions);
    page.push_str("\n`K`, `M`, `G` are powers of ten, `Ki`, `Mi`, `Gi` powers of two.\n");
    for reserved in RESERVED {
        match &reserved.holds {
            Holds::Table(table) => {
                page::append_table_section(&mut page, table.title, reserved.name, None, &(table.describe)());
            }
            // The tables are in a list, so the heading has a second pair of brackets.
            Holds::Tables(table) => {
                let listed = format!("[{}]", reserved.name);
                page::append_table_section(&mut page, table.title, &listed, None, &(table.describe)());
            }
            Holds::Text | Holds::Format | Holds::Templates => {}
        }
    }
    for kind in KINDS {
        let mut title = kind.noun.trim_start_matches("a ").to_owned();
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        page::append_table_section(&mut page, &title, "NAME", Some(kind.word), &(kind.describe)());
    }
    page.push_str(
        "\n## Messages\n\nAll problems of a scenario are reported at once, each with a code that never changes its meaning.\n\n",
    );
    page::append_codes(&mut page, &codes::all_codes());
    page
}
