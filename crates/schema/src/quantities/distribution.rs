//! The quantity of a time, or of a distribution of times.

use sansim_kernel::distribution::{
    Distribution, Empirical, Gamma, Hyperexponential, Lognormal, Pareto, ParetoScale, Weibull,
};
use sansim_kernel::{Span, TICKS_PER_NS};
use serde_json::{Value as Json, json};

use super::amount::{LONGEST, Time, read_time};
use super::count::Count;
use super::list::ListOf;
use super::measure::{accepted_forms, parse_quantity, schema_pattern};
use super::number::Number;
use super::written::write_time;
use crate::codes;
use crate::context::Facts;
use crate::fault::Diagnostic;
use crate::quantity::{Quantity, quoted, shown_in_message};
use crate::source::SourceRange;
use crate::suggest::{did_you_mean, nearest, words_in_prose};
use crate::tree::{Table, Value, ValueNode};
use crate::units::Dimension;

/// A fixed time, or a distribution as an inline table.
pub struct TimeOrDistribution {
    positive: bool,
}

/// One family of distributions.
struct Family {
    word: &'static str,
    keys: &'static [Key],
    doc: &'static str,
    /// Makes the distribution from the values of the keys in their order; an error where they contradict each other.
    make: fn(&[Given]) -> Result<Distribution, Contradiction>,
}

/// A key of a distribution.
struct Key {
    name: &'static str,
    written: Written,
    required: bool,
}

