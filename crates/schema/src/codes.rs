//! The stable codes of all problems. A code never changes its meaning; new ones are added at the end of their group. This module has the
//! codes that any table can cause; other crates add codes of their own with [`codes!`](crate::codes!).

use std::fmt;

/// The kind of a problem. A code prints as `E0201`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code {
    number: u16,
    told: &'static CodeText,
}

/// The texts of a code; they are separate from it, as every fault carries its code.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeText {
    /// The name of the code for programs: `MISSING_UNIT`.
    pub name: &'static str,
    /// The meaning of the code, in one sentence.
    pub meaning: &'static str,
}

impl Code {
    /// A code with a number. The number of a code must be unique.
    pub const fn new(number: u16, told: &'static CodeText) -> Code {
        Code { number, told }
    }

    /// The name of the code for programs: `MISSING_UNIT`.
    pub fn name(self) -> &'static str {
        self.told.name
    }

    /// The meaning of the code, in one sentence.
    pub fn meaning(self) -> &'static str {
        self.told.meaning.trim_ascii()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "E{:04}", self.number)
    }
}

/// Declares codes, each as `/// Meaning.` and `NAME = number`, as constants of the module, with `ALL` of them.
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal,)*) => {
        $($(#[doc = $doc])* pub const $name: $crate::codes::Code =
            $crate::codes::Code::new(
            $number,
            &$crate::codes::CodeText { name: stringify!($name), meaning: concat!($($doc),*) },
        );)*

        /// Every code of this module, in ascending order.
        pub const ALL: &[$crate::codes::Code] = &[$($name),*];
    };
}

codes! {
    /// The file cannot be read.
    UNREADABLE = 1,
    /// The path names a directory.
    DIRECTORY = 2,
    /// The file is not text in UTF-8.
    NOT_UTF8 = 3,
    /// The file has no content.
    EMPTY = 4,
    /// The file is too large to be a scenario.
    TOO_LARGE = 5,

    /// The text is not valid TOML.
    SYNTAX = 101,
    /// There is no such key here.
    UNKNOWN_KEY = 102,
    /// The key is written twice.
    DUPLICATE_KEY = 103,
    /// A required key is missing.
    MISSING_KEY = 104,
    /// There is no such kind of component.
    UNKNOWN_KIND = 105,
    /// A table is in place of a value, or a value in place of a table.
    NOT_A_TABLE = 106,
    /// The name of a component has characters that a key path cannot carry.
    BAD_NAME = 107,
    /// An override is not of the form `key=value`.
    BAD_OVERRIDE = 108,
    /// Earlier versions had the key.
    REMOVED_KEY = 109,
    /// A later version wrote the file.
    NEWER_FORMAT = 110,

    /// A number is in place of a quantity with a unit.
    MISSING_UNIT = 201,
    /// The unit measures something else than what is needed.
    WRONG_UNIT = 202,
    /// There is no such unit.
    UNKNOWN_UNIT = 203,
    /// The value is outside its range.
    OUT_OF_RANGE = 204,
    /// The word is not one of those that are known here.
    UNKNOWN_WORD = 205,
    /// The value cannot be read as what is needed.
    BAD_VALUE = 206,
    /// The value is of the wrong type.
    WRONG_TYPE = 207,

    /// Two values contradict each other.
    CONTRADICTION = 304,
    /// A name is listed twice where it may be listed once.
    NAMED_TWICE = 306,
    /// No component of a fitting kind has this name.
    UNKNOWN_NAME = 307,
    /// Something is described correctly that this version cannot simulate.
    NOT_BUILT = 308,
    /// The scenario lacks a component without which nothing can run.
    INCOMPLETE = 309,
    /// A file that a resolved scenario names has another content than it had.
    OTHER_FILE = 317,
    /// A named file is outside the folders from which files may be read.
    OUTSIDE_FOLDER = 318,
}
