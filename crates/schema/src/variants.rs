//! Variants: a table of which there are several forms, selected by a word in it, which determines its other keys.
//!
//! The [`variants!`](crate::variants!) macro has a line for each variant: the word, and the structure declared with
//! [`table!`](crate::table!) that has its keys.

use crate::decision::{Decision, DecisionDoc};
use crate::doc::{DefaultDoc, FieldDoc, TableDoc, VariantDoc};
use crate::fault::Diagnostic;
use crate::quantity::{Quantity, quoted, shown_in_message};
use crate::reader::Reader;
use crate::sink::ProblemSink;
use crate::suggest::{nearest, words_in_prose};
use crate::tree::ValueNode;
use crate::words::WordDoc;
use crate::{codes, context::Facts};
use serde_json::{Value as Json, json};

/// The words of messages for a variant that has no word.
pub const NO_WORD: &str = "a rule of your own";

/// The word that selects a variant of a table.
pub struct VariantWord {
    /// The words.
    pub words: &'static [&'static str],
}

impl Quantity for VariantWord {
    type Value = &'static str;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<&'static str, Vec<Diagnostic>> {
        let words = || self.words.iter().copied();
        let Some(text) = node.text() else {
            return Err(vec![Diagnostic::wrong_type(node, &words_in_prose(words()))]);
        };
        words().find(|word| *word == text.trim()).ok_or_else(|| {
            let near = nearest(text.trim(), words()).map(|near| format!("did you mean \"{near}\"?"));
            let unknown = Diagnostic::new(
                codes::UNKNOWN_WORD,
                node.place,
                format!("{} is not known here", shown_in_message(text)),
            );
            vec![unknown.with_label(format!("must be {}", words_in_prose(words()))).with_help_if_given(near)]
        })
    }

    fn write(&self, value: &&'static str, _: &Facts) -> String {
        quoted(value)
    }

    fn placeholder(&self) -> &'static str {
        self.words[0]
    }

    fn describe(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| format!("`\"{word}\"`")).collect();
        format!("one of {}", words.join(", "))
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "enum": self.words })
    }
}

/// Reads the word of a variant; if the word is unknown, the messages about the other keys are dropped.
pub fn read_variant_word<T>(
    reader: &mut Reader<'_, '_>,
    key: &'static str,
    words: &'static [&'static str],
    default: Option<&'static str>,
    read: impl FnOnce(&mut Reader<'_, '_>, &'static str) -> T,
) -> T {
    let quantity = VariantWord { words };
    let before = reader.sink.problem_count();
    let word = match default {
        Some(default) => reader.read_or_default(key, &quantity, &quoted(default)),
        None => reader.read_required(key, &quantity, &quoted(words[0])),
    };
    if reader.sink.problem_count() == before {
        return read(reader, word);
    }
    let mut nobody = ProblemSink::new(reader.sink.sources());
    let Reader { context, path, table, header, also_known, .. } = *reader;
    read(&mut Reader { sink: &mut nobody, context, path, table, header, also_known }, word)
}

/// A value in place of the word of a variant: its form in words, its JSON Schema, and the decision for which it names a rule.
pub struct InPlaceOfWord {
    written: String,
    schema: Json,
    decision: Option<&'static Decision>,
}

impl InPlaceOfWord {
    /// The values of a quantity.
    pub fn values_of(quantity: &impl Quantity) -> Self {
        Self { written: quantity.describe(), schema: quantity.schema(), decision: quantity.decision() }
    }
}

