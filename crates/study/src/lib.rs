//! The form of a study file: its tables with their keys, the values of the keys, the words, and the required ones.
//!
//! This is the only list of these keys. The JSON Schema ([`schema()`]) and the reference page ([`reference()`]) are made from it, and Python, which
//! reads study files (`python/sansim/study/read/`), knows keys and words by it. Python checks the values of a study against each other, as whether
//! there is an axis of some name. Nothing here knows any component.

#![forbid(unsafe_code)]

pub mod codes;
mod reference;
mod schema;
mod shapes;
mod tables;
pub mod words;

pub use reference::reference;
pub use schema::schema;
pub use tables::study;
