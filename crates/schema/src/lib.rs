//! How things are described: the keys of a component, the quantities in them, and what is said when something is wrong.
//!
//! A component declares its keys with [`table!`](crate::table!): name, type, quantity, default, meaning, source. What
//! comes of it is the component's configuration as a Rust structure, the reading of it from TOML, the checks, the resolved
//! text, the JSON Schema and the reference. Nothing here knows any particular component.
//!
//! * [`table`](mod@table) - the macro, and what every table can do; [`reader`], [`writer`], [`keys`], [`doc`];
//! * [`variants`](mod@variants) - a table that is one of several, as a word in it says;
//! * [`alternatives`](mod@alternatives) - variants together with what works by each of them;
//! * [`outline`](mod@outline) - the same for tables whose values somebody else reads: keys, words, schema, reference;
//! * [`quantity`] - one way of writing a value; [`quantities`] - those that everybody needs; [`units`], [`words`](mod@words);
//! * [`context`] - what a table may know of its surroundings;
//! * [`codes`](mod@codes), [`fault`], [`report`], [`sink`] - what is wrong, and how it is told;
//! * [`source`], [`tree`], [`places`] - TOML that remembers where everything was written; [`document`] for other programs;
//! * [`schema`], [`page`] - the JSON Schema and the reference of a table; [`definitions`] - what several schemas have in common.

#![forbid(unsafe_code)]

pub mod alternatives;
pub mod catalogue;
pub mod codes;
pub mod context;
pub mod definitions;
pub mod doc;
pub mod document;
pub mod fault;
pub mod file;
pub mod idle;
pub mod keys;
pub mod meant;
pub mod named;
pub mod option;
pub mod outline;
pub mod page;
pub mod places;
pub mod quantities;
pub mod quantity;
pub mod reader;
pub mod report;
pub mod schema;
pub mod sink;
pub mod source;
pub mod suggest;
pub mod table;
pub mod tree;
pub mod units;
pub mod variants;
pub mod words;
pub mod writer;

/// JSON, as quantities describe themselves in.
pub use serde_json::{Map as JsonMap, Value as Json, json};
