//! Values with more than one form: a word or a quantity, a time or a distribution.

use sansim_kernel::Span;
use serde_json::{Value as Json, json};

use super::measure::{LONGEST, in_base_units, measure, needed, pattern, read_time, write_size, write_time};
use super::{Context, Count, Fault, Quantity, Size, quoted, shown};
use crate::codes::Code;
use crate::source::Place;
use crate::suggest::{did_you_mean, nearest, one_of};
use crate::tree::{Node, Table, Value};
use crate::units::{Dimension, scaled};
use crate::values::{PrecisionGoal, Share, Split, WarmUp, WordTime};
use sansim_storage::drive::AccessTime;

/// The time of a transmission word: exact by the speed, or given.
pub(crate) struct WordTimeRule;

impl WordTimeRule {
    /// A tenth of a nanosecond (a word of 128GFC takes 0.3 ns) to a microsecond (one of 1GFC takes 38 ns).
    const RANGE: (u64, u64) = (57, 561_000);
}

impl Quantity for WordTimeRule {
    type Value = WordTime;

    fn read(&self, node: &Node, _: &Context) -> Result<WordTime, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "exact") {
            return Ok(WordTime::Exact);
        }
        read_time(node, "\"exact\"", WordTimeRule::RANGE).map(WordTime::Given).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &WordTime, _: &Context) -> String {
        match value {
            WordTime::Exact => quoted("exact"),
            WordTime::Given(span) => quoted(&write_time(span.ticks())),
        }
    }

    fn placeholder(&self) -> WordTime {
        WordTime::Exact
    }

    fn describe(&self) -> String {
        format!(
            "`\"exact\"` or a time, {} to {}",
            write_time(WordTimeRule::RANGE.0),
            write_time(WordTimeRule::RANGE.1)
        )
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Time], &["exact"])
    }
}

/// Which I/Os are left out of the measurement: a number, a time, or a rule.
pub(crate) struct WarmUpRule;

impl WarmUpRule {
    const COUNT: Count<u64> = Count::between(0, 1_000_000_000);

    /// Up to a day.
    const RANGE: (u64, u64) = (0, 24 * LONGEST);
}

impl Quantity for WarmUpRule {
    type Value = WarmUp;

    fn read(&self, node: &Node, _: &Context) -> Result<WarmUp, Vec<Fault>> {
        match &node.value {
            Value::Text(text) if text.trim() == "auto" => Ok(WarmUp::Auto),
            Value::Text(text) if !text.trim().starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                Err(vec![
                    Fault::new(Code::UnknownWord, node.place, format!("{} is not known here", shown(text)))
                        .label("needs a whole number, a time, such as \"20 ms\", or \"auto\"")
                        .maybe_help(nearest(text, ["auto"]).map(|near| format!("did you mean \"{near}\"?"))),
                ])
            }
            Value::Text(text) if text.trim().parse::<u64>().is_err() => {
                read_time(node, "a whole number, or \"auto\"", WarmUpRule::RANGE)
                    .map(WarmUp::Until)
                    .map_err(|fault| vec![fault])
            }
            _ => WarmUpRule::COUNT
                .read_number(node, ", a time, or \"auto\",")
                .map(WarmUp::IosPerSlot)
                .map_err(|fault| vec![fault]),
        }
    }

    fn write(&self, value: &WarmUp, _: &Context) -> String {
        match value {
            WarmUp::Auto => quoted("auto"),
            WarmUp::IosPerSlot(count) => count.to_string(),
            WarmUp::Until(span) => quoted(&write_time(span.ticks())),
        }
    }

    fn placeholder(&self) -> WarmUp {
        WarmUp::Auto
    }

    fn describe(&self) -> String {
        format!(
            "`\"auto\"`, a whole number, 0 to 1000000000, or a time, up to {}",
            write_time(WarmUpRule::RANGE.1)
        )
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [WarmUpRule::COUNT.schema(), pattern(&[Dimension::Time], &["auto"])] })
    }
}

/// How precise the result of a run has to be: a percentage, or not at all.
pub(crate) struct PrecisionRule;

impl PrecisionRule {
    /// In millionths: 0.01 % to 50 %.
    const RANGE: (u64, u64) = (100, 500_000);

    fn write_share(millionths: u64) -> String {
        let number = scaled(millionths, 10_000, 1, 4, true).unwrap_or_else(|| "0".to_owned());
        format!("{number} %")
    }
}

