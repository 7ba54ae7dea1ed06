//! Values that are one of a few known words.

/// An enumeration whose values are written as words.
pub trait Word: Copy + PartialEq + 'static {
    /// Every value with its word and its meaning.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The publication that defines each value, in the same order; empty for a value without one.
    const SOURCES: &'static [&'static str];

    /// The word of this value.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(value, _, _)| *value == self).map_or("", |(_, word, _)| word)
    }
}

/// A word that may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordDoc {
    /// The word.
    pub word: &'static str,
    /// The meaning of the word.
    pub meaning: &'static str,
    /// The publication that defines the word; empty if there is none.
    pub source: &'static str,
}

impl WordDoc {
    /// All words of an enumeration.
    pub fn words_of_enumeration<W: Word>() -> Vec<WordDoc> {
        let told = |(&(_, word, meaning), &source): (&(W, &'static str, &'static str), &&'static str)| {
            WordDoc { word, meaning: meaning.trim_ascii(), source }
        };
        W::ALL.iter().zip(W::SOURCES).map(told).collect()
    }
}

/// Declares an enumeration together with the word and the meaning of each value, and the source of a published meaning.
///
/// ```
/// sansim_schema::words! {
///     /// How a lamp shines.
///     pub enum Light {
///         /// All the time.
///         Steady = "steady",
///         /// As the lamp of the lighthouse of Norden.
///         Norden = "norden" from "List of Lights, 1.2",
///     }
/// }
/// assert_eq!(Light::Steady.to_string(), "steady");
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),+)])?
        pub enum $name:ident {
            $($(#[doc = $value_doc:literal])* $value:ident = $word:literal $(from $source:literal)?,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash $($(, $derive)+)?)]
        pub enum $name {
            $($(#[doc = $value_doc])* $value,)*
        }

        impl $crate::words::Word for $name {
            const ALL: &'static [(Self, &'static str, &'static str)] =
                &[$(($name::$value, $word, concat!($($value_doc),*)),)*];

            const SOURCES: &'static [&'static str] = &[$(concat!("" $(, $source)?)),*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::words::Word::word(*self))
            }
        }
    };
}
