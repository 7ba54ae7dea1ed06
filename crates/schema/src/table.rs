//! The keys of a table, each declared once with its quantity and its default, from which the Rust structure, its reader, its checks, its
//! writer and its documentation are made.
//!
//! The [`table!`](crate::table!) macro takes, for every key of a TOML table, the name, the Rust type, its quantity, the default and the
//! documentation. A key is declared in no other place.

use crate::context::Facts;
use crate::doc::TableDoc;
use crate::idle::IdleKeys;
use crate::keys::Keys;
pub use crate::named::NamedValue;
use crate::reader::Reader;
use crate::report::ProblemReport;
use crate::sink::ProblemSink;
use crate::source::{SourceRange, SourceTexts};
use crate::tree::parse_file;
use crate::writer::TomlWriter;

/// The key for a field of a structure: a field named by a keyword of Rust begins with `r#`.
pub const fn key_of(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

/// A TOML table that becomes a Rust structure.
pub trait Tabular: Sized {
    /// The names of the keys, then those of the inner tables.
    fn keys() -> Vec<&'static str>;

    /// Reads the keys and the inner tables. Errors go to the reader's sink, and a placeholder replaces the value.
    fn take(reader: &mut Reader<'_, '_>) -> Self;

    /// Compares keys of this table with each other: called when the whole scenario has been read.
    fn check(&self, keys: &mut Keys<'_, '_>);

    /// Adds the keys that have no effect beside the other keys of this table.
    fn idle(&self, idle: &mut IdleKeys);

    /// Writes every key, then the inner tables: a key after a table would belong to it.
    fn write(&self, writer: &mut TomlWriter) {
        self.write_keys(writer);
        self.write_tables(writer);
    }

    /// Writes every key.
    fn write_keys(&self, writer: &mut TomlWriter);

    /// Writes the inner tables.
    fn write_tables(&self, writer: &mut TomlWriter);

    /// The documentation of the keys.
    fn describe() -> TableDoc;

    /// The keys whose default or example cannot be parsed; a test requires that there are none.
    fn unreadable_defaults(context: &Facts) -> Vec<&'static str>;

    /// Reads the whole table; an unknown key is reported.
    fn read(reader: &mut Reader<'_, '_>) -> Self {
        let table = Self::take(reader);
        reader.report_unknown_keys(&Self::keys(), Self::describe);
        table
    }

    /// Reads a single table, for a test: the text has its keys, without a header.
    ///
    /// # Errors
    ///
    /// All errors in the text. Keys are not compared with each other in this function.
    fn from_toml(text: &str, context: &Facts) -> Result<Self, ProblemReport> {
        let sources = SourceTexts::new("text", text, &[], "");
        let mut sink = ProblemSink::new(&sources);
        let mut faults = Vec::new();
        let root = parse_file(text, &mut faults);
        for fault in faults {
            sink.report_tree(fault);
        }
        let (path, header) = ("", SourceRange::FILE);
        let mut reader =
            Reader { sink: &mut sink, context, path, table: Some(&root), header, also_known: &[] };
        let table = Self::read(&mut reader);
        if sink.is_empty() { Ok(table) } else { Err(sink.into_report("text")) }
    }
}

/// Declares the structure of a TOML table.
///
/// ```
/// use sansim_schema::quantities::{Count, Flag};
///
/// sansim_schema::table! {
///     /// A lamp.
///     pub struct Lamp {
///         /// How many bulbs it has.
///         bulbs: u32 = Count::<u32>::between(1, 9), default "1", source "The lamp maker's handbook, 3.1";
///         /// Whether it shines on both sides.
///         both_sides: bool = Flag, follows "`bulbs`: true for several" |_context| bulbs > 1, source "";
///     }
/// }
/// ```
///
/// A key is `required "example"`, has a `default "TOML"`, or `follows "words" |context| value` the keys before it or the
/// [context](crate::context). `changes` behind the source of a key says that an event may change its value during a run. After the structure may follow, in this order: `parts { name: Type; }`, described structures whose keys and
/// tables are in this table as if they were its own; `tables { name: Type; }`, tables within this one; `named { name: Type; }`, any number
/// of tables within that have names of their own below this one; `checks(method, ...)`, methods `fn(&self, &mut Keys)` that compare keys
/// with each other; `idle(method, ...)`, methods `fn(&self, &mut IdleKeys)` that name the keys without effect beside the others;
/// `removed("key" since "2026-11-29": "why, and what to write instead", ...)`, keys that earlier versions had; `renamed("old" to "new", ...)`, keys
/// that had another name in format 0, which `sansim migrate` rewrites.
#[macro_export]
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),+)])?
        pub struct $name:ident $(<$param:ident: $bound:path>)? {
            $(
                $(#[doc = $field_doc:literal])*
                $field:ident: $type:ty = $quantity:expr, $how:ident $text:literal $(|$context:ident| $follow:expr)?,
                source $source:literal $($changes:ident)?;
            )*
        }
        $(parts { $($(#[doc = $part_doc:literal])* $part:ident: $part_type:ty;)* })?
        $(tables { $($(#[doc = $table_doc:literal])* $table:ident: $table_type:ty;)* })?
        $(named { $($(#[doc = $named_doc:literal])* $named:ident: $named_type:ty;)* })?
        $(checks($($check:ident),+))?
        $(idle($($idle:ident),+))?
        $(removed($($removed:literal since $since:literal: $instead:literal),+ $(,)?))?
        $(renamed($($was:literal to $now:literal),+ $(,)?))?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq $($(, $derive)+)?)]
        pub struct $name $(<$param: $bound>)? {
            $($(#[doc = $field_doc])* pub $field: $type,)*
            $($($(#[doc = $part_doc])* pub $part: $part_type,)*)?
            $($($(#[doc = $table_doc])* pub $table: $table_type,)*)?
            $($($(#[doc = $named_doc])* pub $named: Vec<$crate::table::NamedValue<$named_type>>,)*)?
        }

        impl $(<$param: $bound>)? $crate::table::Tabular for $name $(<$param>)? {
            fn keys() -> Vec<&'static str> {
                #[allow(unused_mut)]
                let mut keys: Vec<&'static str> = vec![$($crate::table::key_of(stringify!($field))),*];
                $($(keys.extend(<$part_type as $crate::table::Tabular>::keys());)*)?
                $($(keys.push(stringify!($table));)*)?
                $($(keys.push(stringify!($named));)*)?
                keys
            }

            fn take(reader: &mut $crate::reader::Reader<'_, '_>) -> Self {
                $(let $field: $type =
                    $crate::table!(@read reader $field $quantity, $how $text $(|$context| $follow)?);)*
                $($(let $part = <$part_type as $crate::table::Tabular>::take(reader);)*)?
                $($(let $table = reader.read_table(stringify!($table), <$table_type as $crate::table::Tabular>::read);)*)?
                $($(let $named = reader.read_named_tables(stringify!($named), <$named_type as $crate::table::Tabular>::read);)*)?
                Self { $($field,)* $($($part,)*)? $($($table,)*)? $($($named,)*)? }
            }

            #[allow(unused_variables)]
            fn check(&self, keys: &mut $crate::keys::Keys<'_, '_>) {
                $($(self.$check(keys);)+)?
                $($($crate::table::Tabular::check(&self.$part, keys);)*)?
                $($($crate::table::Tabular::check(&self.$table, &mut keys.keys_of_inner_table(stringify!($table)));)*)?
                $($(for one in &self.$named {
                    $crate::table::Tabular::check(&one.described, &mut keys.keys_of_inner_table(stringify!($named)).keys_of_inner_table(&one.name));
                })*)?
            }

            #[allow(unused_variables)]
            fn idle(&self, idle: &mut $crate::idle::IdleKeys) {
                $($(self.$idle(idle);)+)?
                $($($crate::table::Tabular::idle(&self.$part, idle);)*)?
                $($(idle.collect_table(stringify!($table), |idle| $crate::table::Tabular::idle(&self.$table, idle));)*)?
                $($(for one in &self.$named {
                    let path = format!("{}.{}", stringify!($named), one.name);
                    idle.collect_table(&path, |idle| $crate::table::Tabular::idle(&one.described, idle));
                })*)?
            }

            #[allow(unused_variables)]
            fn write_keys(&self, writer: &mut $crate::writer::TomlWriter) {
                $(let $field = self.$field.clone();)*
                $(
                    let toml = $crate::quantity::Quantity::write(&$quantity, &$field, writer.facts());
                    let follows = $crate::table!(@follows writer $field $how $text $(|$context| $follow)?);
                    let is_default = follows.is_some()
                        || $crate::table!(@is_default writer $field $quantity, $how $text);
                    let words = $crate::quantity::Quantity::values(&$quantity);
                    writer.write_choice($crate::table::key_of(stringify!($field)), &toml, follows, is_default, &words);
                )*
                $($($crate::table::Tabular::write_keys(&self.$part, writer);)*)?
            }

            #[allow(unused_variables)]
            fn write_tables(&self, writer: &mut $crate::writer::TomlWriter) {
                $($($crate::table::Tabular::write_tables(&self.$part, writer);)*)?
                $($(writer.write_table(stringify!($table), None, |writer| {
                    $crate::table::Tabular::write(&self.$table, writer);
                });)*)?
                $($(for one in &self.$named {
                    let path = format!("{}.{}", stringify!($named), one.name);
                    writer.write_table(&path, None, |writer| $crate::table::Tabular::write(&one.described, writer));
                })*)?
            }

            fn describe() -> $crate::doc::TableDoc {
                #[allow(unused_mut)]
                let mut fields = vec![$($crate::doc::FieldDoc {
                    name: $crate::table::key_of(stringify!($field)),
                    doc: $crate::doc::join_doc_lines(&[$($field_doc),*]),
                    source: $source,
                    written: $crate::quantity::Quantity::describe(&$quantity),
                    schema: $crate::quantity::Quantity::schema(&$quantity),
                    words: $crate::quantity::Quantity::words(&$quantity),
                    decision: $crate::quantity::Quantity::decision(&$quantity).map(|decision| {
                        let rules = $crate::quantity::Quantity::words(&$quantity);
                        $crate::decision::DecisionDoc { decision, rules }
                    }),
                    default: $crate::table!(@default $how $text),
                    changes: $crate::table!(@changes $($changes)?),
                }),*];
                $($(fields.extend(<$part_type as $crate::table::Tabular>::describe().fields);)*)?
                #[allow(unused_mut)]
                let mut tables: Vec<$crate::doc::InnerDoc> = vec![
                    $($($crate::doc::InnerDoc::optional_table(
                        stringify!($table), <$table_type as $crate::table::Tabular>::describe(),
                    )),*)?
                ];
                $($(tables.extend(<$part_type as $crate::table::Tabular>::describe().tables);)*)?
                $($(tables.push($crate::doc::InnerDoc {
                    name: stringify!($named),
                    stands: $crate::doc::TablePlacement::Named,
                    need: $crate::doc::TableNeed::Any,
                    doc: $crate::doc::join_doc_lines(&[$($named_doc),*]),
                    table: <$named_type as $crate::table::Tabular>::describe(),
                });)*)?
                #[allow(unused_mut)]
                let mut removed: Vec<$crate::doc::RemovedDoc> = vec![
                    $($($crate::doc::RemovedDoc { name: $removed, since: $since, instead: $instead }),+)?
                ];
                $($(removed.extend(<$part_type as $crate::table::Tabular>::describe().removed);)*)?
                #[allow(unused_mut)]
                let mut renamed: Vec<$crate::doc::RenamedDoc> =
                    vec![$($($crate::doc::RenamedDoc { was: $was, now: $now }),+)?];
                $($(renamed.extend(<$part_type as $crate::table::Tabular>::describe().renamed);)*)?
                $crate::doc::TableDoc {
                    doc: $crate::doc::join_doc_lines(&[$($doc),*]), fields, tables, variants: Vec::new(),
                    in_place_of_word: Default::default(), removed, renamed,
                }
            }

            #[allow(unused_variables)]
            fn unreadable_defaults(context: &$crate::context::Facts) -> Vec<&'static str> {
                #[allow(unused_mut)]
                let mut unreadable: Vec<&'static str> = Vec::new();
                $(
                    let readable = match $crate::table!(@default $how $text) {
                        $crate::doc::DefaultDoc::Required(toml) | $crate::doc::DefaultDoc::Is(toml) => {
                            $crate::reader::read_default(&$quantity, toml, context).is_some()
                        }
                        _ => true,
                    };
                    if !readable {
                        unreadable.push($crate::table::key_of(stringify!($field)));
                    }
                )*
                $($(unreadable.extend(<$part_type as $crate::table::Tabular>::unreadable_defaults(context));)*)?
                $($(unreadable.extend(<$table_type as $crate::table::Tabular>::unreadable_defaults(context));)*)?
                $($(unreadable.extend(<$named_type as $crate::table::Tabular>::unreadable_defaults(context));)*)?
                unreadable
            }
        }
    };

    (@read $reader:ident $field:ident $quantity:expr, required $example:literal) => {
        $reader.read_required($crate::table::key_of(stringify!($field)), &$quantity, $example)
    };
    (@read $reader:ident $field:ident $quantity:expr, default $toml:literal) => {
        $reader.read_or_default($crate::table::key_of(stringify!($field)), &$quantity, $toml)
    };
    (@read $reader:ident $field:ident $quantity:expr, follows $text:literal |$context:ident| $follow:expr) => {{
        let followed = (|$context: &$crate::context::Facts| $follow)($reader.context);
        $reader.read_or_follow($crate::table::key_of(stringify!($field)), &$quantity, followed)
    }};

    (@follows $writer:ident $field:ident follows $text:literal |$context:ident| $follow:expr) => {
        ($field == (|$context: &$crate::context::Facts| $follow)($writer.facts())).then_some($text)
    };
    (@follows $writer:ident $field:ident $how:ident $text:literal) => { None };

    (@is_default $writer:ident $field:ident $quantity:expr, default $text:literal) => {
        $crate::reader::read_default(&$quantity, $text, $writer.facts()).as_ref() == Some(&$field)
    };
    (@is_default $writer:ident $field:ident $quantity:expr, $how:ident $text:literal) => { false };

    (@changes) => { false };
    (@changes changes) => { true };

    (@default required $text:literal) => { $crate::doc::DefaultDoc::Required($text) };
    (@default default $text:literal) => { $crate::doc::DefaultDoc::Is($text) };
    (@default follows $text:literal) => { $crate::doc::DefaultDoc::Follows($text) };
}