impl Quantity for PrecisionRule {
    type Value = PrecisionGoal;

    fn read(&self, node: &Node, _: &Context) -> Result<PrecisionGoal, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "off") {
            return Ok(PrecisionGoal::Off);
        }
        let accepts = [Dimension::Share];
        in_base_units(node, &accepts, "\"off\"", PrecisionRule::RANGE, PrecisionRule::write_share)
            .map(|(millionths, _, _)| PrecisionGoal::Within(Share { millionths }))
            .map_err(|fault| vec![fault])
    }

    fn write(&self, value: &PrecisionGoal, _: &Context) -> String {
        match value {
            PrecisionGoal::Off => quoted("off"),
            PrecisionGoal::Within(share) => quoted(&PrecisionRule::write_share(share.millionths)),
        }
    }

    fn placeholder(&self) -> PrecisionGoal {
        PrecisionGoal::Off
    }

    fn describe(&self) -> String {
        let (least, most) = PrecisionRule::RANGE;
        format!(
            "`\"off\"` or a percentage, {} to {}",
            PrecisionRule::write_share(least),
            PrecisionRule::write_share(most)
        )
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Share], &["off"])
    }
}

/// How data are cut: not at all, or into pieces of a size.
pub(crate) struct SplitInto;

impl SplitInto {
    /// The burst length of FCP is a field of 32 bits.
    const SIZE: Size = Size::between(1, u32::MAX as u64);
}

impl Quantity for SplitInto {
    type Value = Split;

    fn read(&self, node: &Node, _: &Context) -> Result<Split, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "whole") {
            return Ok(Split::Whole);
        }
        SplitInto::SIZE.read_or(node, "\"whole\"").map(Split::Pieces).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Split, _: &Context) -> String {
        match value {
            Split::Whole => quoted("whole"),
            Split::Pieces(bytes) => quoted(&write_size(*bytes)),
        }
    }

    fn placeholder(&self) -> Split {
        Split::Whole
    }

    fn describe(&self) -> String {
        format!("`\"whole\"` or a {}", SplitInto::SIZE.describe())
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Size], &["whole"])
    }
}

/// A fixed time, or a distribution as an inline table.
pub(crate) struct TimeOrDistribution;

/// The distributions, the keys each has, and what it means.
const DISTRIBUTIONS: &[(&str, &[&str], &str)] = &[
    ("fixed", &["value"], "always `value`; the same as writing the time itself"),
    ("exponential", &["mean"], "exponential with this mean"),
    ("uniform", &["low", "high"], "uniform between the two"),
    ("normal", &["mean", "deviation"], "normal; a sample below zero counts as zero"),
];

impl TimeOrDistribution {
    const NEEDED: &str = "a time, such as \"2 ms\", or { distribution = \"exponential\", mean = \"2 ms\" }";

