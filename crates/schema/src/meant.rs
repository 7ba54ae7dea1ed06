//! The intended meaning of a unit that is unknown or does not fit here: `4k`, `100 Mbps`, `5 usec`.
//!
//! A suggestion keeps the intended magnitude, or is not made: bits stay bits, milli never becomes mega, minutes become seconds. If two
//! readings are equally likely, the message names both; the case of `M` is ignored where only one of the two makes sense. No distance
//! between words is used for units: `ms` is one letter from `us`.

use crate::units::{Decimal, Dimension, Unit, unit_named};

/// A possible reading of a unit: a multiple of a unit that can be written.
struct Reading {
    unit: &'static Unit,
    numerator: u64,
    denominator: u64,
    /// The name of this reading among several, for the question; empty if there is only one.
    note: &'static str,
}

impl Reading {
    fn new(name: &str, numerator: u64, denominator: u64) -> Option<Reading> {
        Some(Reading { unit: unit_named(name)?, numerator, denominator, note: "" })
    }
}

/// The suggestion `did you mean "12.5 MB/s"?` for `100` and `Mbps`; none if the unit has no accepted meaning, or if the value cannot be
/// written exactly.
pub fn quantity(number: Decimal, unit: &str, accepts: &[Dimension]) -> Option<String> {
    let mut written: Vec<String> = Vec::new();
    for reading in readings(unit, accepts) {
        let number = number.multiply_as_text(reading.numerator, reading.denominator)?;
        // A byte has no parts, so the size must be a whole number.
        let (_, exact) = Decimal::parse(&number)
            .ok()?
            .multiply_rounded(reading.unit.numerator, reading.unit.denominator)?;
        if reading.unit.dimension == Dimension::Size && !exact {
            continue;
        }
        let note = if reading.note.is_empty() { String::new() } else { format!(" ({})", reading.note) };
        written.push(format!("\"{number} {}\"{note}", reading.unit.name));
    }
    (!written.is_empty()).then(|| format!("did you mean {}?", written.join(" or ")))
}

/// The accepted units of the same magnitude as an unknown unit, whatever they measure: `KB` for `kB`. `None` if the word is no unit in
/// common use; empty if it is a unit whose magnitude no accepted unit has, such as a bit.
pub fn units_meant(unit: &str) -> Option<Vec<&'static str>> {
    let all = [Dimension::Time, Dimension::Size, Dimension::Rate, Dimension::Length, Dimension::Propagation];
    let readings = readings(unit, &all);
    let same = readings.iter().filter(|reading| reading.numerator == reading.denominator);
    let same: Vec<&'static str> = same.map(|reading| reading.unit.name).collect();
    (!readings.is_empty()).then_some(same)
}

/// The possible meanings of a unit among the accepted dimensions.
fn readings(unit: &str, accepts: &[Dimension]) -> Vec<Reading> {
    let unit: String = unit.split_whitespace().collect();
    let unit = unit.trim_end_matches('.');
    let one = |reading: Option<Reading>| reading.into_iter().collect::<Vec<_>>();
    let read = |dimension: &Dimension| match dimension {
        Dimension::Time => one(time(unit)),
        Dimension::Words => one(words(unit)),
        Dimension::Size | Dimension::Rate => data(unit, *dimension == Dimension::Rate),
        Dimension::Length => one(length(unit)),
        Dimension::Propagation => one(propagation(unit)),
        Dimension::Share => one(share(unit)),
        Dimension::Frequency => one(frequency(unit)),
        Dimension::Speed => Vec::new(),
    };
    accepts.iter().flat_map(read).collect()
}

/// Whether a word begins with a mega prefix that cannot be a milli prefix in capitals: `Ms`, but not `MS`.
fn begins_with_mega(word: &str) -> bool {
    word.starts_with('M') && !word[1..].chars().any(char::is_uppercase)
}

