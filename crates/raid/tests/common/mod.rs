//! Helpers that several tests share.
#![allow(dead_code)]

pub mod disks;
pub mod galois;

use sansim_raid::{Array, ArrayLayout, ArrayParameters};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// The keys of an array with the keys of its layout, as in a scenario.
pub fn keys(layout: &str) -> ArrayParameters {
    let text = format!("[layout]\n{layout}");
    ArrayParameters::from_toml(&text, &Facts::default()).unwrap_or_else(|report| panic!("{text}: {report}"))
}

/// An array with this many members and rows, with stripe units smaller than scenarios may have.
pub fn array(layout: &str, members: u32, strip: u64, rows: u64) -> Array {
    let parameters = ArrayParameters { stripe_unit: strip, ..keys(layout) };
    Array::new(&parameters, &vec![strip * rows; members as usize])
        .unwrap_or_else(|error| panic!("{layout} of {members}: {error}"))
}

/// The layout of such an array.
pub fn layout(layout: &str, members: u32, strip: u64, rows: u64) -> ArrayLayout {
    array(layout, members, strip, rows).layout
}

/// Every level with every rotation, and numbers of members that the level may have.
pub const LEVELS: &[(&str, &[u32])] = &[
    ("level = \"0\"", &[1, 2, 5]),
    ("level = \"1\"", &[2, 3]),
    ("level = \"10\"", &[2, 3, 4, 5, 7]),
    ("level = \"10\"\ncopies = 3", &[3, 4, 5]),
    ("level = \"1+0\"", &[2, 4, 8]),
    ("level = \"1+0\"\ncopies = 3", &[3, 6]),
    ("level = \"4\"", &[3, 5]),
    ("level = \"4\"\nparity = \"first\"", &[3, 5]),
    ("level = \"5\"\nrotation = \"left-symmetric\"", &[3, 4, 5, 8]),
    ("level = \"5\"\nrotation = \"left-asymmetric\"", &[3, 5]),
    ("level = \"5\"\nrotation = \"right-symmetric\"", &[3, 5]),
    ("level = \"5\"\nrotation = \"right-asymmetric\"", &[3, 5]),
    ("level = \"6\"\nrotation = \"left-symmetric\"", &[4, 5, 8]),
    ("level = \"6\"\nrotation = \"right-symmetric\"", &[4, 6]),
    ("level = \"6\"\nrotation = \"ddf-n-continue\"", &[4, 6]),
    ("level = \"declustered\"\ndata = 2\nspares = 1\npermutations = 3", &[4, 5, 7]),
    ("level = \"declustered\"\ndata = 3\nparity = 2\nspares = 2\npermutations = 2", &[7, 8, 11]),
    ("level = \"declustered\"\ndata = 1\nparity = 2\nspares = 1\npermutations = 5", &[4, 6]),
    ("level = \"declustered\"\ndata = 4\npermutations = 4", &[5, 9]),
];