    fn read_table(table: &Table, place: Place) -> Result<AccessTime, Vec<Fault>> {
        let names = || DISTRIBUTIONS.iter().map(|(name, _, _)| *name);
        let Some(entry) = table.get("distribution") else {
            let missing = Fault::new(Code::MissingKey, place, "the key `distribution` is missing")
                .label(format!("needs distribution = one of {}", one_of(names())));
            return Err(vec![missing]);
        };
        let name = entry.node.text().unwrap_or("");
        let Some((_, keys, _)) = DISTRIBUTIONS.iter().find(|(known, _, _)| *known == name) else {
            let near = nearest(name, names()).map(|near| format!("did you mean \"{near}\"?"));
            let unknown = Fault::new(
                Code::UnknownWord,
                entry.node.place,
                format!("{} is not a distribution known here", shown(name)),
            )
            .label(format!("must be {}", one_of(names())))
            .maybe_help(near);
            return Err(vec![unknown]);
        };
        let mut faults = Vec::new();
        for entry in table.entries.iter().filter(|entry| entry.key != "distribution") {
            if !keys.contains(&entry.key.as_str()) {
                let unknown = Fault::new(
                    Code::UnknownKey,
                    entry.key_place,
                    format!("{} is not a key of \"{name}\"", shown(&entry.key)),
                )
                .label(format!("known here: {}", one_of(keys.iter().copied())))
                .maybe_help(did_you_mean(&entry.key, keys.iter().copied()));
                faults.push(unknown);
            }
        }
        let mut times = Vec::new();
        for key in *keys {
            match table.get(key).map(|entry| read_time(&entry.node, "", (0, LONGEST))) {
                Some(Ok(span)) => times.push(span),
                Some(Err(fault)) => faults.push(fault),
                None => faults.push(
                    Fault::new(Code::MissingKey, place, format!("the key `{key}` is missing"))
                        .label(format!("\"{name}\" needs {key} = {}", needed(&[Dimension::Time], ""))),
                ),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let distribution = match (name, times.as_slice()) {
            ("exponential", [mean]) => AccessTime::Exponential { mean: *mean },
            ("uniform", [low, high]) => AccessTime::Uniform { low: *low, high: *high },
            ("normal", [mean, deviation]) => AccessTime::Normal { mean: *mean, deviation: *deviation },
            (_, [value, ..]) => AccessTime::Fixed(*value),
            (_, []) => AccessTime::Fixed(Span::ZERO),
        };
        if let AccessTime::Uniform { low, high } = distribution
            && low > high
        {
            return Err(vec![
                Fault::new(Code::Contradiction, place, "`low` is greater than `high`").label("swap the two"),
            ]);
        }
        Ok(distribution)
    }
}

impl Quantity for TimeOrDistribution {
    type Value = AccessTime;

    fn read(&self, node: &Node, _: &Context) -> Result<AccessTime, Vec<Fault>> {
        match &node.value {
            Value::Table(table) => TimeOrDistribution::read_table(table, node.place),
            Value::Text(text) if !text.trim().starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                let help = nearest(text, DISTRIBUTIONS.iter().map(|(name, _, _)| *name))
                    .map(|near| format!("a distribution is written {{ distribution = \"{near}\", ... }}"));
                Err(vec![
                    Fault::new(Code::BadValue, node.place, format!("{} cannot be read", shown(text)))
                        .label(format!("needs {}", TimeOrDistribution::NEEDED))
                        .maybe_help(help),
                ])
            }
            Value::Flag(_) | Value::Date | Value::List(_) => {
                Err(vec![Fault::wrong_type(node, TimeOrDistribution::NEEDED)])
            }
            _ => {
                measure(node, &[Dimension::Time], "").map_err(|fault| vec![fault])?;
                read_time(node, "", (0, LONGEST)).map(AccessTime::Fixed).map_err(|fault| vec![fault])
            }
        }
    }

    fn write(&self, value: &AccessTime, _: &Context) -> String {
        let time = |span: &Span| quoted(&write_time(span.ticks()));
        match value {
            AccessTime::Fixed(value) => time(value),
            AccessTime::Exponential { mean } => {
                format!("{{ distribution = \"exponential\", mean = {} }}", time(mean))
            }
            AccessTime::Uniform { low, high } => {
                format!("{{ distribution = \"uniform\", low = {}, high = {} }}", time(low), time(high))
            }
            AccessTime::Normal { mean, deviation } => {
                format!(
                    "{{ distribution = \"normal\", mean = {}, deviation = {} }}",
                    time(mean),
                    time(deviation)
                )
            }
        }
    }

    fn placeholder(&self) -> AccessTime {
        AccessTime::Fixed(Span::ZERO)
    }

    fn describe(&self) -> String {
        let forms: Vec<String> = DISTRIBUTIONS
            .iter()
            .map(|(name, keys, doc)| {
                let keys: Vec<String> = keys.iter().map(|key| format!("{key} = ...")).collect();
                format!("`{{ distribution = \"{name}\", {} }}` ({doc})", keys.join(", "))
            })
            .collect();
        format!("time, up to {}, or {}", write_time(LONGEST), forms.join("; "))
    }

    fn schema(&self) -> Json {
        let time = pattern(&[Dimension::Time], &[]);
        let mut forms = vec![time.clone()];
        for (name, keys, doc) in DISTRIBUTIONS {
            let mut properties = serde_json::Map::new();
            properties.insert("distribution".to_owned(), json!({ "const": name }));
            let mut required = vec!["distribution"];
            for key in *keys {
                properties.insert((*key).to_owned(), time.clone());
                required.push(key);
            }
            forms.push(json!({
                "type": "object", "description": doc, "properties": properties,
                "required": required, "additionalProperties": false,
            }));
        }
        json!({ "anyOf": forms })
    }
}
