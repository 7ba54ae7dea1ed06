//! Systems with two paths to every device, whose adapters fail and are repaired.

use sansim_kernel::{Span, Time};
use sansim_schema::words::Word;
use sansim_simulator::RunResult;
use std::fmt::Write as _;

/// An event: microsecond, action, target.
pub type Event<'a> = (u64, &'a str, &'a str);

pub fn events(events: &[Event]) -> String {
    events.iter().fold(String::new(), |mut text, (us, what, whom)| {
        let _ = writeln!(text, "[[event]]\nat = \"{us} us\"\ndo = \"{what}\"\nwhat = \"{whom}\"");
        text
    })
}

/// A host with two adapters on two loops to two drives with two ports, for 40 ms.
pub fn two_ways(host: &str, right: &str, happens: &[Event]) -> String {
    format!(
        r#"
        [run]
        duration = "40 ms"
        warm_up = "0 ns"
        [left]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host.adapters.a", "disks.adapters.a"]
        [right]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host.adapters.b", "disks.adapters.b"]
        [host]
        kind = "host"
        {host}
        driver.completion_time = "5 us"
        [host.adapters.a]
        command_time = "10 us"
        commands_in_execution = 1
        [host.adapters.b]
        command_time = "10 us"
        [disks]
        kind = "drives"
        count = 2
        access_time = "20 us"
        transfer_rate = "600 MB/s"
        concurrency = 4
        [disks.adapters.a]
        response_time = "10 us"
        [disks.adapters.b]
        response_time = "10 us"
        {right}
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "16 KiB"
        queue_depth = 4
        read_fraction = 0.5
        {}
        "#,
        events(happens)
    )
}

/// For each measured I/O, in the order of their ends, its begin and end and whether it used the left and the right loop.
pub fn by_loop(result: &RunResult) -> Vec<(Time, Time, [bool; 2])> {
    let one = |number: usize| {
        let row = &result.ios.rows[number];
        let was_on = |name: &str| {
            let mut lines =
                result.ios.dwells_of_io(number).iter().map(|stay| result.names.line_name(stay.line));
            lines.any(|line| line.starts_with(name))
        };
        (row.completed - row.response, row.completed, ["left.", "right."].map(was_on))
    };
    (0..result.ios.len()).map(one).collect()
}

/// The number of I/Os on each loop.
pub fn counts(ios: &[(Time, Time, [bool; 2])]) -> [usize; 2] {
    [0, 1].map(|on| ios.iter().filter(|io| io.2[on]).count())
}

pub fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

pub fn policies() -> Vec<&'static str> {
    sansim_component::policy::PolicyName::ALL.iter().map(|&(_, word, _)| word).collect()
}

/// A host has two loops to a controller with two fronts, and the controller has two loops to its drives.
pub fn behind_a_controller(host: &str, array: &str, happens: &str) -> String {
    let mut text = String::new();
    for (name, from, to) in [
        ("left", "host.adapters.a", "array.fronts.a"),
        ("right", "host.adapters.b", "array.fronts.b"),
        ("inner", "array.backs.a", "disks.adapters.a"),
        ("outer", "array.backs.b", "disks.adapters.b"),
    ] {
        let _ = write!(
            text,
            "[{name}]\nkind = \"arbitrated-loop\"\nspeed = \"2GFC\"\nstations = [\"{from}\", \"{to}\"]\n"
        );
    }
    format!(
        r#"
        [run]
        duration = "30 ms"
        warm_up = "0 ns"
        {text}
        [host]
        kind = "host"
        {host}
        [host.adapters.a]
        [host.adapters.b]
        [array]
        kind = "controller"
        to = ["disks"]
        processor_time = "5 us"
        {array}
        [array.fronts.a]
        [array.fronts.b]
        [array.backs.a]
        [array.backs.b]
        [disks]
        kind = "drives"
        count = 3
        access_time = "20 us"
        transfer_rate = "600 MB/s"
        concurrency = 4
        [disks.adapters.a]
        [disks.adapters.b]
        [load]
        kind = "closed"
        from = "host"
        to = ["array"]
        size = "16 KiB"
        queue_depth = 3
        read_fraction = 0.5
        {happens}
        "#
    )
}
