//! Decisions: the choices in a system for which a scenario names a rule, and the features of each choice that a rule sees.
//!
//! A decision is declared once with [`decision!`](crate::decision!), beside the code that takes it. The documentation of the features, the names
//! in expressions and the attributes that a class of Python sees follow from the declaration.

use crate::words::WordDoc;

/// A whole number that a rule sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The name of the feature.
    pub name: &'static str,
    /// The unit of the feature: `ns`, `bytes`, `blocks`, or nothing for counts and numbers.
    pub unit: &'static str,
    /// The meaning of the feature, a sentence.
    pub meaning: &'static str,
}

/// Something that happens between decisions, of which a rule that remembers may be notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionEvent {
    /// The name of the event, which is the method of a class that follows it: `used`.
    pub name: &'static str,
    /// The names of its arguments, whole numbers.
    pub arguments: &'static [&'static str],
    /// The meaning of the event, a sentence.
    pub meaning: &'static str,
}

/// The part of many candidates that a rule sees, from the beginning of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateWindow {
    /// The number of candidates if the scenario names none; [`Decision::ALL_CANDIDATES`] for all.
    pub default: u32,
    /// The order, as the rest of "the first candidates are ...".
    pub order: &'static str,
    /// The source of the default.
    pub source: &'static str,
}

/// A choice among candidates.
#[derive(Debug)]
pub struct Decision {
    /// The name of the decision: `path`.
    pub name: &'static str,
    /// The meaning of the decision, a sentence.
    pub meaning: &'static str,
    /// The features that all candidates have in common.
    pub common: &'static [Feature],
    /// The features of each candidate.
    pub each: &'static [Feature],
    /// The part of the candidates that a rule sees; none if it sees all.
    pub window: Option<CandidateWindow>,
    /// The thing that a class may name instead of the index of a candidate: `block`.
    pub named: Option<&'static str>,
    /// The outcome of a choice, where the decision log has it: "accesses until ...".
    pub outcome: Option<&'static str>,
    /// The events that a class may follow.
    pub events: &'static [DecisionEvent],
}

/// A decision as the documentation of a key names it, with the words of its built-in rules.
#[derive(Clone, Debug)]
pub struct DecisionDoc {
    /// The decision.
    pub decision: &'static Decision,
    /// The words of the built-in rules, with their meanings.
    pub rules: Vec<WordDoc>,
}

/// The place of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeaturePlace {
    /// The feature is common to all candidates.
    Common(usize),
    /// Each candidate has a value of the feature.
    Each(usize),
}

impl Decision {
    /// The number of candidates that means: all.
    pub const ALL_CANDIDATES: u32 = u32::MAX;

    /// The number of candidates that a rule sees at most if the scenario names no number.
    pub fn usual_window(&self) -> u32 {
        self.window.map_or(Self::ALL_CANDIDATES, |window| window.default)
    }

    /// Whether users may write rules for the decision: only if it declares what they see.
    pub fn takes_own_rules(&self) -> bool {
        !self.each.is_empty()
    }

    /// The place of a feature with this name.
    pub fn feature(&self, name: &str) -> Option<FeaturePlace> {
        let place = |features: &[Feature]| features.iter().position(|feature| feature.name == name);
        place(self.each).map(FeaturePlace::Each).or_else(|| place(self.common).map(FeaturePlace::Common))
    }

    /// The names of all features, those of candidates first.
    pub fn feature_names(&self) -> impl Iterator<Item = &'static str> {
        self.each.iter().chain(self.common).map(|feature| feature.name)
    }
}

