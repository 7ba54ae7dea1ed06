//! Numbers with a unit: times, sizes, rates, lengths, propagation delays, and times that may be given in words.

use sansim_kernel::{Span, TICKS_PER_NS};
use serde_json::{Value as Json, json};

use super::{Context, Fault, Quantity, inside, quoted, shown};
use crate::codes::Code;
use crate::meant;
use crate::suggest::nearest;
use crate::tree::{Node, Value};
use crate::units::{Decimal, Dimension, NotDecimal, Unit, decimal_in, find, scaled, split};
use crate::values::{Delay, Length, Propagation};

/// Longest time that can be written for a single delay: an hour.
pub(crate) const LONGEST: u64 = 3_600_000_000_000 * TICKS_PER_NS;

/// What is accepted, in words: `a size, such as "64 KiB"`.
pub(crate) fn needed(accepts: &[Dimension], or_else: &str) -> String {
    let mut parts: Vec<String> = accepts
        .iter()
        .map(|dimension| format!("{}, such as \"{}\"", dimension.noun(), dimension.example()))
        .collect();
    if !or_else.is_empty() {
        parts.push(or_else.to_owned());
    }
    parts.join(", or ")
}

/// Reads the number and the unit of a quantity of one of the accepted dimensions. `or_else` names what else could
/// stand here (`"exact"`), for the messages.
pub(crate) fn measure(
    node: &Node,
    accepts: &[Dimension],
    or_else: &str,
) -> Result<(Decimal, &'static Unit), Fault> {
    let wanted = needed(accepts, or_else);
    let first = accepts.first().copied().unwrap_or(Dimension::Time);
    let bare = |number: &str| {
        Fault::new(Code::MissingUnit, node.place, format!("{} has no unit", shown(number)))
            .label("a unit is missing")
            .help(format!("this needs {wanted}{}", with_a_unit(number, first)))
    };
    let text = match (&node.value, node.text()) {
        (Value::Integer(Some(number)), _) if *number < 0 => {
            return Err(Fault::new(Code::OutOfRange, node.place, format!("`{number}` is negative"))
                .label(format!("needs {wanted}")));
        }
        (Value::Integer(Some(number)), _) => return Err(bare(&number.to_string())),
        (Value::Integer(None), _) => return Err(bare("this number")),
        (Value::Float(number), _) if number.starts_with('-') && !number.ends_with("nan") => {
            return Err(Fault::new(Code::OutOfRange, node.place, format!("{} is negative", shown(number)))
                .label(format!("needs {wanted}")));
        }
        (Value::Float(number), _) if number.ends_with("nan") || number.ends_with("inf") => {
            return Err(Fault::new(Code::BadValue, node.place, format!("{} is no number", shown(number)))
                .label(format!("needs {wanted}")));
        }
        (Value::Float(number), _) => return Err(bare(number)),
        (_, Some(text)) => text,
        _ => return Err(Fault::wrong_type(node, &wanted)),
    };
    let trimmed = text.trim();
    let shift = text.len() - text.trim_start().len();
    let (number, unit_name, unit_at) = split(trimmed);
    let not_read = || {
        let help = (!or_else.is_empty())
            .then(|| nearest(trimmed, or_else.split('"').skip(1).step_by(2)))
            .flatten()
            .map(|near| format!("did you mean \"{near}\"?"));
        Fault::new(Code::BadValue, node.place, format!("{} cannot be read", shown(text)))
            .label(format!("needs {wanted}"))
            .maybe_help(help)
    };
    if number.is_empty() {
        return Err(not_read());
    }
    let number_place = inside(node, text, shift, shift + number.len());
    let decimal = match Decimal::parse(number) {
        Ok(decimal) => decimal,
        Err(NotDecimal::Malformed) => return Err(not_read()),
        Err(NotDecimal::Negative) => {
            return Err(Fault::new(Code::OutOfRange, number_place, format!("{} is negative", shown(text)))
                .label(format!("needs {wanted}")));
        }
        Err(NotDecimal::TooLong) => {
            return Err(Fault::new(Code::BadValue, number_place, "more than 18 digits")
                .label("more digits than are kept"));
        }
    };
    if unit_name.is_empty() {
        return Err(bare(number));
    }
    if let Some((plain, unit)) = without_exponent(number, unit_name) {
        let help = match find(unit) {
            Some(unit) if accepts.contains(&unit.dimension) => format!("write \"{plain} {}\"", unit.name),
            _ => format!("this needs {wanted}"),
        };
        return Err(Fault::new(Code::BadValue, node.place, format!("{} has an exponent", shown(trimmed)))
            .label("numbers are written without one")
            .help(help));
    }
    if unit_name.starts_with(',') {
        return Err(not_read().help("a point stands before decimals, and `_` between groups of digits"));
    }
    let unit_place = inside(node, text, shift + unit_at, shift + trimmed.len());
    let units = || {
        let names: Vec<&str> =
            accepts.iter().flat_map(|dimension| dimension.units()).filter(|name| name.is_ascii()).collect();
        names.join(", ")
    };
    let meant = meant::quantity(decimal, unit_name, accepts);
    let Some(unit) = find(unit_name) else {
        return Err(Fault::new(
            Code::UnknownUnit,
            unit_place,
            format!("{} is not a unit known here", shown(unit_name)),
        )
        .label(format!("units: {}", units()))
        .maybe_help(meant.or(Some(format!("this needs {wanted}")))));
    };
    if !accepts.contains(&unit.dimension) {
        return Err(Fault::new(
            Code::WrongUnit,
            node.place,
            format!("{} is {}", shown(trimmed), unit.dimension.noun()),
        )
        .label(format!("needs {wanted}"))
        .help(meant.unwrap_or_else(|| format!("units: {}", units()))));
    }
    Ok((decimal, unit))
}

