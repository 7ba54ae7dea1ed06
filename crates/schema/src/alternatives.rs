//! Alternatives with the same purpose: a word in a scenario selects one, and each has keys of its own.

/// Declares alternatives: one list makes the table of their keys, as [`variants!`](crate::variants!) does, and the enumeration of their
/// objects.
///
/// ```
/// use sansim_schema::quantities::Count;
/// use sansim_schema::table;
///
/// /// Shines.
/// pub trait Shines {
///     /// How brightly it does next.
///     fn next(&mut self, distance: u32) -> u32;
/// }
///
/// table! {
///     /// Always as brightly.
///     pub struct Steady {
///         /// How brightly.
///         brightness: u32 = Count::<u32>::between(1, 9), default "1", source "ours: an example";
///     }
/// }
///
/// impl Shines for Steady {
///     fn next(&mut self, distance: u32) -> u32 {
///         self.brightness / distance
///     }
/// }
///
/// table! {
///     /// Every other time.
///     pub struct BlinkingParameters {}
/// }
///
/// /// A lamp that remembers whether it shone.
/// #[derive(Clone, Debug, Default)]
/// pub struct Blinking(u32);
///
/// impl From<BlinkingParameters> for Blinking {
///     fn from(_: BlinkingParameters) -> Self {
///         Self::default()
///     }
/// }
///
/// impl Shines for Blinking {
///     fn next(&mut self, _: u32) -> u32 {
///         self.0 = 1 - self.0;
///         self.0
///     }
/// }
///
/// sansim_schema::alternatives! {
///     /// How a lamp shines.
///     pub enum Light by "shines", default "steady", source "ours: an example" {
///         Steady(Steady) = "steady",
///         Blinking(BlinkingParameters => Blinking) = "blinking",
///     }
///     /// A lamp that shines.
///     pub enum Lamp: Shines {
///         fn next(&mut self, distance: u32) -> u32;
///     }
///     /// A lamp of this kind.
///     pub fn lamp();
/// }
/// ```
///
/// A stateless alternative is its own keys; an alternative with state has both types, `(Keys => Object)`. Without arguments the object is
/// made `from` its keys, with arguments by its `new`, which gets the keys first and may fail if `-> Result<_, ERROR>` follows them. If no
/// alternative has keys, `by` and its word are left out: the first enumeration is one of [words](crate::words!) then, each with its
/// meaning, and the object of a word is made by `Default`. With `or VARIANT(KEYS => OBJECT) = (QUANTITY)` behind the source of the default, or
/// `or VARIANT(OBJECT)` behind the trait where there are only words, there is one more alternative without a word: a rule of the user.
#[macro_export]
macro_rules! alternatives {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident by $key:literal $(, default $default:literal, source $source:literal)?
        $(, decides $decision:ident)? $(, or $own:ident($own_keys:ty => $own_worker:ty) = $own_quantity:tt)? {
            $($variant:ident($keys:ty $(=> $worker:ty)?) = $word:literal,)+
        }
        $(#[doc = $any_doc:literal])*
        pub enum $any:ident: $trait:ident {
            $($(#[$attribute:meta])* fn $method:ident $arguments:tt $(-> $result:ty)?;)+
        }
        $(#[doc = $made_doc:literal])*
        pub fn $made:ident $given:tt $(-> Result<_, $error:ty>)?;
    ) => {
        $crate::variants! {
            $(#[doc = $doc])*
            pub enum $name by $key $(, default $default, source $source)? $(, decides $decision)? $(, or $own($own_keys) = $own_quantity)? {
                $($variant($keys) = $word,)+
            }
        }

        $(#[doc = $any_doc])*
        #[derive(Clone, Debug)]
        pub enum $any {
            $(
                #[doc = concat!("`", $key, " = \"", $word, "\"`.")]
                $variant($crate::alternatives!(@worker $keys $(=> $worker)?)),
            )+
            $(
                #[doc = concat!("A rule of the user in place of the word of `", $key, "`.")]
                $own($own_worker),
            )?
        }

        impl $name {
            $crate::alternatives! {
                @made [$(#[doc = $made_doc])*] [$($error)?] [$($own($own_worker))?] $any, $made $given $given,
                $($variant($crate::alternatives!(@worker $keys $(=> $worker)?)))+
            }
        }

        $crate::alternatives! {
            @methods [$($variant)+ $($own)?] $any, $trait,
            $([$(#[$attribute])*] $method $arguments $(-> $result)?;)+
        }
    };
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident {
            $($(#[doc = $meaning:literal])+ $variant:ident($worker:ty) = $word:literal,)+
        }
        $(#[doc = $any_doc:literal])*
        pub enum $any:ident: $trait:ident $(, or $own:ident($own_worker:ty))? {
            $($(#[$attribute:meta])* fn $method:ident $arguments:tt $(-> $result:ty)?;)+
        }
        $(#[doc = $made_doc:literal])*
        pub fn $made:ident();
    ) => {
        $crate::words! {
            $(#[doc = $doc])*
            pub enum $name {
                $($(#[doc = $meaning])+ $variant = $word,)+
            }
        }

        $(#[doc = $any_doc])*
        #[derive(Clone, Debug)]
        pub enum $any {
            $($(#[doc = $meaning])+ $variant($worker),)+
            $(
                /// A rule of the user.
                $own($own_worker),
            )?
        }

        impl $name {
            $(#[doc = $made_doc])*
            pub fn $made(self) -> $any {
                match self {
                    $(Self::$variant => $any::$variant(<$worker>::default()),)+
                }
            }
        }

        $crate::alternatives! {
            @methods [$($variant)+ $($own)?] $any, $trait,
            $([$(#[$attribute])*] $method $arguments $(-> $result)?;)+
        }
    };
    (@worker $keys:ty) => { $keys };
    (@worker $keys:ty => $worker:ty) => { $worker };
    (
        @made [$($doc:tt)*] [] [$($own:ident($own_worker:ty))?]
        $any:ident, $made:ident ($($given:ident: $type:ty),*) $all:tt,
        $($variant:ident($worker:ty))+
    ) => {
        $($doc)*
        pub fn $made(&self $(, $given: $type)*) -> $any {
            match self {
                $(Self::$variant(keys) => $any::$variant($crate::alternatives!(@new $worker, keys, $all)),)+
                $(Self::$own(rule) => $any::$own($crate::alternatives!(@new $own_worker, rule, $all)),)?
            }
        }
    };
    (
        @made [$($doc:tt)*] [$error:ty] [] $any:ident, $made:ident ($($given:ident: $type:ty),*) $all:tt,
        $($variant:ident($worker:ty))+
    ) => {
        $($doc)*
        pub fn $made(&self $(, $given: $type)*) -> Result<$any, $error> {
            match self {
                $(Self::$variant(keys) => {
                    $crate::alternatives!(@new $worker, keys, $all).map($any::$variant)
                })+
            }
        }
    };
    (@new $worker:ty, $keys:ident, ()) => { <$worker>::from($keys.clone()) };
    (@new $worker:ty, $keys:ident, ($($given:ident: $type:ty),+)) => { <$worker>::new($keys, $($given),+) };
    (
        @methods $variants:tt $any:ident, $trait:ident,
        $($attributes:tt $method:ident $arguments:tt $(-> $result:ty)?;)+
    ) => {
        impl $trait for $any {
            $($crate::alternatives! { @method $variants $attributes $method $arguments $(-> $result)? })+
        }
    };
    (
        @method [$($variant:ident)+] [$($attribute:tt)*]
        $method:ident(&mut self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?
    ) => {
        $($attribute)*
        fn $method(&mut self $(, $argument: $type)*) $(-> $result)? {
            $crate::alternatives!(@match self [$($variant)+] $method($($argument),*))
        }
    };
    (
        @method [$($variant:ident)+] [$($attribute:tt)*]
        $method:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?
    ) => {
        $($attribute)*
        fn $method(&self $(, $argument: $type)*) $(-> $result)? {
            $crate::alternatives!(@match self [$($variant)+] $method($($argument),*))
        }
    };
    (@match $self:ident [$($variant:ident)+] $method:ident $arguments:tt) => {
        match $self { $(Self::$variant(one) => $crate::alternatives!(@call one, $method $arguments),)+ }
    };
    (@call $one:ident, $method:ident($($argument:ident),*)) => { $one.$method($($argument),*) };
}