impl PartialEq for Decision {
    /// Decisions are equal if they have the same name, which a test requires to be unique.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Decision {}

/// A value as a feature; a number that is too large is the largest one.
pub fn as_feature(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

/// Declares a decision: its features become the fields of two structures, of which the decision makes its view. A decision without features takes
/// no rules of users.
///
/// The features may be followed by `window NUMBER, order "...", source "...";` where a rule sees only the first candidates, `named "block";` where a
/// class may name another one, and `events Enumeration { ... }` with a variant for each event that a class may follow.
///
/// ```
/// sansim_schema::decision! {
///     /// The choice of the lamp that shines next.
///     pub static LAMP = "lamp";
///     /// A choice among lamps.
///     common LampChoice {
///         /// The time of the choice.
///         now: "ns",
///     }
///     /// A lamp that may shine.
///     each LampCandidate {
///         /// The number of the lamp.
///         number: "",
///     }
/// }
/// assert_eq!(LAMP.feature_names().collect::<Vec<_>>(), ["number", "now"]);
/// assert_eq!(LampCandidate { number: 3 }.values(), [3]);
/// ```
#[macro_export]
macro_rules! decision {
    (
        $(#[doc = $doc:literal])*
        pub static $static:ident = $name:literal;
        $(#[doc = $common_doc:literal])*
        common $common:ident { $($(#[doc = $common_meaning:literal])* $common_feature:ident: $common_unit:literal,)* }
        $(#[doc = $each_doc:literal])*
        each $each:ident { $($(#[doc = $each_meaning:literal])* $each_feature:ident: $each_unit:literal,)* }
        $(window $window:expr, order $order:literal, source $source:literal;)?
        $(named $named:literal;)?
        $(outcome $outcome:literal;)?
        $(
            $(#[doc = $events_doc:literal])*
            events $events:ident {
                $($(#[doc = $event_meaning:literal])* $event:ident = $hook:ident($($argument:ident),*);)*
            }
        )?
    ) => {
        $(#[doc = $doc])*
        pub static $static: $crate::decision::Decision = $crate::decision::Decision {
            name: $name,
            meaning: concat!($($doc),*),
            common: &[$($crate::decision::Feature {
                name: stringify!($common_feature), unit: $common_unit, meaning: concat!($($common_meaning),*),
            }),*],
            each: &[$($crate::decision::Feature {
                name: stringify!($each_feature), unit: $each_unit, meaning: concat!($($each_meaning),*),
            }),*],
            window: $crate::decision!(@optional $($crate::decision::CandidateWindow {
                default: $window, order: $order, source: $source,
            })?),
            named: $crate::decision!(@optional $($named)?),
            outcome: $crate::decision!(@optional $($outcome)?),
            events: &[$($($crate::decision::DecisionEvent {
                name: stringify!($hook),
                arguments: &[$(stringify!($argument)),*],
                meaning: concat!($($event_meaning),*),
            }),*)?],
        };

        $(
            $(#[doc = $events_doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $events { $($(#[doc = $event_meaning])* $event,)* }
        )?

        $(#[doc = $common_doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $common { $($(#[doc = $common_meaning])* pub $common_feature: i64,)* }

        impl $common {
            /// The values of the features, in their order.
            pub fn values(&self) -> [i64; $crate::decision!(@count $($common_feature)*)] {
                [$(self.$common_feature),*]
            }
        }

        $(#[doc = $each_doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $each { $($(#[doc = $each_meaning])* pub $each_feature: i64,)* }

        impl $each {
            /// The values of the features, in their order.
            pub fn values(&self) -> [i64; $crate::decision!(@count $($each_feature)*)] {
                [$(self.$each_feature),*]
            }
        }
    };
    (
        $(#[doc = $doc:literal])*
        pub static $static:ident = $name:literal;
    ) => {
        $(#[doc = $doc])*
        pub static $static: $crate::decision::Decision =
            $crate::decision::Decision { name: $name, meaning: concat!($($doc),*), common: &[], each: &[], window: None, named: None, outcome: None, events: &[] };
    };
    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };
    (@count) => { 0 };
    (@count $one:ident $($more:ident)*) => { 1 + $crate::decision!(@count $($more)*) };
}