/// What to write for a number without a unit, as the end of a sentence; nothing if it is not clear.
fn with_a_unit(number: &str, dimension: Dimension) -> String {
    let (plain, _) = without_exponent(number, "").unwrap_or((number.trim_start_matches('+').to_owned(), ""));
    let Ok(decimal) = Decimal::parse(&plain) else { return String::new() };
    let unit = dimension.likely_unit();
    if dimension == Dimension::Size && plain.contains('.') {
        return String::new();
    }
    let written = match dimension {
        Dimension::Speed => format!("\"{plain}{unit}\""),
        _ => format!("\"{plain} {unit}\""),
    };
    // A share is as often written as a part of one.
    let hundred =
        decimal.multiplied(100, 1).filter(|_| dimension == Dimension::Share && plain.starts_with("0."));
    match hundred {
        Some(hundred) => format!("; for {plain} of the whole write \"{hundred} %\", for {plain} % {written}"),
        None => format!("; if {unit} is meant, write {written}"),
    }
}

/// `1e6` as `1000000`, with the rest of the unit: the exponent of `1e6 B` is read as the begin of the unit `e6 B`.
fn without_exponent<'u>(number: &str, unit: &'u str) -> Option<(String, &'u str)> {
    let (mantissa, exponent, rest) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent, unit),
        None => {
            let after = unit.strip_prefix(['e', 'E'])?;
            let sign = usize::from(after.starts_with(['+', '-']));
            let digits = after[sign..].bytes().take_while(u8::is_ascii_digit).count();
            (number, &after[..sign + digits], &after[sign + digits..])
        }
    };
    let power: i32 = exponent.parse().ok().filter(|power: &i32| power.abs() <= 18)?;
    let decimal = Decimal::parse(mantissa.trim_start_matches('+')).ok()?;
    let ten = 10u64.pow(power.unsigned_abs());
    let plain = if power < 0 { decimal.multiplied(1, ten) } else { decimal.multiplied(ten, 1) };
    Some((plain?, rest.trim()))
}

