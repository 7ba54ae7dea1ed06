//! From one list of keys: the Rust structure, its reading, its writing and its description.
//!
//! The `table!` macro takes, for every key of a TOML table, the name, the Rust type, the quantity that it is
//! written in, the default and the documentation. Nothing about a key is said anywhere else.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value as Json;

use crate::codes::Code;
use crate::quantity::{Context, Fault, Quantity};
use crate::report::Problem;
use crate::source::{Place, Sources};
use crate::suggest::{did_you_mean, one_of};
use crate::tree::{Node, Table, Value};

/// A TOML table that becomes a Rust structure.
pub(crate) trait Tabular: Sized {
    /// The keys that hold values.
    const KEYS: &'static [&'static str];
    /// The keys that hold tables.
    const TABLES: &'static [&'static str];

    /// Reads the table. What is wrong goes to the reader's sink, and a placeholder takes its place.
    fn read(reader: &mut Reader<'_, '_>) -> Self;

    /// Writes every key, then the tables within.
    fn write(&self, writer: &mut Writer);

    /// All that is known about the keys.
    fn describe() -> TableDoc;
}

/// What a table means and which keys it has.
pub(crate) struct TableDoc {
    pub doc: String,
    pub fields: Vec<FieldDoc>,
    /// Name, meaning and content of the tables within.
    pub tables: Vec<(&'static str, TableDoc)>,
}

/// All that is known about one key.
pub(crate) struct FieldDoc {
    pub name: &'static str,
    pub doc: String,
    pub source: &'static str,
    pub written: String,
    pub schema: Json,
    pub default: DefaultDoc,
}

/// What counts when a key is left out.
#[derive(Clone, Copy)]
pub(crate) enum DefaultDoc {
    /// Nothing: it must be written. The text is an example, as TOML.
    Required(&'static str),
    /// This value, as TOML.
    Is(&'static str),
    /// What another key says, in words.
    Follows(&'static str),
}

impl TableDoc {
    /// The dotted paths of all keys and tables below this one.
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.fields.iter().map(|field| field.name.to_owned()).collect();
        for (name, table) in &self.tables {
            paths.push((*name).to_owned());
            paths.extend(table.paths().iter().map(|path| format!("{name}.{path}")));
        }
        paths
    }
}

/// Doc-comment lines as one text.
pub(crate) fn joined(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ").trim().to_owned()
}

/// Collects problems.
pub(crate) struct Sink<'s> {
    pub sources: &'s Sources,
    pub problems: Vec<(Place, Problem)>,
    faulty: BTreeSet<String>,
}

impl<'s> Sink<'s> {
    pub fn new(sources: &'s Sources) -> Sink<'s> {
        Sink { sources, problems: Vec::new(), faulty: BTreeSet::new() }
    }

    /// Records a problem with the value of a key.
    pub fn report(&mut self, key: &str, fault: Fault) {
        self.report_with(key, fault, None);
    }

    /// Records a problem that has a second place.
    pub fn report_with(&mut self, key: &str, fault: Fault, related: Option<(Place, &str)>) {
        self.faulty.insert(key.to_owned());
        // Texts quote from the file, which may hold anything.
        let clean = |text: String| text.replace(char::is_control, "\u{fffd}");
        let problem = Problem {
            code: fault.code,
            at: self.sources.excerpt(fault.place),
            key: clean(key.to_owned()),
            message: clean(fault.message),
            label: clean(fault.label),
            help: fault.help.map(clean),
            related: related.map(|(place, label)| (self.sources.excerpt(place), label.to_owned())),
        };
        self.problems.push((fault.place, problem));
    }

    /// Whether nothing is wrong with any of these keys, so that they can be compared with each other.
    pub fn are_sound(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| !self.faulty.contains(*key))
    }
}

/// Reads one table.
pub(crate) struct Reader<'r, 's> {
    pub sink: &'r mut Sink<'s>,
    pub context: &'r Context,
    /// The table's own dotted path.
    pub path: &'r str,
    /// The table, or `None` if it is not written at all, which is as good as an empty one.
    pub table: Option<&'r Table>,
    /// Where to point if a key is missing.
    pub header: Place,
    /// Keys that are read elsewhere and known all the same: `kind`.
    pub also_known: &'static [&'static str],
}

impl Reader<'_, '_> {
    fn key_path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn node(&self, key: &str) -> Option<&Node> {
        self.table.and_then(|table| table.get(key)).map(|entry| &entry.node)
    }

