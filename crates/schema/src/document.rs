//! Documents: TOML files that are not scenarios but get the same error messages; study files are read from Python, which gets the tree with
//! the place of every key and value, and returns its findings.

use std::path::Path;

use crate::codes::{self, Code};
use crate::file::read_text;
use crate::report::{Problem, ProblemReport};
use crate::source::{SourceRange, SourceTexts};
use crate::tree::{self, Value, ValueNode};
use crate::units;

/// A TOML file as a tree that remembers where everything was written.
#[derive(Clone, Debug)]
pub struct Document {
    sources: SourceTexts,
    name: String,
    root: Vec<TableEntry>,
}

/// A range of bytes in the text: the first byte, and the one behind the last.
pub type TextRange = (usize, usize);

/// A key of a table, with its value.
#[derive(Clone, Debug)]
pub struct TableEntry {
    /// The key.
    pub key: String,
    /// The range of the key.
    pub key_range: TextRange,
    /// The value.
    pub item: TomlItem,
}

/// A value and its range.
#[derive(Clone, Debug)]
pub struct TomlItem {
    /// The value.
    pub content: TomlContent,
    /// The range of the value.
    pub range: TextRange,
}

/// The kinds of TOML values.
#[derive(Clone, Debug)]
pub enum TomlContent {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Any other number, and whole numbers beyond 64 bits.
    Float(f64),
    /// True or false.
    Flag(bool),
    /// A date or time, which no document uses.
    Date,
    /// A list.
    List(Vec<TomlItem>),
    /// A table.
    Table(Vec<TableEntry>),
}

/// A problem found in a document.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The kind of problem.
    pub code: Code,
    /// The place of the problem; none for the file as a whole.
    pub range: Option<TextRange>,
    /// The dotted path of the key.
    pub key: String,
    /// The error, in one sentence without a full stop.
    pub message: String,
    /// A few words beside the caret.
    pub label: String,
    /// The correction.
    pub help: Option<String>,
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// The reason why the file cannot be read, or every place that is not valid TOML.
    pub fn load(path: impl AsRef<Path>) -> Result<Document, ProblemReport> {
        let path = path.as_ref();
        let name = path.display().to_string();
        Document::parse(&read_text(path, &name)?, &name)
    }

    /// Reads a text; `name` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// Every place that is not valid TOML.
    pub fn parse(text: &str, name: &str) -> Result<Document, ProblemReport> {
        let sources = SourceTexts::new(name, text, &[], "");
        let mut faults = Vec::new();
        let table = tree::parse_file(text, &mut faults);
        if !faults.is_empty() {
            let problems = faults.into_iter().map(|fault| Problem {
                code: fault.code,
                at: sources.excerpt(fault.place),
                key: fault.key,
                message: fault.message,
                label: String::new(),
                help: fault.help,
                related: fault.related.map(|(place, label)| (sources.excerpt(place), label.to_owned())),
            });
            return Err(ProblemReport { source: name.to_owned(), problems: problems.collect() });
        }
        let root = members(table);
        if root.is_empty() {
            let message = "the file has no content".to_owned();
            return Err(ProblemReport::single_problem(name, codes::EMPTY, message, None));
        }
        Ok(Document { sources, name: name.to_owned(), root })
    }

    /// The keys of the top level.
    pub fn root(&self) -> &[TableEntry] {
        &self.root
    }

    /// The findings as a report with line and caret, in the order of the file.
    pub fn report(&self, mut findings: Vec<Finding>) -> ProblemReport {
        findings.sort_by_key(|finding| (finding.range, finding.code));
        let clean = |text: String| text.replace(char::is_control, "\u{fffd}");
        let problems = findings.into_iter().map(|finding| Problem {
            code: finding.code,
            at: self.sources.excerpt(finding.range.map_or(SourceRange::FILE, |(start, end)| SourceRange {
                text: 0,
                start,
                end,
            })),
            key: clean(finding.key),
            message: clean(finding.message),
            label: clean(finding.label),
            help: finding.help.map(clean),
            related: None,
        });
        ProblemReport { source: self.name.clone(), problems: problems.collect() }
    }
}

/// A single value that is in no file, such as that of a [`crate::writer::Setting`]; none if it is no TOML.
pub fn value(toml: &str) -> Option<TomlContent> {
    tree::parse_value(toml, 0, 0).map(|node| item(node).content)
}

fn members(table: tree::Table) -> Vec<TableEntry> {
    let member = |entry: tree::DocumentEntry| TableEntry {
        key: entry.key,
        key_range: range(entry.key_place),
        item: item(entry.node),
    };
    table.entries.into_iter().map(member).collect()
}