/// [`measure`], then the value in the base unit of its dimension, rounded to the nearest and checked against a range.
/// `write` shows the limits of the range in messages.
pub(crate) fn in_base_units(
    node: &Node,
    accepts: &[Dimension],
    or_else: &str,
    range: (u64, u64),
    write: impl Fn(u64) -> String,
) -> Result<(u64, bool, &'static Unit), Fault> {
    let (decimal, unit) = measure(node, accepts, or_else)?;
    let text = node.text().unwrap_or("");
    let outside = |limit: &str| {
        Fault::new(Code::OutOfRange, node.place, format!("{} is out of range", shown(text.trim())))
            .label(limit.to_owned())
    };
    let (value, exact) = decimal
        .times(unit.numerator, unit.denominator)
        .ok_or_else(|| outside(&format!("must be at most {}", write(range.1))))?;
    check_range(value, range, outside, write)?;
    Ok((value, exact, unit))
}

fn check_range(
    value: u64,
    (least, most): (u64, u64),
    outside: impl Fn(&str) -> Fault,
    write: impl Fn(u64) -> String,
) -> Result<(), Fault> {
    if value < least {
        return Err(outside(&format!("must be at least {}", write(least))));
    }
    if value > most {
        return Err(outside(&format!("must be at most {}", write(most))));
    }
    Ok(())
}

/// `name` with the largest of the units in which the value is a short exact decimal.
fn in_largest(value: u64, names: &[&str], decimals: u32) -> Option<String> {
    names.iter().filter_map(|name| find(name)).find_map(|unit| {
        let large_enough = value * unit.denominator >= unit.numerator;
        let text = if large_enough { decimal_in(value, unit, decimals, true) } else { None };
        text.map(|text| format!("{text} {}", unit.name))
    })
}

/// A span as it is written in a scenario; reads back as the same number of ticks.
pub(crate) fn write_time(ticks: u64) -> String {
    in_largest(ticks, &["s", "ms", "us", "ns"], 3)
        .or_else(|| {
            find("ns").and_then(|ns| decimal_in(ticks, ns, 4, false)).map(|text| format!("{text} ns"))
        })
        .unwrap_or_else(|| "0 ns".to_owned())
}

/// A number of bytes as it is written in a scenario.
pub(crate) fn write_size(bytes: u64) -> String {
    in_largest(bytes, &["PiB", "TiB", "GiB", "MiB", "KiB", "B"], 0).unwrap_or_else(|| format!("{bytes} B"))
}

fn write_rate(rate: u64) -> String {
    in_largest(rate, &["TB/s", "TiB/s", "GB/s", "GiB/s", "MB/s", "MiB/s", "KB/s", "KiB/s", "B/s"], 0)
        .unwrap_or_else(|| format!("{rate} B/s"))
}

fn write_length(um: u64) -> String {
    in_largest(um, &["km", "m"], 0)
        .or_else(|| {
            find("m").and_then(|metre| decimal_in(um, metre, 6, true)).map(|text| format!("{text} m"))
        })
        .unwrap_or_else(|| "0 m".to_owned())
}

fn write_propagation(ps_per_m: u64) -> String {
    let text = scaled(ps_per_m, 1_000, 1, 3, true).unwrap_or_else(|| "0".to_owned());
    format!("{text} ns/m")
}

/// The JSON Schema of a text with one of these dimensions, or one of some words.
pub(crate) fn pattern(accepts: &[Dimension], words: &[&str]) -> Json {
    let units: Vec<&str> = accepts.iter().flat_map(|dimension| dimension.units()).collect();
    let mut pattern = format!("\\s*[0-9]+(_[0-9]+)*(\\.[0-9]+)?\\s*({})\\s*", units.join("|"));
    for word in words {
        pattern.push('|');
        pattern.push_str(word);
    }
    let examples: Vec<&str> =
        accepts.iter().map(|dimension| dimension.example()).chain(words.iter().copied()).collect();
    json!({ "type": "string", "pattern": format!("^({pattern})$"), "examples": examples })
}