fn time(unit: &str) -> Option<Reading> {
    let (name, times) = match unit.to_lowercase().as_str() {
        "s" | "sec" | "secs" | "second" | "seconds" => ("s", 1),
        "ms" | "msec" | "msecs" if begins_with_mega(unit) => return None,
        "ms" | "msec" | "msecs" | "millis" | "millisec" | "millisecond" | "milliseconds" => ("ms", 1),
        "us" | "usec" | "usecs" | "micros" | "microsec" | "microsecond" | "microseconds" => ("us", 1),
        "\u{b5}s" | "\u{b5}sec" | "\u{3bc}s" | "\u{3bc}sec" => ("us", 1),
        "ns" | "nsec" | "nsecs" | "nanos" | "nanosec" | "nanosecond" | "nanoseconds" => ("ns", 1),
        "ps" | "psec" | "psecs" | "picosecond" | "picoseconds" => ("ps", 1),
        "min" | "mins" | "minute" | "minutes" => ("s", 60),
        "h" | "hr" | "hrs" | "hour" | "hours" => ("s", 3_600),
        "d" | "day" | "days" => ("s", 86_400),
        _ => return None,
    };
    Reading::new(name, times, 1)
}

fn words(unit: &str) -> Option<Reading> {
    let lower = unit.to_lowercase();
    let meant = matches!(lower.as_str(), "w" | "wd" | "wds" | "word" | "words" | "transmissionwords");
    if meant { Reading::new("words", 1, 1) } else { None }
}

fn length(unit: &str) -> Option<Reading> {
    let (name, numerator, denominator) = match unit.to_lowercase().as_str() {
        "m" | "mm" if begins_with_mega(unit) => return None,
        "m" | "metre" | "metres" | "meter" | "meters" => ("m", 1, 1),
        "km" | "kms" | "kilometre" | "kilometres" | "kilometer" | "kilometers" => ("km", 1, 1),
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => ("cm", 1, 1),
        "mm" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => ("m", 1, 1_000),
        "inch" | "inches" => ("m", 254, 10_000),
        "ft" | "foot" | "feet" => ("m", 3_048, 10_000),
        "yd" | "yard" | "yards" => ("m", 9_144, 10_000),
        "mi" | "mile" | "miles" => ("m", 1_609_344, 1_000),
        _ => return None,
    };
    Reading::new(name, numerator, denominator)
}

fn share(unit: &str) -> Option<Reading> {
    match unit.to_lowercase().as_str() {
        "percent" | "pct" => Reading::new("%", 1, 1),
        "\u{2030}" | "permille" => Reading::new("%", 1, 10),
        "ppm" => Reading::new("%", 1, 10_000),
        _ => None,
    }
}

fn frequency(unit: &str) -> Option<Reading> {
    let lower = unit.to_lowercase();
    let (thousands, unit) = match lower.strip_prefix('k') {
        Some(rest) if rest != "hz" || unit.starts_with('k') => (1_000, rest),
        _ => (1, lower.as_str()),
    };
    match unit {
        "iops" | "io/s" | "ios/s" | "hz" | "persecond" | "ps" | "/sec" | "/second" | "1/s" => {
            Reading::new("/s", thousands, 1)
        }
        "perminute" | "/minute" | "rpm" => Reading::new("/min", thousands, 1),
        "perhour" | "/hour" | "/hr" => Reading::new("/h", thousands, 1),
        _ => None,
    }
}

/// Readings of any unit of time divided by any unit of length.
fn propagation(unit: &str) -> Option<Reading> {
    let (above, below) = unit.split_once('/')?;
    let known = |name: &str, dimension: Dimension, read: fn(&str) -> Option<Reading>| match unit_named(name) {
        Some(unit) if unit.dimension == dimension => Reading::new(name, 1, 1),
        _ => read(name),
    };
    let above = known(above, Dimension::Time, time)?;
    let below = known(below, Dimension::Length, length)?;
    // The result is in ns/m; the base units are ticks and micrometres.
    let (ns, metre) = (unit_named("ns")?, unit_named("m")?);
    let ratio = |reading: &Reading, of: &Unit| {
        (
            u128::from(reading.numerator) * u128::from(reading.unit.numerator) * u128::from(of.denominator),
            u128::from(reading.denominator) * u128::from(reading.unit.denominator) * u128::from(of.numerator),
        )
    };
    let (above, below) = (ratio(&above, ns), ratio(&below, metre));
    let (numerator, denominator) = (above.0.checked_mul(below.1)?, above.1.checked_mul(below.0)?);
    let common = greatest_common_divisor(numerator, denominator);
    let (numerator, denominator) =
        (u64::try_from(numerator / common).ok()?, u64::try_from(denominator / common).ok()?);
    Reading::new("ns/m", numerator, denominator)
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

/// The unit in which data are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Bits,
    Bytes,
    /// `mb`, `MBPS`: written without regard to capitals, by which alone bits differ from bytes.
    Either,
}

