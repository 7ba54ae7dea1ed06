//! Writing of numbers with a unit: exactly, in the unit that makes them short.

use crate::units::{Unit, decimal_in, unit_named};

/// The value with the largest of the units in which it is a short exact decimal.
pub fn in_largest_unit(value: u64, names: &[&str], decimals: u32) -> Option<String> {
    names.iter().filter_map(|name| unit_named(name)).find_map(|unit| {
        let large_enough = value * unit.denominator >= unit.numerator;
        let text = if large_enough { decimal_in(value, unit, decimals, true) } else { None };
        text.map(|text| format!("{text} {}", unit.name))
    })
}

/// The value with the unit in which it has the fewest digits, so that 50000 KiB/s do not become 51200 KB/s; among equals the first of the
/// units.
pub fn in_shortest_unit(value: u64, names: &[&str], decimals: u32) -> Option<String> {
    let written = |unit: &Unit| {
        let large_enough = value * unit.denominator >= unit.numerator;
        if large_enough { decimal_in(value, unit, decimals, true) } else { None }
    };
    let counting = |text: &str| text.replace('.', "").trim_end_matches('0').len();
    names
        .iter()
        .filter_map(|name| unit_named(name))
        .filter_map(|unit| Some((written(unit)?, unit)))
        .min_by_key(|(text, _)| counting(text))
        .map(|(text, unit)| format!("{text} {}", unit.name))
}

/// A span as it is written in a scenario; it parses to the same number of ticks.
pub fn write_time(ticks: u64) -> String {
    in_largest_unit(ticks, &["s", "ms", "us", "ns"], 3)
        .or_else(|| {
            unit_named("ns").and_then(|ns| decimal_in(ticks, ns, 4, false)).map(|text| format!("{text} ns"))
        })
        .unwrap_or_else(|| "0 ns".to_owned())
}

/// A number of bytes as it is written in a scenario.
pub fn write_size(bytes: u64) -> String {
    in_largest_unit(bytes, &["PiB", "TiB", "GiB", "MiB", "KiB", "B"], 0)
        .unwrap_or_else(|| format!("{bytes} B"))
}

/// A number of bytes per second as it is written in a scenario.
pub fn write_rate(rate: u64) -> String {
    in_shortest_unit(rate, &["TB/s", "TiB/s", "GB/s", "GiB/s", "MB/s", "MiB/s", "KB/s", "KiB/s", "B/s"], 3)
        .unwrap_or_else(|| format!("{rate} B/s"))
}
