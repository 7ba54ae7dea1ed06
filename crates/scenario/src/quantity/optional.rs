//! A word in place of a number: values that may be absent, and choices with a number among them.

use sansim_kernel::{Span, TICKS_PER_NS};
use serde_json::{Value as Json, json};

use super::measure::{LONGEST, pattern, read_time, write_size, write_time};

use super::{Context, Count, Fault, Quantity, Size, quoted, shown};
use crate::codes::Code;
use crate::suggest::nearest;
use crate::tree::{Node, Value};
use crate::units::Dimension;
use sansim_fc::loop_port::WithinSequence;

/// The size of a cache, or none.
pub(crate) struct CacheSize;

impl CacheSize {
    const SIZE: Size = Size::between(2112, 1 << 32);
}

impl Quantity for CacheSize {
    type Value = Option<u64>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<u64>, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "none") {
            return Ok(None);
        }
        CacheSize::SIZE.read_or(node, "\"none\"").map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Option<u64>, _: &Context) -> String {
        value.map_or_else(|| quoted("none"), |bytes| quoted(&write_size(bytes)))
    }

    fn placeholder(&self) -> Option<u64> {
        None
    }

    fn describe(&self) -> String {
        format!("`\"none\"` or a {}", CacheSize::SIZE.describe())
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Size], &["none"])
    }
}

/// A number of something, or no limit.
pub(crate) struct OrUnlimited(Count<u64>);

impl OrUnlimited {
    /// From `least` to `most`, or no limit.
    pub(crate) const fn between(least: u64, most: u64) -> Self {
        Self(Count::between(least, most))
    }
}

impl Quantity for OrUnlimited {
    type Value = Option<u64>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<u64>, Vec<Fault>> {
        match &node.value {
            Value::Text(text) if text.trim() == "unlimited" => Ok(None),
            Value::Text(text) if text.trim().parse::<u64>().is_err() => Err(vec![
                Fault::new(Code::UnknownWord, node.place, format!("{} is not known here", shown(text)))
                    .label("needs a whole number, or \"unlimited\"")
                    .maybe_help(nearest(text, ["unlimited"]).map(|near| format!("did you mean \"{near}\"?"))),
            ]),
            _ => self.0.read_number(node, ", or \"unlimited\",").map(Some).map_err(|fault| vec![fault]),
        }
    }

    fn write(&self, value: &Option<u64>, _: &Context) -> String {
        value.map_or_else(|| quoted("unlimited"), |count| count.to_string())
    }

    fn placeholder(&self) -> Option<u64> {
        None
    }

    fn describe(&self) -> String {
        format!("`\"unlimited\"` or a {}", self.0.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "const": "unlimited" }, self.0.schema()] })
    }
}

/// What a port does between two frames of a sequence: two words, or how many frames it gathers.
pub(crate) struct WithinSequenceRule;

impl WithinSequenceRule {
    const FRAMES: Count<u32> = Count::between(1, 1_000_000);
    const WORDS: [(&'static str, WithinSequence); 2] =
        [("hold", WithinSequence::Hold), ("close", WithinSequence::Close)];
}

impl Quantity for WithinSequenceRule {
    type Value = WithinSequence;

    fn read(&self, node: &Node, _: &Context) -> Result<WithinSequence, Vec<Fault>> {
        let words = || WithinSequenceRule::WORDS.iter().map(|(word, _)| *word);
        match &node.value {
            Value::Text(text) if text.trim().parse::<u64>().is_err() => {
                let known = WithinSequenceRule::WORDS.iter().find(|(word, _)| *word == text.trim());
                known.map(|(_, meaning)| *meaning).ok_or_else(|| {
                    vec![
                        Fault::new(
                            Code::UnknownWord,
                            node.place,
                            format!("{} is not known here", shown(text)),
                        )
                        .label("needs \"hold\", \"close\" or a number of frames")
                        .maybe_help(nearest(text, words()).map(|near| format!("did you mean \"{near}\"?"))),
                    ]
                })
            }
            _ => WithinSequenceRule::FRAMES
                .read_number(node, ", \"hold\" or \"close\"")
                .map(|frames| WithinSequence::Gather(u32::try_from(frames).unwrap_or(u32::MAX)))
                .map_err(|fault| vec![fault]),
        }
    }

    fn write(&self, value: &WithinSequence, _: &Context) -> String {
        match value {
            WithinSequence::Hold => quoted("hold"),
            WithinSequence::Close => quoted("close"),
            WithinSequence::Gather(frames) => frames.to_string(),
        }
    }

    fn placeholder(&self) -> WithinSequence {
        WithinSequence::Hold
    }

    fn describe(&self) -> String {
        format!("`\"hold\"`, `\"close\"` or a {}", WithinSequenceRule::FRAMES.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "enum": ["hold", "close"] }, WithinSequenceRule::FRAMES.schema()] })
    }
}

/// How many I/Os are measured, or no number of them.
pub(crate) struct MeasuredRule;

impl MeasuredRule {
    const COUNT: Count<u64> = Count::between(1, 1_000_000_000);
}

impl Quantity for MeasuredRule {
    type Value = Option<u64>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<u64>, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "none") {
            return Ok(None);
        }
        MeasuredRule::COUNT.read_number(node, "").map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Option<u64>, _: &Context) -> String {
        value.map_or_else(|| quoted("none"), |count| count.to_string())
    }

    fn placeholder(&self) -> Option<u64> {
        Some(1)
    }

    fn describe(&self) -> String {
        format!("`\"none\"` or a {}", MeasuredRule::COUNT.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "const": "none" }, MeasuredRule::COUNT.schema()] })
    }
}

/// How much simulated time is measured, or no given time.
pub(crate) struct DurationRule;

impl DurationRule {
    /// A nanosecond to a day.
    const RANGE: (u64, u64) = (TICKS_PER_NS, 24 * LONGEST);
}

impl Quantity for DurationRule {
    type Value = Option<Span>;

    fn read(&self, node: &Node, _: &Context) -> Result<Option<Span>, Vec<Fault>> {
        if node.text().is_some_and(|text| text.trim() == "none") {
            return Ok(None);
        }
        read_time(node, "\"none\"", DurationRule::RANGE).map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Option<Span>, _: &Context) -> String {
        quoted(&value.map_or_else(|| "none".to_owned(), |span| write_time(span.ticks())))
    }

    fn placeholder(&self) -> Option<Span> {
        None
    }

    fn describe(&self) -> String {
        let (least, most) = DurationRule::RANGE;
        format!("`\"none\"` or a time, {} to {}", write_time(least), write_time(most))
    }

    fn schema(&self) -> Json {
        pattern(&[Dimension::Time], &["none"])
    }
}