/// Bytes or bits, per second or not: `k`, `kB`, `Kb`, `kib`, `Mbps`, `Gbit/s`, `megabytes per second`.
fn data(unit: &str, per_second: bool) -> Vec<Reading> {
    let (amount, in_ps) = if per_second {
        match without_second(unit) {
            Some(found) => found,
            None => return Vec::new(),
        }
    } else {
        (unit, false)
    };
    let Some((prefix, binary, counted)) = amount_of(amount, unit, in_ps) else { return Vec::new() };
    let name = format!("{prefix}{}B{}", if binary { "i" } else { "" }, if per_second { "/s" } else { "" });
    let bits = Reading::new(&name, 1, 8);
    let bytes = Reading::new(&name, 1, 1);
    match counted {
        Counted::Bits => bits.into_iter().collect(),
        Counted::Bytes => bytes.into_iter().collect(),
        Counted::Either => {
            let bits = bits.map(|reading| Reading { note: "bits", ..reading });
            let bytes = bytes.map(|reading| Reading { note: "bytes", ..reading });
            bits.into_iter().chain(bytes).collect()
        }
    }
}

/// The part before a `ps`, `/s` or `/sec`, and whether the ending was `ps`.
fn without_second(unit: &str) -> Option<(&str, bool)> {
    let lower = unit.to_lowercase();
    ["/seconds", "/second", "/secs", "/sec", "/s", "persecond", "ps"].iter().find_map(|end| {
        let amount = lower.ends_with(end).then(|| unit.get(..unit.len() - end.len())).flatten()?;
        (!amount.is_empty()).then_some((amount, *end == "ps"))
    })
}