    fn read<Q: Quantity>(&mut self, key: &str, quantity: &Q) -> Option<Q::Value> {
        let read = quantity.read(self.node(key)?, self.context);
        Some(read.unwrap_or_else(|faults| {
            let path = self.key_path(key);
            for fault in faults {
                self.sink.report(&path, fault);
            }
            quantity.placeholder()
        }))
    }

    /// A key that must be there. `example` is what it could look like, as TOML.
    pub fn required<Q: Quantity>(&mut self, key: &str, quantity: &Q, example: &str) -> Q::Value {
        self.read(key, quantity).unwrap_or_else(|| {
            self.missing(key, example);
            quantity.placeholder()
        })
    }

    /// Reports a missing key.
    pub fn missing(&mut self, key: &str, example: &str) {
        let message = match self.path {
            "" => format!("the key `{key}` is missing"),
            path => format!("`{path}` lacks the key `{key}`"),
        };
        let fault = Fault::new(Code::MissingKey, self.header, message)
            .label(format!("`{key}` must be given"))
            .help(format!("add {key} = {example}"));
        let path = self.key_path(key);
        self.sink.report(&path, fault);
    }

    /// A key with a default, which is TOML like in a file.
    pub fn or_default<Q: Quantity>(&mut self, key: &str, quantity: &Q, default: &str) -> Q::Value {
        if let Some(value) = self.read(key, quantity) {
            return value;
        }
        // A test reads every default, so the placeholder is never used here.
        read_default(quantity, default, self.context).unwrap_or_else(|| quantity.placeholder())
    }

    /// A key that says what another one says unless it is written.
    pub fn or_follow<Q: Quantity>(&mut self, key: &str, quantity: &Q, followed: Q::Value) -> Q::Value {
        self.read(key, quantity).unwrap_or(followed)
    }

    /// A table within this one.
    pub fn table<T: Tabular>(&mut self, key: &str) -> T {
        let path = self.key_path(key);
        let entry = self.table.and_then(|table| table.get(key));
        let (table, header) = match entry.map(|entry| (&entry.node.value, entry)) {
            Some((Value::Table(table), entry)) => (Some(table), entry.key_place),
            Some((_, entry)) => {
                let message = format!("`{path}` is a table of settings, not {}", entry.node.noun());
                let fault = Fault::new(Code::NotATable, entry.node.place, message)
                    .label(format!("the settings stand below [{path}]"));
                self.sink.report(&path, fault);
                (None, entry.key_place)
            }
            None => (None, self.header),
        };
        T::read(&mut Reader {
            sink: self.sink,
            context: self.context,
            path: &path,
            table,
            header,
            also_known: &[],
        })
    }