fn range_words(noun: &str, (least, most): (u64, u64), write: fn(u64) -> String) -> String {
    format!("{noun}, {} to {}", write(least), write(most))
}

/// A time, kept as a [`Span`]. Rounded to the nearest tick of 1/561 ns.
pub(crate) struct Time {
    /// Shortest and longest, in ticks.
    pub range: (u64, u64),
}

impl Time {
    /// Any time up to an hour.
    pub const ANY: Time = Time { range: (0, LONGEST) };
}

/// Reads a time; `ps` only where it is whole ticks, since a tick is longer than a picosecond.
pub(crate) fn read_time(node: &Node, or_else: &str, range: (u64, u64)) -> Result<Span, Fault> {
    let (ticks, exact, unit) = in_base_units(node, &[Dimension::Time], or_else, range, write_time)?;
    if unit.name == "ps" && !exact {
        return Err(Fault::new(Code::BadValue, node.place, "not a whole number of clock ticks of 1/561 ns")
            .label("picoseconds only if exact")
            .help(format!("write \"{}\" if the nearest tick will do", write_time(ticks))));
    }
    Ok(Span(ticks))
}

impl Quantity for Time {
    type Value = Span;

    fn read(&self, node: &Node, _: &Context) -> Result<Span, Vec<Fault>> {
        read_time(node, "", self.range).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Span, _: &Context) -> String {
        quoted(&write_time(value.ticks()))
    }

    fn placeholder(&self) -> Span {
        Span(self.range.0)
    }

    fn describe(&self) -> String {
        range_words("time", self.range, write_time)
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Time], &[])
    }
}

/// A number of bytes; whole.
pub(crate) struct Size {
    /// Fewest and most, in bytes.
    pub range: (u64, u64),
    /// It must be a multiple of this.
    pub step: u64,
}

impl Size {
    pub const fn between(least: u64, most: u64) -> Size {
        Size { range: (least, most), step: 1 }
    }

    /// Reads a size, or says what else could stand here.
    pub fn read_or(&self, node: &Node, or_else: &str) -> Result<u64, Fault> {
        let (bytes, exact, _) = in_base_units(node, &[Dimension::Size], or_else, self.range, write_size)?;
        if !exact {
            return Err(Fault::new(Code::BadValue, node.place, "not a whole number of bytes"));
        }
        if bytes % self.step != 0 {
            let help = format!(
                "\"{} B\" or \"{} B\"",
                bytes / self.step * self.step,
                bytes.next_multiple_of(self.step)
            );
            return Err(Fault::new(
                Code::OutOfRange,
                node.place,
                format!("{bytes} B is not a multiple of {} B", self.step),
            )
            .label(format!("must be a multiple of {} B", self.step))
            .help(help));
        }
        Ok(bytes)
    }
}

impl Quantity for Size {
    type Value = u64;

    fn read(&self, node: &Node, _: &Context) -> Result<u64, Vec<Fault>> {
        self.read_or(node, "").map_err(|fault| vec![fault])
    }

    fn write(&self, value: &u64, _: &Context) -> String {
        quoted(&write_size(*value))
    }

    fn placeholder(&self) -> u64 {
        self.range.0
    }

    fn describe(&self) -> String {
        let step = if self.step > 1 { format!(", a multiple of {} B", self.step) } else { String::new() };
        range_words("size", self.range, write_size) + &step
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Size], &[])
    }
}

/// A rate in bytes per second, rounded to the nearest.
pub(crate) struct Rate {
    /// Least and most, in bytes per second.
    pub range: (u64, u64),
}

impl Quantity for Rate {
    type Value = u64;

