//! The declaration of components: their keys, the quantities in them, and error messages.
//!
//! A component declares its keys with [`table!`](crate::table!): name, type, quantity, default, meaning, source. The macro makes the
//! component's configuration as a Rust structure, its reader from TOML, the checks, the resolved text, the JSON Schema and the reference.
//! This crate depends on no particular component.
//!
//! * [`table`](mod@table) - the macro, and the operations of every table; it uses [`reader`], [`writer`], [`keys`], [`doc`];
//! * [`variants`](mod@variants) - a table with several variants, selected by a word in it;
//! * [`alternatives`](mod@alternatives) - variants together with the object that each of them makes;
//! * [`outline`](mod@outline) - the same declarations for tables whose values other code reads: keys, words, schema, reference;
//! * [`quantity`] - a form of a value; [`quantities`] - the common ones; [`units`], [`words`](mod@words);
//! * [`context`] - the facts that a table may know of its surroundings;
//! * [`codes`](mod@codes), [`fault`], [`report`], [`sink`] - errors and their messages;
//! * [`source`], [`tree`], [`places`] - TOML with the place of every key and value; [`document`] for other programs;
//! * [`schema`], [`page`] - the JSON Schema and the reference of a table; [`definitions`] - the common parts of several schemas.

#![forbid(unsafe_code)]

pub mod alternatives;
pub mod catalogue;
pub mod codes;
pub mod context;
pub mod decision;
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

/// JSON types, in which quantities describe themselves.
pub use serde_json::{Map as JsonMap, Value as Json, json};