fn item(node: ValueNode) -> TomlItem {
    let content = match node.value {
        Value::Text(text) => TomlContent::Text(text),
        Value::Integer(number) => {
            let number = number.unwrap_or(i128::MAX);
            i64::try_from(number).map_or(TomlContent::Float(number as f64), TomlContent::Integer)
        }
        Value::Float(number) => TomlContent::Float(number.replace('_', "").parse().unwrap_or(f64::NAN)),
        Value::Flag(flag) => TomlContent::Flag(flag),
        Value::Date => TomlContent::Date,
        Value::List(list) => TomlContent::List(list.into_iter().map(item).collect()),
        Value::Table(table) => TomlContent::Table(members(table)),
    };
    TomlItem { content, range: range(node.place) }
}

fn range(place: SourceRange) -> TextRange {
    (place.start, place.end)
}

/// The quantity `64 KiB` as 64 and `KiB`, for any unit; none if the text is not a number with a unit.
pub fn split_quantity(text: &str) -> Option<(f64, &str)> {
    let (number, unit, _) = units::split_number_and_unit(text.trim());
    units::Decimal::parse(number).ok()?;
    let number = number.replace('_', "").parse().ok()?;
    (!unit.is_empty()).then_some((number, unit))
}

/// Every unit with its dimension and its factor to the base unit: ns, bytes, bytes per second, metres, ns per metre, one.
pub fn unit_factors() -> Vec<(&'static str, &'static str, f64)> {
    let ticks_per_ns = sansim_kernel::TICKS_PER_NS as f64;
    let known = units::UNITS.iter().filter_map(|unit| {
        let (dimension, per_base) = match unit.dimension {
            units::Dimension::Time => ("time", ticks_per_ns),
            units::Dimension::Size => ("size", 1.0),
            units::Dimension::Rate => ("rate", 1.0),
            units::Dimension::Length => ("length", 1e6),
            units::Dimension::Propagation => ("propagation", 1e3),
            units::Dimension::Words => ("number", 1.0),
            units::Dimension::Share => ("number", 1e6),
            units::Dimension::Frequency => ("number", 1e6),
            // 2GFC is the name of a speed and no quantity.
            units::Dimension::Speed => return None,
        };
        Some((unit.name, dimension, unit.numerator as f64 / unit.denominator as f64 / per_base))
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_keeps_the_place_of_every_value() {
        let text = "a = 1\n[b]\nc = [\"x\", { d = 2.5 }]\n";
        let document = Document::parse(text, "f.toml").expect("valid");
        let b = &document.root()[1];
        assert_eq!(&text[b.key_range.0..b.key_range.1], "b");
        let TomlContent::Table(inner) = &b.item.content else { panic!("a table") };
        let TomlContent::List(list) = &inner[0].item.content else { panic!("a list") };
        assert_eq!(&text[list[0].range.0..list[0].range.1], "\"x\"");
    }

    #[test]
    fn findings_are_reported_with_line_and_caret() {
        let document = Document::parse("title = 1\naxis = 2\n", "f.toml").expect("valid");
        let report = document.report(vec![Finding {
            code: codes::UNKNOWN_KEY,
            range: Some((10, 14)),
            key: "axis".to_owned(),
            message: "a study has no key `axis`".to_owned(),
            label: "unknown key".to_owned(),
            help: Some("did you mean `axes`?".to_owned()),
        }]);
        let text = report.to_string();
        assert!(text.contains("--> f.toml:2:1") && text.contains("^^^^ unknown key"), "{text}");
    }

    #[test]
    fn syntax_errors_and_empty_files_are_reported() {
        assert!(Document::parse("a = \n", "f").is_err());
        assert!(Document::parse("# nothing\n", "f").is_err());
    }

    #[test]
    fn unit_factors_lead_to_the_base_units() {
        let factor = |name: &str| unit_factors().into_iter().find(|unit| unit.0 == name).map(|unit| unit.2);
        assert_eq!(factor("us"), Some(1e3));
        assert_eq!(factor("KiB"), Some(1024.0));
        assert_eq!(factor("MB/s"), Some(1e6));
        assert_eq!(factor("km"), Some(1e3));
        assert_eq!(factor("ns/m"), Some(1.0));
        assert_eq!((factor("words"), factor("%"), factor("GFC")), (Some(1.0), Some(0.01), None));
    }

    #[test]
    fn a_quantity_is_a_number_and_what_stands_behind_it() {
        for (text, number, unit) in
            [("64 KiB", 64.0, "KiB"), (" 1_000.5ns ", 1000.5, "ns"), ("3 apples a day", 3.0, "apples a day")]
        {
            assert_eq!(split_quantity(text), Some((number, unit)));
        }
        for none in ["", "64", "KiB", "-3 us", "1. s", "1_ s", "1e3 s x", "fair"] {
            assert!(split_quantity(none).is_none_or(|(_, unit)| units::unit_named(unit).is_none()), "{none}");
        }
    }
}