    /// Reports the keys that nobody knows. To be called last.
    pub fn finish<T: Tabular>(&mut self) {
        for entry in self.table.iter().flat_map(|table| &table.entries) {
            let key = entry.key.as_str();
            if T::KEYS.contains(&key) || T::TABLES.contains(&key) || self.also_known.contains(&key) {
                continue;
            }
            let known: Vec<String> = T::describe().paths();
            let here = T::KEYS.iter().chain(T::TABLES).chain(self.also_known).copied();
            let deeper = known.iter().find(|path| path.rsplit('.').next() == Some(key) && path.contains('.'));
            let help = did_you_mean(key, here.clone())
                .or_else(|| deeper.map(|path| format!("did you mean `{}`?", self.key_path(path))))
                .or_else(|| {
                    did_you_mean(key, known.iter().map(|path| path.rsplit('.').next().unwrap_or(path)))
                })
                .unwrap_or_else(|| format!("known here: {}", one_of(here)));
            let owner = if self.path.is_empty() { "this table" } else { self.path };
            let fault = Fault::new(
                Code::UnknownKey,
                entry.key_place,
                format!("`{owner}` has no key `{}`", printable(key)),
            )
            .label("unknown key")
            .help(help);
            let path = self.key_path(&printable(key));
            self.sink.report(&path, fault);
        }
    }
}

/// A key or name in a length that can be printed; TOML has no limit.
pub(crate) fn printable(key: &str) -> String {
    key.chars().take(60).collect()
}

/// Reads a default, which is TOML text.
pub(crate) fn read_default<Q: Quantity>(quantity: &Q, default: &str, context: &Context) -> Option<Q::Value> {
    let mut ignored = Vec::new();
    let table = crate::tree::parse_file(&format!("value = {default}"), &mut ignored);
    quantity.read(&table.get("value")?.node, context).ok()
}

/// Writes tables as TOML.
pub(crate) struct Writer {
    pub out: String,
    pub context: Context,
    path: String,
}

impl Writer {
    pub fn new(context: Context) -> Writer {
        Writer { out: String::new(), context, path: String::new() }
    }

    /// A key with its value, or, if the value only `follows` another key, the same as a comment: so that changing
    /// the other key later still has its effect.
    pub fn field(&mut self, key: &str, toml: &str, follows: Option<&str>) {
        let _ = match follows {
            Some(followed) => writeln!(self.out, "# {key} = {toml}   (follows {followed})"),
            None => writeln!(self.out, "{key} = {toml}"),
        };
    }