/// The form in which the value of a key is written.
enum Written {
    Time,
    Number(Number),
    Count(Count<u64>),
    Times,
    Weights,
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
enum Given {
    Nothing,
    Time(Span),
    Number(f64),
    Count(u64),
    Times(Vec<Span>),
    Weights(Vec<f64>),
}

/// The reason why keys that can be parsed make no distribution: the problem, and the correction.
struct Contradiction(&'static str, &'static str);

/// The most values of an empirical distribution: more values should be in a file.
const MOST_VALUES: usize = 100_000;
/// The range of the coefficient of variation: beyond it no run would ever show the mean.
const CV: Number = Number::between(0.001, 100.0);
const BURSTY_CV: Number = Number::between(1.0, 100.0);
const SHAPE: Number = Number::between(Weibull::LEAST_SHAPE, 100.0);
const TAIL: Number = Number::between(0.1, 100.0);
const PHASES: Count<u64> = Count::between(1, 10_000);
const VALUES: ListOf<Time> = ListOf::between(1, MOST_VALUES, Time::ANY);
const WEIGHTS: ListOf<Number> = ListOf::between(1, MOST_VALUES, Number::between(0.0, 1e12));

const fn must(name: &'static str, written: Written) -> Key {
    Key { name, written, required: true }
}

const fn may(name: &'static str, written: Written) -> Key {
    Key { name, written, required: false }
}

/// The families of distributions, with the keys and the meaning of each.
const FAMILIES: &[Family] = &[
    Family {
        word: "fixed",
        keys: &[must("value", Written::Time)],
        doc: "always `value`; the same as writing the time itself",
        make: |given| Ok(Distribution::Fixed(given[0].time())),
    },
    Family {
        word: "exponential",
        keys: &[must("mean", Written::Time)],
        doc: "exponential with this mean",
        make: |given| Ok(Distribution::Exponential { mean: given[0].time() }),
    },
    Family {
        word: "uniform",
        keys: &[must("low", Written::Time), must("high", Written::Time)],
        doc: "uniform between the two",
        make: |given| {
            let (low, high) = (given[0].time(), given[1].time());
            let ordered = low <= high;
            ordered
                .then_some(Distribution::Uniform { low, high })
                .ok_or(Contradiction("`low` is greater than `high`", "swap the two"))
        },
    },
    Family {
        word: "normal",
        keys: &[must("mean", Written::Time), must("deviation", Written::Time)],
        doc: "normal; a sample below zero counts as zero",
        make: |given| Ok(Distribution::Normal { mean: given[0].time(), deviation: given[1].time() }),
    },
    Family {
        word: "gamma",
        keys: &[must("mean", Written::Time), must("cv", Written::Number(CV))],
        doc: "gamma, `cv` the coefficient of variation: standard deviation over mean",
        make: |given| Ok(Distribution::Gamma(Gamma::new(given[0].time(), given[1].number()))),
    },
    Family {
        word: "erlang",
        keys: &[must("mean", Written::Time), must("phases", Written::Count(PHASES))],
        doc: "the sum of so many equal exponential phases",
        make: |given| {
            let phases = u32::try_from(given[1].count()).unwrap_or(u32::MAX);
            Ok(Distribution::erlang(given[0].time(), phases))
        },
    },
    Family {
        word: "hyperexponential",
        keys: &[must("mean", Written::Time), must("cv", Written::Number(BURSTY_CV))],
        doc: "one of two exponential distributions, which give as much to the mean each",
        make: |given| {
            let two = Hyperexponential::new(given[0].time(), given[1].number());
            Ok(Distribution::Hyperexponential(two))
        },
    },
    Family {
        word: "lognormal",
        keys: &[must("mean", Written::Time), must("cv", Written::Number(CV))],
        doc: "its logarithm is normal",
        make: |given| Ok(Distribution::Lognormal(Lognormal::new(given[0].time(), given[1].number()))),
    },
    Family {
        word: "weibull",
        keys: &[must("mean", Written::Time), must("shape", Written::Number(SHAPE))],
        doc: "Weibull, below a shape of 1 with a long tail",
        make: |given| Ok(Distribution::Weibull(Weibull::new(given[0].time(), given[1].number()))),
    },
    Family {
        word: "pareto",
        keys: &[
            may("least", Written::Time),
            may("mean", Written::Time),
            must("shape", Written::Number(TAIL)),
            may("cap", Written::Time),
        ],
        doc: "longer than x with probability (least / x)^shape, given by `least` or by `mean`; with a `cap` only those up to it",
        make: pareto,
    },
    Family {
        word: "empirical",
        keys: &[must("values", Written::Times), may("weights", Written::Weights)],
        doc: "one of the values, each as likely as its weight says; all alike without weights",
        make: |given| {
            let values = given[0].times();
            let weights = match &given[1] {
                Given::Weights(weights) => weights.clone(),
                _ => vec![1.0; values.len()],
            };
            if values.len() != weights.len() {
                let help = "give a weight for each value";
                return Err(Contradiction("there are not as many weights as values", help));
            }
            let all_zero = Contradiction("all weights are zero", "a weight above zero for what may be drawn");
            Empirical::new(values, weights).map(Distribution::Empirical).ok_or(all_zero)
        },
    },
];

fn pareto(given: &[Given]) -> Result<Distribution, Contradiction> {
    let scale = match (&given[0], &given[1]) {
        (Given::Time(least), Given::Nothing) => ParetoScale::Least(*least),
        (Given::Nothing, Given::Time(mean)) => ParetoScale::Mean(*mean),
        _ => return Err(Contradiction("needs either `least` or `mean`", "give one of the two")),
    };
    let cap = match given[3] {
        Given::Time(cap) => Some(cap),
        _ => None,
    };
    let reason = match (scale, cap) {
        (ParetoScale::Mean(mean) | ParetoScale::Least(mean), _) if mean.is_zero() => {
            Contradiction("a Pareto distribution begins above zero", "a longer `least` or `mean`")
        }
        (ParetoScale::Mean(_), None) => {
            Contradiction("the mean is infinite for a shape up to 1", "give a `cap`, or a larger `shape`")
        }
        _ => Contradiction("the `cap` leaves nothing", "a `cap` well above `least` or `mean`"),
    };
    Pareto::new(scale, given[2].number(), cap).map(Distribution::Pareto).ok_or(reason)
}

impl Given {
    fn time(&self) -> Span {
        if let Given::Time(span) = self { *span } else { Span::ZERO }
    }

    fn number(&self) -> f64 {
        if let Given::Number(number) = self { *number } else { 1.0 }
    }

    fn count(&self) -> u64 {
        if let Given::Count(count) = self { *count } else { 1 }
    }

    fn times(&self) -> Vec<Span> {
        if let Given::Times(times) = self { times.clone() } else { Vec::new() }
    }
}

impl Written {
    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Given, Vec<Diagnostic>> {
        match self {
            Written::Time => read_time(node, "", (0, LONGEST)).map(Given::Time).map_err(|fault| vec![fault]),
            Written::Number(number) => number.read(node, context).map(Given::Number),
            Written::Count(count) => count.read(node, context).map(Given::Count),
            Written::Times => VALUES.read(node, context).map(Given::Times),
            Written::Weights => WEIGHTS.read(node, context).map(Given::Weights),
        }
    }

    fn write(given: &Given, context: &Facts) -> Option<String> {
        match given {
            Given::Nothing => None,
            Given::Time(time) => Some(quoted(&write_time(time.ticks()))),
            Given::Number(number) => Some(format!("{number:?}")),
            Given::Count(count) => Some(count.to_string()),
            Given::Times(times) => Some(VALUES.write(times, context)),
            Given::Weights(weights) => Some(WEIGHTS.write(weights, context)),
        }
    }

