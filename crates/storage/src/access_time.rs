//! How long a drive takes to get to its data: a fixed time, or one drawn from a distribution.

use sansim_describe::codes;
use sansim_describe::context::Context;
use sansim_describe::fault::Fault;
use sansim_describe::quantities::{LONGEST, measure, needed, pattern, read_time, write_time};
use sansim_describe::quantity::{Quantity, quoted, shown};
use sansim_describe::source::Place;
use sansim_describe::suggest::{did_you_mean, nearest, one_of};
use sansim_describe::tree::{Node, Table, Value};
use sansim_describe::units::Dimension;
use sansim_describe::{Json, json};
use sansim_kernel::{RandomStream, Span};

/// How long an access takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessTime {
    /// Always the same.
    Fixed(Span),
    /// Exponentially distributed.
    Exponential {
        /// Mean.
        mean: Span,
    },
    /// Uniform between two bounds.
    Uniform {
        /// Least.
        low: Span,
        /// Greatest.
        high: Span,
    },
    /// Normal, cut off at zero.
    Normal {
        /// Mean of the uncut distribution.
        mean: Span,
        /// Standard deviation of the uncut distribution.
        deviation: Span,
    },
}

impl AccessTime {
    /// Draws one access time.
    pub fn draw(&self, random: &mut RandomStream) -> Span {
        match *self {
            Self::Fixed(time) => time,
            Self::Exponential { mean } => Span::from_ns_f64(random.exponential(mean.as_ns_f64())),
            Self::Uniform { low, high } => {
                Span::from_ns_f64(random.uniform(low.as_ns_f64(), high.as_ns_f64()))
            }
            Self::Normal { mean, deviation } => {
                Span::from_ns_f64(random.normal(mean.as_ns_f64(), deviation.as_ns_f64()))
            }
        }
    }
}

/// A fixed time, or a distribution as an inline table.
pub struct TimeOrDistribution;

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
            let missing = Fault::new(codes::MISSING_KEY, place, "the key `distribution` is missing")
                .label(format!("needs distribution = one of {}", one_of(names())));
            return Err(vec![missing]);
        };
        let name = entry.node.text().unwrap_or("");
        let Some((_, keys, _)) = DISTRIBUTIONS.iter().find(|(known, _, _)| *known == name) else {
            let near = nearest(name, names()).map(|near| format!("did you mean \"{near}\"?"));
            let unknown = Fault::new(
                codes::UNKNOWN_WORD,
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
                    codes::UNKNOWN_KEY,
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
                    Fault::new(codes::MISSING_KEY, place, format!("the key `{key}` is missing"))
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
                Fault::new(codes::CONTRADICTION, place, "`low` is greater than `high`").label("swap the two"),
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
                    Fault::new(codes::BAD_VALUE, node.place, format!("{} cannot be read", shown(text)))
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
            let mut properties = sansim_describe::JsonMap::new();
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