    /// A table within the present one.
    pub fn table<T: Tabular>(&mut self, key: &str, kind: Option<&str>, table: &T) {
        let outer = self.path.clone();
        self.path = if outer.is_empty() { key.to_owned() } else { format!("{outer}.{key}") };
        let _ = writeln!(self.out, "\n[{}]", self.path);
        if let Some(kind) = kind {
            let _ = writeln!(self.out, "kind = \"{kind}\"");
        }
        table.write(self);
        self.path = outer;
    }
}

/// Declares the structure of a TOML table. See the head of this file.
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident {
            $(
                $(#[doc = $field_doc:literal])*
                $field:ident: $type:ty = $quantity:expr, $how:ident $text:literal $(|$context:ident| $follow:expr)?,
                source $source:literal;
            )*
        }
        tables { $($(#[doc = $table_doc:literal])* $table:ident: $table_type:ty;)* }
        computed { $($(#[doc = $computed_doc:literal])* $computed:ident: $computed_type:ty = $initial:expr;)* }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $computed_doc])* pub $computed: $computed_type,)*
            $($(#[doc = $field_doc])* pub $field: $type,)*
            $($(#[doc = $table_doc])* pub $table: $table_type,)*
        }

        impl $crate::table::Tabular for $name {
            const KEYS: &'static [&'static str] = &[$(stringify!($field)),*];
            const TABLES: &'static [&'static str] = &[$(stringify!($table)),*];

            fn read(reader: &mut $crate::table::Reader<'_, '_>) -> Self {
                $(let $field: $type =
                    $crate::table::table!(@read reader $field $quantity, $how $text $(|$context| $follow)?);)*
                $(let $table: $table_type = reader.table(stringify!($table));)*
                reader.finish::<Self>();
                Self { $($computed: $initial,)* $($field,)* $($table,)* }
            }

            #[allow(unused_variables)]
            fn write(&self, writer: &mut $crate::table::Writer) {
                $(let $field = self.$field.clone();)*
                $(
                    let toml = $crate::quantity::Quantity::write(&$quantity, &$field, &writer.context);
                    let follows = $crate::table::table!(@follows writer $field $how $text $(|$context| $follow)?);
                    writer.field(stringify!($field), &toml, follows);
                )*
                $(writer.table(stringify!($table), None, &self.$table);)*
            }

            fn describe() -> $crate::table::TableDoc {
                $crate::table::TableDoc {
                    doc: $crate::table::joined(&[$($doc),*]),
                    fields: vec![$($crate::table::FieldDoc {
                        name: stringify!($field),
                        doc: $crate::table::joined(&[$($field_doc),*]),
                        source: $source,
                        written: $crate::quantity::Quantity::describe(&$quantity),
                        schema: $crate::quantity::Quantity::schema(&$quantity),
                        default: $crate::table::table!(@default $how $text),
                    }),*],
                    tables: vec![$((stringify!($table), <$table_type as $crate::table::Tabular>::describe())),*],
                }
            }
        }

        #[cfg(test)]
        impl $name {
            /// The keys whose default cannot be read; a test wants none.
            pub(crate) fn unreadable_defaults(context: &$crate::quantity::Context) -> Vec<&'static str> {
                #[allow(unused_mut)]
                let mut unreadable: Vec<&'static str> = Vec::new();
                $(
                    let readable = match $crate::table::table!(@default $how $text) {
                        $crate::table::DefaultDoc::Follows(_) => true,
                        $crate::table::DefaultDoc::Required(toml) | $crate::table::DefaultDoc::Is(toml) => {
                            $crate::table::read_default(&$quantity, toml, context).is_some()
                        }
                    };
                    if !readable {
                        unreadable.push(stringify!($field));
                    }
                )*
                $(unreadable.extend(<$table_type>::unreadable_defaults(context));)*
                unreadable
            }
        }
    };

    (@read $reader:ident $field:ident $quantity:expr, required $example:literal) => {
        $reader.required(stringify!($field), &$quantity, $example)
    };
    (@read $reader:ident $field:ident $quantity:expr, default $toml:literal) => {
        $reader.or_default(stringify!($field), &$quantity, $toml)
    };
    (@read $reader:ident $field:ident $quantity:expr, follows $text:literal |$context:ident| $follow:expr) => {{
        let followed = (|$context: &$crate::quantity::Context| $follow)($reader.context);
        $reader.or_follow(stringify!($field), &$quantity, followed)
    }};

    (@follows $writer:ident $field:ident follows $text:literal |$context:ident| $follow:expr) => {
        ($field == (|$context: &$crate::quantity::Context| $follow)(&$writer.context)).then_some($text)
    };
    (@follows $writer:ident $field:ident $how:ident $text:literal) => { None };

    (@default required $text:literal) => { $crate::table::DefaultDoc::Required($text) };
    (@default default $text:literal) => { $crate::table::DefaultDoc::Is($text) };
    (@default follows $text:literal) => { $crate::table::DefaultDoc::Follows($text) };
}
pub(crate) use table;

#[cfg(test)]
mod tests {
    use crate::model::{ArbitratedLoop, Controller, DriveGroup, Fcp, PassiveGroup, Run, Workload};
    use crate::scenario::{KINDS, first_context};
    use crate::table::{TableDoc, Tabular};

    #[test]
    fn every_default_and_every_example_can_be_read() {
        let context = first_context();
        let unreadable = [
            Run::unreadable_defaults(&context),
            Fcp::unreadable_defaults(&context),
            ArbitratedLoop::unreadable_defaults(&context),
            Controller::unreadable_defaults(&context),
            DriveGroup::unreadable_defaults(&context),
            PassiveGroup::unreadable_defaults(&context),
            Workload::unreadable_defaults(&context),
        ];
        assert_eq!(unreadable.concat(), Vec::<&str>::new());
    }

    #[test]
    fn every_key_is_documented() {
        fn check(table: &TableDoc) {
            assert!(!table.doc.is_empty());
            for field in &table.fields {
                assert!(field.doc.ends_with('.'), "{}: {}", field.name, field.doc);
                assert!(!field.written.is_empty());
            }
            table.tables.iter().for_each(|(_, table)| check(table));
        }
        check(&Run::describe());
        check(&Fcp::describe());
        KINDS.iter().for_each(|kind| check(&(kind.describe)()));
    }
}