/// The description of the table as a whole.
pub fn table_description(
    doc: String,
    key: &'static str,
    words: &'static [&'static str],
    (default, source): (Option<&'static str>, &'static str),
    variants: Vec<VariantDoc>,
    (decision, in_place): (Option<&'static Decision>, Option<InPlaceOfWord>),
) -> TableDoc {
    let quantity = VariantWord { words };
    let meanings = variants.iter().map(|variant| variant.table.doc.as_str());
    let written: Vec<String> =
        words.iter().zip(meanings).map(|(word, doc)| format!("`\"{word}\"` ({})", first(doc))).collect();
    let rule = |variant: &VariantDoc| WordDoc { word: variant.word, meaning: "", source: "" };
    let rules = variants.iter().map(rule).collect();
    let words_written = format!("one of {}", written.join("; "));
    let (written, schema) = match &in_place {
        None => (words_written, quantity.schema()),
        Some(value) => (
            format!("{words_written}; or {}", value.written),
            json!({ "anyOf": [quantity.schema(), value.schema] }),
        ),
    };
    let field = FieldDoc {
        name: key,
        doc: "Which of these it is; the other keys follow from that.".to_owned(),
        source,
        written,
        schema,
        words: Vec::new(),
        decision: in_place
            .as_ref()
            .and_then(|value| value.decision)
            .or(decision)
            .map(|decision| DecisionDoc { decision, rules }),
        // The default is TOML, which a word without quotes is not.
        default: default.map_or(DefaultDoc::Required(""), DefaultDoc::Word),
        changes: false,
    };
    TableDoc {
        doc,
        fields: vec![field],
        tables: Vec::new(),
        variants,
        in_place_of_word: in_place.map(|value| value.schema),
        removed: Vec::new(),
        renamed: Vec::new(),
    }
}

/// The first sentence of a text, without its full stop.
fn first(text: &str) -> &str {
    let sentence = text.split_once(". ").map_or(text, |(first, _)| first);
    sentence.trim_end_matches('.')
}