    fn read(&self, node: &Node, _: &Context) -> Result<u64, Vec<Fault>> {
        let read = in_base_units(node, &[Dimension::Rate], "", self.range, write_rate);
        read.map(|(rate, _, _)| rate).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &u64, _: &Context) -> String {
        quoted(&write_rate(*value))
    }

    fn placeholder(&self) -> u64 {
        self.range.0
    }

    fn describe(&self) -> String {
        range_words("rate", self.range, write_rate)
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Rate], &[])
    }
}

/// The length of a cable, rounded to the nearest micrometre.
pub(crate) struct Cable;

impl Cable {
    /// Longest cable: a quarter of the way round the Earth.
    const RANGE: (u64, u64) = (0, 10_000_000_000_000);
}

impl Quantity for Cable {
    type Value = Length;

    fn read(&self, node: &Node, _: &Context) -> Result<Length, Vec<Fault>> {
        let read = in_base_units(node, &[Dimension::Length], "", Cable::RANGE, write_length);
        read.map(|(um, _, _)| Length::from_um(um)).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Length, _: &Context) -> String {
        quoted(&write_length(value.um()))
    }

    fn placeholder(&self) -> Length {
        Length::from_um(0)
    }

    fn describe(&self) -> String {
        range_words("length", Cable::RANGE, write_length)
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Length], &[])
    }
}

/// The propagation delay of a medium, rounded to the nearest picosecond per metre.
pub(crate) struct FibreDelay;

impl FibreDelay {
    /// Not faster than light in vacuum (3.336 ns/m).
    const RANGE: (u64, u64) = (3_336, 100_000);
}

impl Quantity for FibreDelay {
    type Value = Propagation;

    fn read(&self, node: &Node, _: &Context) -> Result<Propagation, Vec<Fault>> {
        let read = in_base_units(node, &[Dimension::Propagation], "", FibreDelay::RANGE, write_propagation);
        read.map(|(ps_per_m, _, _)| Propagation { ps_per_m }).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Propagation, _: &Context) -> String {
        quoted(&write_propagation(value.ps_per_m))
    }

    fn placeholder(&self) -> Propagation {
        Propagation { ps_per_m: FibreDelay::RANGE.1 }
    }

    fn describe(&self) -> String {
        range_words("propagation delay", FibreDelay::RANGE, write_propagation)
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Propagation], &[])
    }
}

/// A delay as a time or as a number of transmission words of the loop.
pub(crate) struct WordsOrTime;

impl Quantity for WordsOrTime {
    type Value = Delay;

    fn read(&self, node: &Node, context: &Context) -> Result<Delay, Vec<Fault>> {
        let accepts = [Dimension::Words, Dimension::Time];
        let (decimal, unit) = measure(node, &accepts, "").map_err(|fault| vec![fault])?;
        if unit.dimension == Dimension::Time {
            let span = read_time(node, "", (0, LONGEST)).map_err(|fault| vec![fault])?;
            return Ok(Delay { span, in_words: false });
        }
        match decimal.times(context.word_time.ticks(), 1) {
            Some((ticks, _)) if ticks <= LONGEST => Ok(Delay { span: Span(ticks), in_words: true }),
            _ => Err(vec![
                Fault::new(Code::OutOfRange, node.place, "too many words")
                    .label(format!("must be at most {} in time", write_time(LONGEST))),
            ]),
        }
    }

    fn write(&self, value: &Delay, context: &Context) -> String {
        let words = if value.in_words {
            scaled(value.span.ticks(), context.word_time.ticks(), 1, 6, false)
        } else {
            None
        };
        match words {
            Some(words) if words == "1" => quoted("1 word"),
            Some(words) => quoted(&format!("{words} words")),
            None => quoted(&write_time(value.span.ticks())),
        }
    }

    fn placeholder(&self) -> Delay {
        Delay { span: Span::ZERO, in_words: false }
    }

    fn describe(&self) -> String {
        format!("words or time, up to {}", write_time(LONGEST))
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Words, Dimension::Time], &[])
    }
}
