//! The form of a study file: its tables with their keys, the values of the keys, the words, and the required ones.
//!
//! This crate has the only list of the keys of a study file. The JSON Schema ([`study_json_schema()`]) and the reference page
//! ([`study_key_reference()`]) are made from the list of keys, and Python, which reads study files (`python/sansim/study/read/`), gets keys
//! and words from the list. Python checks the values of a study against each other, for example whether an axis of a given name exists. The
//! crate knows no component of a simulated system.

#![forbid(unsafe_code)]

pub mod codes;
mod reference;
mod schema;
mod shapes;
mod tables;
pub mod words;

pub use reference::study_key_reference;
pub use schema::study_json_schema;
pub use tables::study_file_table;
