//! The formats: each is a file, and a line in the list below.

use crate::format::Format;

/// Declares the formats, in the order in which they are listed for the user. Each format is a module with a `FORMAT`.
macro_rules! formats {
    ($($module:ident)+) => {
        $(mod $module;)+

        /// All formats.
        pub const FORMATS: &[&Format] = &[$(&$module::FORMAT),+];
    };
}

formats! {
    msr
    spc
    blkparse
    fio_iolog
    disksim
    alibaba
    tencent
    vscsi
    csv
    systor
    fiu
    oracle_general
}

/// The format with a word.
pub fn format_with_word(word: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.word == word).copied()
}
