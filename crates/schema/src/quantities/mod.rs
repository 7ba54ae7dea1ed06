//! The common quantities.

mod amount;
mod any_value;
mod choice;
mod count;
mod distribution;
mod file_name;
mod frequency;
mod list;
mod measure;
mod number;
mod or_word;
mod written;

pub use amount::{ByteRate, LONGEST, Percentage, Share, Size, Time, read_time};
pub use any_value::AnyValue;
pub use choice::{Choice, ChoiceOr, Name, NameList, NamesIfAny, NamesOrOne, RuleWord, Text, read_all};
pub use count::{Count, Flag, Fraction};
pub use distribution::TimeOrDistribution;
pub use file_name::{FileName, Folder, NamedFile, confine};
pub use frequency::{Frequency, PerTime};
pub use list::ListOf;
pub use measure::{accepted_forms, parse_in_base_units, parse_quantity, range_words, schema_pattern};
pub use number::Number;
pub use or_word::{CountOr, Dimensioned, OrElse, OrUnlimited, OrWord};
pub use written::{in_largest_unit, in_shortest_unit, write_rate, write_size, write_time};
