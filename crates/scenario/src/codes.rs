//! The stable codes of all problems a scenario or a study can have. A code never changes its meaning; new ones are added at the
//! end of their group. The reference page lists them from here.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal,)*) => {
        /// Which kind of problem it is. Prints as `E0201`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])* $name = $number,)*
        }

        impl Code {
            /// Every code with its meaning, in ascending order.
            pub const ALL: &[(Code, &str)] = &[$((Code::$name, concat!($($doc),*)),)*];
        }
    };
}

codes! {
    /// The file cannot be read.
    Unreadable = 1,
    /// The path names a directory.
    Directory = 2,
    /// The file is not text in UTF-8.
    NotUtf8 = 3,
    /// The file has no content.
    Empty = 4,
    /// The file is too large to be a scenario.
    TooLarge = 5,

    /// The text is not valid TOML.
    Syntax = 101,
    /// There is no such key here.
    UnknownKey = 102,
    /// The key is written twice.
    DuplicateKey = 103,
    /// A required key is missing.
    MissingKey = 104,
    /// There is no such kind of component.
    UnknownKind = 105,
    /// A table stands where a value is needed, or a value where a table is needed.
    NotATable = 106,
    /// The name of a component has characters that a key path cannot carry.
    BadName = 107,
    /// An override is not of the form `key=value`.
    BadOverride = 108,

    /// A number stands where a quantity with a unit is needed.
    MissingUnit = 201,
    /// The unit measures something else than what is needed.
    WrongUnit = 202,
    /// There is no such unit.
    UnknownUnit = 203,
    /// The value is outside its range.
    OutOfRange = 204,
    /// The word is not one of those that are known here.
    UnknownWord = 205,
    /// The value cannot be read as what is needed.
    BadValue = 206,
    /// The value is of the wrong type.
    WrongType = 207,
    /// It is not one of the 127 arbitrated loop physical addresses.
    BadAlPa = 208,

    /// The same AL_PA is given to two ports.
    DuplicateAlPa = 301,
    /// The loop has more than 127 ports.
    TooManyPorts = 302,
    /// The speed does not exist on an arbitrated loop.
    SpeedNotOnLoop = 303,
    /// Two values contradict each other.
    Contradiction = 304,
    /// A component with ports is on no loop.
    OnNoLoop = 305,
    /// A name stands twice where it may stand once.
    NamedTwice = 306,
    /// No component of a fitting kind has this name.
    UnknownName = 307,
    /// Something is described correctly that this version cannot simulate.
    NotBuilt = 308,
    /// The scenario lacks a component without which nothing can run.
    Incomplete = 309,

    /// A study has no axis of this name, or the axis has no such value.
    UnknownAxis = 401,
    /// An axis has no values.
    EmptyAxis = 402,
    /// Something refers to a metric that the study does not measure.
    NotMeasured = 403,
    /// Axes that advance together have different numbers of values.
    ZipLengths = 404,
    /// A point of a study is not a valid scenario.
    BadPoint = 405,
    /// A formula cannot be computed.
    BadFormula = 406,
    /// An expected value says nothing that could be checked, or several things at once.
    BadCheck = 407,
    /// A run has no such figure, or it is no number.
    NoSuchFigure = 408,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "E{:04}", *self as u16)
    }
}