/// The prefix (in capitals, empty for none), whether the prefix is binary, and what is counted (bits or bytes). `whole` is the unit with
/// its time, `in_ps` whether the time is written as `ps`.
fn amount_of(amount: &str, whole: &str, in_ps: bool) -> Option<(String, bool, Counted)> {
    const SPELLED: &[(&str, &str)] =
        &[("kilo", "K"), ("mega", "M"), ("giga", "G"), ("tera", "T"), ("peta", "P")];
    const SPELLED_BINARY: &[(&str, &str)] =
        &[("kibi", "K"), ("mebi", "M"), ("gibi", "G"), ("tebi", "T"), ("pebi", "P")];
    let lower = amount.to_lowercase();
    let spelled = |prefixes: &[(&str, &'static str)]| {
        prefixes.iter().find_map(|(word, letter)| Some((*letter, lower.strip_prefix(word)?)))
    };
    let named = |counted: &str| match counted {
        "bit" | "bits" => Some(Counted::Bits),
        "byte" | "bytes" => Some(Counted::Bytes),
        _ => None,
    };
    if let Some((letter, rest)) = spelled(SPELLED) {
        return Some((letter.to_owned(), false, named(rest)?));
    }
    if let Some((letter, rest)) = spelled(SPELLED_BINARY) {
        return Some((letter.to_owned(), true, named(rest)?));
    }
    let (prefix, rest) = match lower.strip_prefix(['k', 'm', 'g', 't', 'p']) {
        Some(_) => amount.split_at(1),
        None => ("", amount),
    };
    let letter = prefix.to_uppercase();
    if rest.is_empty() {
        // fio and dd mean a power of two by a single letter; a unit without a prefix would have no text at all.
        return (!letter.is_empty() && !in_ps).then_some((letter, true, Counted::Bytes));
    }
    let (binary, rest) = match rest.strip_prefix(['i', 'I']) {
        Some(after) if !letter.is_empty() => (true, after),
        _ => (false, rest),
    };
    if let Some(counted) = named(&rest.to_lowercase()) {
        return Some((letter, binary, counted));
    }
    let small = whole == whole.to_lowercase();
    let large = whole == whole.to_uppercase();
    let counted = match rest {
        "B" if in_ps && large => Counted::Either,
        "B" => Counted::Bytes,
        // This is fio's spelling; kibibits are always written with a capital.
        "" if binary => Counted::Bytes,
        "b" if small && binary => Counted::Bytes,
        "b" if in_ps => Counted::Bits,
        "b" if small => Counted::Either,
        "b" => Counted::Bits,
        _ => return None,
    };
    Some((letter, binary, counted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::split_number_and_unit;

    /// The suggestion for a quantity.
    fn meant(text: &str, accepts: &[Dimension]) -> String {
        let (number, unit, _) = split_number_and_unit(text);
        let number = Decimal::parse(number).expect("a number");
        quantity(number, unit, accepts).unwrap_or_default()
    }

    #[test]
    fn sizes_keep_their_magnitude() {
        let size = |text| meant(text, &[Dimension::Size]);
        assert_eq!(size("4k"), "did you mean \"4 KiB\"?");
        assert_eq!(size("4K"), "did you mean \"4 KiB\"?");
        assert_eq!(size("4m"), "did you mean \"4 MiB\"?");
        assert_eq!(size("4 kB"), "did you mean \"4 KB\"?");
        assert_eq!(size("64 kib"), "did you mean \"64 KiB\"?");
        assert_eq!(size("1 Mb"), "did you mean \"0.125 MB\"?");
        assert_eq!(size("1 mb"), "did you mean \"0.125 MB\" (bits) or \"1 MB\" (bytes)?");
        assert_eq!(size("512 bytes"), "did you mean \"512 B\"?");
        assert_eq!(size("3 kibibytes"), "did you mean \"3 KiB\"?");
        assert_eq!(size("3 bits"), "", "there is no part of a byte");
        assert_eq!(size("4 q"), "");
        assert_eq!(size("4 KB/s"), "");
    }

    #[test]
    fn bits_per_second_become_bytes_per_second() {
        let rate = |text| meant(text, &[Dimension::Rate]);
        assert_eq!(rate("100 Mbps"), "did you mean \"12.5 MB/s\"?");
        assert_eq!(rate("100 mbps"), "did you mean \"12.5 MB/s\"?");
        assert_eq!(rate("1 Gbit/s"), "did you mean \"0.125 GB/s\"?");
        assert_eq!(rate("100 MBps"), "did you mean \"100 MB/s\"?");
        assert_eq!(rate("100 MB/sec"), "did you mean \"100 MB/s\"?");
        assert_eq!(rate("100 MBPS"), "did you mean \"12.5 MB/s\" (bits) or \"100 MB/s\" (bytes)?");
        assert_eq!(rate("3 megabytes per second"), "did you mean \"3 MB/s\"?");
        assert_eq!(rate("100 MB"), "");
    }

    #[test]
    fn milli_never_becomes_mega() {
        let time = |text| meant(text, &[Dimension::Time]);
        assert_eq!(time("5 msec"), "did you mean \"5 ms\"?");
        assert_eq!(time("5 MS"), "did you mean \"5 ms\"?");
        assert_eq!(time("5 Ms"), "");
        assert_eq!(time("1.5 hr"), "did you mean \"5400 s\"?");
        assert_eq!(time("5 m"), "", "minutes, or thousandths of a second?");
        assert_eq!(time("5 Hz"), "");
        let length = |text| meant(text, &[Dimension::Length]);
        assert_eq!(length("5 mm"), "did you mean \"0.005 m\"?");
        assert_eq!(length("5 Mm"), "");
        assert_eq!(length("10 ft"), "did you mean \"3.048 m\"?");
        let propagation = |text| meant(text, &[Dimension::Propagation]);
        assert_eq!(propagation("5 usec/km"), "did you mean \"5 ns/m\"?");
        assert_eq!(propagation("4900 ns/km"), "did you mean \"4.9 ns/m\"?");
    }

    #[test]
    fn a_unit_of_ours_is_found_for_a_unit_of_the_same_magnitude_only() {
        assert_eq!(units_meant("kB"), Some(vec!["KB"]));
        assert_eq!(units_meant("usec"), Some(vec!["us"]));
        assert_eq!(units_meant("Mbps"), Some(vec![]));
        assert_eq!(units_meant("rounds"), None);
    }
}