/// Declares a table with several variants.
///
/// ```
/// use sansim_schema::quantities::Count;
///
/// sansim_schema::table! {
///     /// Burns wax.
///     pub struct Candle {
///         /// How many wicks it has.
///         wicks: u32 = Count::<u32>::between(1, 9), default "1", source "ours: an example";
///     }
/// }
/// sansim_schema::table! {
///     /// Burns gas.
///     pub struct GasLamp {}
/// }
/// sansim_schema::variants! {
///     /// Where light comes from.
///     pub enum Light by "burns", default "wax", source "ours: an example" {
///         Candle(Candle) = "wax",
///         GasLamp(GasLamp) = "gas",
///     }
/// }
/// ```
///
/// Without `default "word", source "where from"` the word is required. `decides DECISION` names the decision of which the variants are rules. With `or VARIANT(TYPE) = (QUANTITY)` behind it a table may be in place of
/// the word: a value of that quantity, which is a variant without a word and without other keys.
#[macro_export]
macro_rules! variants {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),+)])?
        pub enum $name:ident by $key:literal $(, default $default:literal, source $source:literal)?
        $(, decides $decision:ident)? $(, or $own:ident($own_type:ty) = $own_quantity:tt)? {
            $($(#[doc = $variant_doc:literal])* $variant:ident($table:ty) = $word:literal,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq $($(, $derive)+)?)]
        pub enum $name {
            $(
                #[doc = concat!("`", $key, " = \"", $word, "\"`.")]
                $(#[doc = $variant_doc])*
                $variant($table),
            )*
            $(
                #[doc = concat!("A table in place of the word of `", $key, "`.")]
                $own($own_type),
            )?
        }

        impl $name {
            /// The words, in the order of the list.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            const DEFAULT: Option<&'static str> = {
                #[allow(unused_mut, unused_assignments)]
                let mut default: Option<&'static str> = None;
                $(default = Some($default);)?
                default
            };

            /// The word of this variant.
            pub fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $word,)*
                    $(Self::$own(_) => $crate::variants::NO_WORD,)?
                }
            }

            const SOURCE: &'static str = concat!("" $(, $source)?);

            fn take_as(reader: &mut $crate::reader::Reader<'_, '_>, word: &'static str) -> Self {
                match word {
                    $($word => Self::$variant(<$table as $crate::table::Tabular>::take(reader)),)*
                    _ => unreachable!("one of the words"),
                }
            }
        }

        impl $crate::table::Tabular for $name {
            fn keys() -> Vec<&'static str> {
                let mut keys: Vec<&'static str> = vec![$key];
                $(keys.extend(<$table as $crate::table::Tabular>::keys());)*
                keys.sort_unstable();
                keys.dedup();
                keys
            }

            fn take(reader: &mut $crate::reader::Reader<'_, '_>) -> Self {
                $(if let Some(own) = reader.read_in_place_of_word($key, &$own_quantity) {
                    return Self::$own(own);
                })?
                $crate::variants::read_variant_word(reader, $key, Self::WORDS, Self::DEFAULT, Self::take_as)
            }

            fn read(reader: &mut $crate::reader::Reader<'_, '_>) -> Self {
                $(if let Some(own) = reader.read_in_place_of_word($key, &$own_quantity) {
                    reader.report_unknown_keys(&[$key], <Self as $crate::table::Tabular>::describe);
                    return Self::$own(own);
                })?
                $crate::variants::read_variant_word(reader, $key, Self::WORDS, Self::DEFAULT, |reader, word| {
                    let taken = Self::take_as(reader, word);
                    match word {
                        $($word => {
                            let mut keys: Vec<&'static str> = vec![$key];
                            keys.extend(<$table as $crate::table::Tabular>::keys());
                            reader.report_unknown_keys(&keys, <$table as $crate::table::Tabular>::describe);
                        })*
                        _ => {}
                    }
                    taken
                })
            }

            fn check(&self, keys: &mut $crate::keys::Keys<'_, '_>) {
                match self {
                    $(Self::$variant(table) => $crate::table::Tabular::check(table, keys),)*
                    $(Self::$own(_) => {})?
                }
            }

            fn idle(&self, idle: &mut $crate::idle::IdleKeys) {
                match self {
                    $(Self::$variant(table) => $crate::table::Tabular::idle(table, idle),)*
                    $(Self::$own(_) => {})?
                }
            }

            fn write_keys(&self, writer: &mut $crate::writer::TomlWriter) {
                $(if let Self::$own(own) = self {
                    let toml = $crate::quantity::Quantity::write(&$own_quantity, own, writer.facts());
                    return writer.write_field($key, &toml, None, false);
                })?
                let is_default = Self::DEFAULT == Some(self.word());
                writer.write_field($key, &$crate::quantity::quoted(self.word()), None, is_default);
                match self {
                    $(Self::$variant(table) => $crate::table::Tabular::write_keys(table, writer),)*
                    $(Self::$own(_) => {})?
                }
            }

            fn write_tables(&self, writer: &mut $crate::writer::TomlWriter) {
                match self {
                    $(Self::$variant(table) => $crate::table::Tabular::write_tables(table, writer),)*
                    $(Self::$own(_) => {})?
                }
            }

            fn describe() -> $crate::doc::TableDoc {
                let variants = vec![$($crate::doc::VariantDoc {
                    key: $key,
                    word: $word,
                    table: <$table as $crate::table::Tabular>::describe(),
                }),*];
                let doc = $crate::doc::join_doc_lines(&[$($doc),*]);
                #[allow(unused_mut, unused_assignments)]
                let mut decision: Option<&'static $crate::decision::Decision> = None;
                $(decision = Some(&$decision);)?
                #[allow(unused_mut, unused_assignments)]
                let mut in_place: Option<$crate::variants::InPlaceOfWord> = None;
                $(in_place = Some($crate::variants::InPlaceOfWord::values_of(&$own_quantity));)?
                $crate::variants::table_description(
                    doc, $key, Self::WORDS, (Self::DEFAULT, Self::SOURCE), variants, (decision, in_place),
                )
            }

            fn unreadable_defaults(context: &$crate::context::Facts) -> Vec<&'static str> {
                let mut unreadable: Vec<&'static str> = Vec::new();
                $(unreadable.extend(<$table as $crate::table::Tabular>::unreadable_defaults(context));)*
                unreadable
            }
        }
    };
}
