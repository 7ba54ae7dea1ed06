//! Values that are one of a few known words.

/// An enumeration whose values are written as words.
pub trait Word: Copy + PartialEq + 'static {
    /// Every value with the word it is written as and what it means.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The word of this value.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(value, _, _)| *value == self).map_or("", |(_, word, _)| word)
    }
}

/// Declares an enumeration together with the word and the meaning of each value.
///
/// ```
/// sansim_describe::words! {
///     /// How a lamp shines.
///     pub enum Light {
///         /// All the time.
///         Steady = "steady",
///         /// Now and then.
///         Flashing = "flashing",
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
            $($(#[doc = $value_doc:literal])* $value:ident = $word:literal,)*
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
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::words::Word::word(*self))
            }
        }
    };
}
