//! Tables whose values other code reads: one list of keys makes their description, schema and reference, and no Rust structure.

use serde_json::Value as Json;

use crate::quantity::Quantity;
use crate::words::WordDoc;

/// The form of the value of a key.
pub struct Shape {
    /// The form in words.
    pub written: String,
    /// The form as JSON Schema.
    pub schema: Json,
    /// The words that the value may be; none where it is no word.
    pub words: Vec<WordDoc>,
}

impl Shape {
    /// A form in words, with its JSON Schema.
    pub fn new(written: impl Into<String>, schema: Json) -> Shape {
        Shape { written: written.into(), schema, words: Vec::new() }
    }
}

/// The form of a quantity.
impl<Q: Quantity> From<Q> for Shape {
    fn from(quantity: Q) -> Shape {
        Shape { written: quantity.describe(), schema: quantity.schema(), words: quantity.words() }
    }
}

/// Declares a table whose values other code reads, as a function that returns its [`TableDoc`](crate::doc::TableDoc).
///
/// ```
/// use sansim_schema::quantities::{Flag, Text};
///
/// sansim_schema::outline! {
///     /// A lamp.
///     pub fn lamp {
///         /// What people call it.
///         label: Text, optional "its name";
///         /// Whether it shines on both sides.
///         both_sides: Flag, default "false";
///     }
/// }
/// sansim_schema::outline! {
///     /// A room.
///     pub fn room {}
///     tables {
///         /// The lamps in it, by name.
///         lamps: named lamp, required;
///     }
/// }
/// assert_eq!(room().key_paths(), ["lamps", "lamps.label", "lamps.both_sides"]);
/// ```
///
/// A key has a [`Shape`] or a [`Quantity`](crate::quantity::Quantity). A key is `required "example"`, has a `default "TOML"`, is `optional
/// "what counts without it"`, or `needed "with what"`. After the keys may follow `parts(table, ...)`, whose keys are keys of this one, and
/// `tables`: `once`, `named` or `listed`, and `any`, `some` (if it is there, it is not empty) or `required`.
#[macro_export]
macro_rules! outline {
    (
        $(#[doc = $doc:literal])*
        $visible:vis fn $name:ident {
            $(
                $(#[doc = $field_doc:literal])*
                $field:ident: $shape:expr, $how:ident $text:literal;
            )*
        }
        $(parts($($part:ident),+))?
        $(tables {
            $($(#[doc = $table_doc:literal])* $table:ident: $stands:ident $inner:ident, $need:ident;)*
        })?
    ) => {
        $(#[doc = $doc])*
        $visible fn $name() -> $crate::doc::TableDoc {
            #[allow(unused_mut)]
            let mut fields: Vec<$crate::doc::FieldDoc> = vec![$({
                let shape = $crate::outline::Shape::from($shape);
                $crate::doc::FieldDoc {
                    name: stringify!($field),
                    doc: $crate::doc::join_doc_lines(&[$($field_doc),*]),
                    source: "",
                    written: shape.written,
                    schema: shape.schema,
                    words: shape.words,
                    decision: None,
                    default: $crate::outline!(@default $how $text),
                    changes: false,
                }
            }),*];
            #[allow(unused_mut)]
            let mut tables: Vec<$crate::doc::InnerDoc> = Vec::new();
            $($({
                let part = $part();
                fields.extend(part.fields);
                tables.extend(part.tables);
            })+)?
            $($(tables.push($crate::doc::InnerDoc {
                name: stringify!($table),
                stands: $crate::outline!(@stands $stands),
                need: $crate::outline!(@need $need),
                doc: $crate::doc::join_doc_lines(&[$($table_doc),*]),
                table: $inner(),
            });)*)?
            $crate::doc::TableDoc {
                doc: $crate::doc::join_doc_lines(&[$($doc),*]), fields, tables, variants: Vec::new(),
                in_place_of_word: None, removed: Vec::new(),
                renamed: Vec::new(),
            }
        }
    };

    (@default required $text:literal) => { $crate::doc::DefaultDoc::Required($text) };
    (@default default $text:literal) => { $crate::doc::DefaultDoc::Is($text) };
    (@default optional $text:literal) => { $crate::doc::DefaultDoc::Optional($text) };
    (@default needed $text:literal) => { $crate::doc::DefaultDoc::Needed($text) };

    (@stands once) => { $crate::doc::TablePlacement::Once };
    (@stands named) => { $crate::doc::TablePlacement::Named };
    (@stands listed) => { $crate::doc::TablePlacement::Listed };

    (@need any) => { $crate::doc::TableNeed::Any };
    (@need some) => { $crate::doc::TableNeed::Some };
    (@need required) => { $crate::doc::TableNeed::Required };
}
