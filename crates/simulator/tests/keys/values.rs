//! Other values for a key: from the form of its values, and from its present value.

use crate::listed::Key;
use crate::tables;

/// The values of quantities, by the word that describes the quantity.
const POOLS: &[(&str, &[&str])] = &[
    ("true or false", &["true", "false"]),
    ("whole number", &["0", "1", "2", "3", "4", "8", "64"]),
    ("number,", &["0.0", "0.3", "0.5", "1.0", "2.0", "5.0"]),
    ("words", &["\"3 words\"", "\"30 words\""]),
    ("time", &["\"0 ns\"", "\"5 us\"", "\"200 us\"", "\"2 ms\"", "\"20 ms\"", "\"300 ms\"", "\"2 s\""]),
    ("size", &["\"512 B\"", "\"4 KiB\"", "\"64 KiB\"", "\"1 MiB\"", "\"32 MiB\""]),
    ("number per second", &["\"10/s\"", "\"1000/s\"", "\"100000/s\""]),
    ("rate", &["\"1 MB/s\"", "\"20 MB/s\"", "\"400 MB/s\""]),
    ("percentage", &["\"1 %\"", "\"10 %\"", "\"50 %\"", "\"90 %\""]),
    ("length", &["\"100 m\"", "\"20 km\""]),
    ("propagation", &["\"20 ns/m\""]),
];

/// The values to try, beginning with the most promising. Some of these values may not be allowed for this
/// key.
pub fn of(key: &Key, now: Option<&str>) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for (name, own) in tables::VALUES {
        if tables::is_it(key, name) {
            values.extend(own.iter().map(|&value| value.to_owned()));
        }
    }
    values.extend(key.words.iter().map(|word| format!("\"{word}\"")));
    values.extend(quoted(&key.written));
    values.extend(now.into_iter().flat_map(other_lists));
    for now in [now, key.default].into_iter().flatten() {
        values.extend(scaled(now));
    }
    for (noun, pool) in POOLS {
        if key.written.contains(noun) {
            values.extend(pool.iter().map(|&value| value.to_owned()));
        }
    }
    let mut seen = std::collections::HashSet::new();
    values.retain(|value| Some(value.as_str()) != now && seen.insert(value.clone()));
    values
}

/// The words in quotes in a description.
fn quoted(written: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in written.split('`').skip(1).step_by(2) {
        if part.starts_with('"') && part.ends_with('"') && part.len() > 2 {
            found.push(part.to_owned());
        }
    }
    found
}

/// A list in reverse order, and without its last entry.
fn other_lists(value: &str) -> Vec<String> {
    let Some(inner) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return Vec::new();
    };
    let items: Vec<&str> = inner.split(", ").collect();
    if items.len() < 2 || inner.contains('[') {
        return Vec::new();
    }
    let reversed: Vec<&str> = items.iter().rev().copied().collect();
    vec![format!("[{}]", reversed.join(", ")), format!("[{}]", items[..items.len() - 1].join(", "))]
}

/// Half of a number, twice and ten times the number, with its unit.
fn scaled(value: &str) -> Vec<String> {
    let (quote, inner) = match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => ("\"", inner),
        None => ("", value),
    };
    let end = inner.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(inner.len());
    let (number, unit) = inner.split_at(end);
    let Ok(number) = number.parse::<f64>() else { return Vec::new() };
    let is_whole = !inner[..end].contains('.');
    let times = [2.0, 0.5, 10.0, 0.1];
    times
        .iter()
        .map(|times| number * times)
        .filter(|number| !is_whole || !unit.is_empty() || number.fract() == 0.0)
        .map(|number| {
            let text = if is_whole && number.fract() == 0.0 {
                format!("{number:.0}")
            } else {
                format!("{number:?}")
            };
            format!("{quote}{text}{unit}{quote}")
        })
        .collect()
}