    fn needed(&self) -> String {
        match self {
            Written::Time => accepted_forms(&[Dimension::Time], ""),
            Written::Number(number) => format!("a {}", number.describe()),
            Written::Count(count) => format!("a {}", count.describe()),
            Written::Times => "a list of times".to_owned(),
            Written::Weights => "a list of numbers".to_owned(),
        }
    }

    fn schema(&self) -> Json {
        match self {
            Written::Time => schema_pattern(&[Dimension::Time], &[]),
            Written::Number(number) => number.schema(),
            Written::Count(count) => count.schema(),
            Written::Times => VALUES.schema(),
            Written::Weights => WEIGHTS.schema(),
        }
    }
}

impl TimeOrDistribution {
    /// Any distribution is accepted.
    pub const ANY: TimeOrDistribution = TimeOrDistribution { positive: false };
    /// A distribution whose mean is at least a nanosecond, for gaps: with a smaller mean, events at one instant might never end.
    pub const POSITIVE: TimeOrDistribution = TimeOrDistribution { positive: true };

    const NEEDED: &str = "a time, such as \"2 ms\", or { distribution = \"exponential\", mean = \"2 ms\" }";

    fn words() -> impl Iterator<Item = &'static str> {
        FAMILIES.iter().map(|family| family.word)
    }

    fn read_table(
        table: &Table,
        place: SourceRange,
        context: &Facts,
    ) -> Result<Distribution, Vec<Diagnostic>> {
        let Some(entry) = table.get("distribution") else {
            let missing = Diagnostic::new(codes::MISSING_KEY, place, "the key `distribution` is missing")
                .with_label(format!("needs distribution = one of {}", words_in_prose(Self::words())));
            return Err(vec![missing]);
        };
        let word = entry.node.text().unwrap_or("");
        let Some(family) = FAMILIES.iter().find(|family| family.word == word) else {
            let near = nearest(word, Self::words()).map(|near| format!("did you mean \"{near}\"?"));
            let unknown = Diagnostic::new(
                codes::UNKNOWN_WORD,
                entry.node.place,
                format!("{} is not a distribution known here", shown_in_message(word)),
            )
            .with_label(format!("must be {}", words_in_prose(Self::words())))
            .with_help_if_given(near);
            return Err(vec![unknown]);
        };
        let keys = || family.keys.iter().map(|key| key.name);
        let mut faults = Vec::new();
        for entry in table.entries.iter().filter(|entry| entry.key != "distribution") {
            if !keys().any(|key| key == entry.key) {
                let unknown = Diagnostic::new(
                    codes::UNKNOWN_KEY,
                    entry.key_place,
                    format!("{} is not a key of \"{word}\"", shown_in_message(&entry.key)),
                )
                .with_label(format!("known here: {}", words_in_prose(keys())))
                .with_help_if_given(did_you_mean(&entry.key, keys()));
                faults.push(unknown);
            }
        }
        let mut given = Vec::new();
        for key in family.keys {
            match table.get(key.name).map(|entry| key.written.read(&entry.node, context)) {
                Some(Ok(value)) => given.push(value),
                Some(Err(more)) => faults.extend(more),
                None if key.required => faults.push(
                    Diagnostic::new(codes::MISSING_KEY, place, format!("the key `{}` is missing", key.name))
                        .with_label(format!("\"{word}\" needs {} = {}", key.name, key.written.needed())),
                ),
                None => given.push(Given::Nothing),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        (family.make)(&given).map_err(|Contradiction(message, label)| {
            vec![Diagnostic::new(codes::CONTRADICTION, place, message).with_label(label)]
        })
    }

    /// Checks that the mean is long enough.
    fn check(&self, read: Distribution, place: SourceRange) -> Result<Distribution, Vec<Diagnostic>> {
        if !self.positive || read.mean_ns() >= 1.0 - 0.5 / TICKS_PER_NS as f64 {
            return Ok(read);
        }
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, place, "the mean is out of range")
            .with_label("must be at least 1 ns on the average");
        Err(vec![fault])
    }
}

/// The word of a distribution, and the values of its keys.
fn taken_apart(value: &Distribution) -> (&'static str, Vec<Given>) {
    match value {
        Distribution::Fixed(value) => ("fixed", vec![Given::Time(*value)]),
        Distribution::Exponential { mean } => ("exponential", vec![Given::Time(*mean)]),
        Distribution::Uniform { low, high } => ("uniform", vec![Given::Time(*low), Given::Time(*high)]),
        Distribution::Normal { mean, deviation } => {
            ("normal", vec![Given::Time(*mean), Given::Time(*deviation)])
        }
        Distribution::Gamma(gamma) => ("gamma", vec![Given::Time(gamma.mean()), Given::Number(gamma.cv())]),
        Distribution::Erlang { phases, sum } => {
            ("erlang", vec![Given::Time(sum.mean()), Given::Count(u64::from(*phases))])
        }
        Distribution::Hyperexponential(two) => {
            ("hyperexponential", vec![Given::Time(two.mean()), Given::Number(two.cv())])
        }
        Distribution::Lognormal(lognormal) => {
            ("lognormal", vec![Given::Time(lognormal.mean()), Given::Number(lognormal.cv())])
        }
        Distribution::Weibull(weibull) => {
            ("weibull", vec![Given::Time(weibull.mean()), Given::Number(weibull.shape())])
        }
        Distribution::Pareto(pareto) => {
            let (least, mean) = match pareto.scale() {
                ParetoScale::Least(least) => (Given::Time(least), Given::Nothing),
                ParetoScale::Mean(mean) => (Given::Nothing, Given::Time(mean)),
            };
            let cap = pareto.cap().map_or(Given::Nothing, Given::Time);
            ("pareto", vec![least, mean, Given::Number(pareto.shape()), cap])
        }
        Distribution::Empirical(values) => {
            let weights = Given::Weights(values.weights().to_vec());
            ("empirical", vec![Given::Times(values.values().to_vec()), weights])
        }
    }
}

impl Quantity for TimeOrDistribution {
    type Value = Distribution;

    fn read(&self, node: &ValueNode, context: &Facts) -> Result<Distribution, Vec<Diagnostic>> {
        let read = match &node.value {
            Value::Table(table) => Self::read_table(table, node.place, context),
            Value::Text(text) if !text.trim().starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                let help = nearest(text, Self::words())
                    .map(|near| format!("a distribution is written {{ distribution = \"{near}\", ... }}"));
                Err(vec![
                    Diagnostic::new(
                        codes::BAD_VALUE,
                        node.place,
                        format!("{} cannot be read", shown_in_message(text)),
                    )
                    .with_label(format!("needs {}", Self::NEEDED))
                    .with_help_if_given(help),
                ])
            }
            Value::Flag(_) | Value::Date | Value::List(_) => {
                Err(vec![Diagnostic::wrong_type(node, Self::NEEDED)])
            }
            _ => {
                parse_quantity(node, &[Dimension::Time], "").map_err(|fault| vec![fault])?;
                read_time(node, "", (0, LONGEST)).map(Distribution::Fixed).map_err(|fault| vec![fault])
            }
        };
        self.check(read?, node.place)
    }

    fn write(&self, value: &Distribution, context: &Facts) -> String {
        if let Distribution::Fixed(value) = value {
            return quoted(&write_time(value.ticks()));
        }
        let (word, given) = taken_apart(value);
        let keys = FAMILIES.iter().find(|family| family.word == word).map_or(&[][..], |family| family.keys);
        let mut toml = format!("{{ distribution = \"{word}\"");
        for (key, given) in keys.iter().zip(&given) {
            if let Some(value) = Written::write(given, context) {
                toml.push_str(&format!(", {} = {value}", key.name));
            }
        }
        toml + " }"
    }

    fn placeholder(&self) -> Distribution {
        Distribution::Fixed(if self.positive { Span::from_ns(1) } else { Span::ZERO })
    }

    fn describe(&self) -> String {
        let form = |family: &Family| {
            let key = |key: &Key| {
                let left_out = if key.required { "" } else { "?" };
                format!("{}{left_out} = ...", key.name)
            };
            let keys: Vec<String> = family.keys.iter().map(key).collect();
            format!("`{{ distribution = \"{}\", {} }}` ({})", family.word, keys.join(", "), family.doc)
        };
        let forms: Vec<String> = FAMILIES.iter().map(form).collect();
        let least = if self.positive { "1 ns to" } else { "up to" };
        format!(
            "time, {least} {}, or {}; keys with `?` may be left out",
            write_time(LONGEST),
            forms.join("; ")
        )
    }

    fn schema(&self) -> Json {
        let mut forms = Vec::new();
        for family in FAMILIES {
            let mut properties = crate::JsonMap::new();
            properties.insert("distribution".to_owned(), json!({ "const": family.word }));
            let mut required = vec!["distribution"];
            for key in family.keys {
                properties.insert(key.name.to_owned(), key.written.schema());
                if key.required {
                    required.push(key.name);
                }
            }
            forms.push(json!({
                "type": "object", "description": family.doc, "properties": properties,
                "required": required, "additionalProperties": false,
            }));
        }
        let time = schema_pattern(&[Dimension::Time], &[]);
        json!({ "anyOf": [time, { "title": "distribution of times", "oneOf": forms }] })
    }
}
