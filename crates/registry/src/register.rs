//! Code generated from the list of kinds.

use sansim_schema::context::Facts;
use sansim_schema::doc::TableDoc;
use sansim_schema::reader::Reader;

use crate::KindParameters;
use sansim_network::contract::NetworkDrawing;

/// A kind of component, as it is written in scenario files.
pub struct Kind {
    /// The word for the kind.
    pub word: &'static str,
    /// The noun for a component of this kind, with its article.
    pub noun: &'static str,
    /// The category of the kind.
    pub category: ComponentCategory,
    /// The keys in which a component of this kind names other components.
    pub names_in: &'static [&'static str],
    /// Other words that people use for the kind.
    pub also: &'static [&'static str],
    /// The drawing of a network; none for other kinds.
    pub drawn: fn() -> Option<NetworkDrawing>,
    /// The noun for a second network of this kind, where a second one may be useful.
    pub second: fn() -> Option<&'static str>,
    /// Whether nodes can leave a network of this kind while it runs, and come back; false for other kinds.
    pub nodes_change: fn() -> bool,
    /// The documentation of the kind's keys.
    pub describe: fn() -> TableDoc,
    /// Reads the table of a component of this kind.
    pub read: fn(&mut Reader<'_, '_>) -> KindParameters,
    /// The keys whose default or example cannot be parsed; a test requires that there are none.
    pub unreadable_defaults: fn(&Facts) -> Vec<&'static str>,
}

impl Kind {
    /// The nouns for one member of the kind, and for several.
    pub fn member_nouns(&self) -> [String; 2] {
        if let Some(several) = self.noun.strip_prefix("a group of ") {
            return [several.trim_end_matches('s').to_owned(), several.to_owned()];
        }
        let one = self.noun.trim_start_matches("an ").trim_start_matches("a ");
        // In "clients of a metadata controller" only the words before "of" are in the plural.
        let end = [" of ", " with "].iter().filter_map(|word| one.find(word)).min().unwrap_or(one.len());
        let ending = if one[..end].ends_with(['s', 'h', 'x']) { "es" } else { "s" };
        [one.to_owned(), format!("{}{ending}{}", &one[..end], &one[end..])]
    }

    /// The colour of the kind in charts. The colours are from the palettes of Okabe and Ito (2008) and of Paul Tol (2021), which are made
    /// for colour-blind people too.
    pub fn chart_colour(&self) -> &'static str {
        match self.category {
            ComponentCategory::Network => "#332288",
            ComponentCategory::Host => "#D55E00",
            ComponentCategory::Device if self.names_in.is_empty() => "#0072B2",
            // A device may be in front of other devices.
            ComponentCategory::Device => "#009E73",
            ComponentCategory::Passive => "#999999",
            ComponentCategory::Crossing | ComponentCategory::Ip | ComponentCategory::Workload => "#8a8a8a",
        }
    }

    /// The mark of the kind in charts.
    pub fn chart_shape(&self) -> &'static str {
        match self.category {
            ComponentCategory::Network | ComponentCategory::Host => "square",
            ComponentCategory::Passive => "diamond",
            _ => "circle",
        }
    }
}

/// The purposes of components, in the order in which a resolved scenario has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComponentCategory {
    /// Ports are attached to the component.
    Network,
    /// Requests pass through the component.
    Host,
    /// Requests go to the component.
    Device,
    /// Frames pass through the component from one network to another.
    Crossing,
    /// The component sends and receives frames that belong to no request.
    Ip,
    /// The component only repeats.
    Passive,
    /// Requests come from the component.
    Workload,
}

impl ComponentCategory {
    /// The noun for a component of this category, with its article.
    pub fn noun_with_article(self) -> &'static str {
        match self {
            ComponentCategory::Network => "a loop",
            ComponentCategory::Host => "a host",
            ComponentCategory::Device => "a device",
            ComponentCategory::Crossing => "a port between networks",
            ComponentCategory::Ip => "an IP port",
            ComponentCategory::Passive => "a group of passive ports",
            ComponentCategory::Workload => "a workload",
        }
    }
}

/// The network interface of a component, if its category is network.
macro_rules! network_of {
    (Network, $described:ident) => {
        Some(&$described.0 as &dyn sansim_network::contract::Network)
    };
    ($other:ident, $described:ident) => {
        None
    };
}

pub(crate) use network_of;

/// The drawing of a component, if it is a network.
macro_rules! drawn_of {
    (Network, $table:ty) => {
        || Some(<$table>::network_drawing())
    };
    ($other:ident, $table:ty) => {
        || None
    };
}

pub(crate) use drawn_of;

/// The noun for a second component, if it is a network.
macro_rules! second_of {
    (Network, $table:ty) => {
        || <$table>::second_network_noun()
    };
    ($other:ident, $table:ty) => {
        || None
    };
}

pub(crate) use second_of;

/// Whether the nodes of a component can change, if it is a network.
macro_rules! nodes_change_of {
    (Network, $table:ty) => {
        || <$table>::nodes_change()
    };
    ($other:ident, $table:ty) => {
        || false
    };
}

pub(crate) use nodes_change_of;

/// Makes the kinds of components of a list with a line for each: its word, its noun, its structure, its category, the keys in which it
/// names other components, and other words for it.
macro_rules! kinds {
    ($(
        $word:literal, $noun:literal: $name:ident($table:ty), $category:ident,
        names in $names_in:tt, also $also:tt;
    )*) => {
        /// The parameters of a component, by its kind.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a scenario has a handful of components")]
        pub enum KindParameters {
            $(#[doc = concat!("`kind = \"", $word, "\"`: ", $noun, ".")] $name($table),)*
        }

        /// The kinds by their indices in the list.
        enum Number {
            $($name),*
        }

        /// Every kind of component.
        pub const KINDS: &[$crate::register::Kind] = &[
            $($crate::register::Kind {
                word: $word,
                noun: $noun,
                category: $crate::register::ComponentCategory::$category,
                names_in: &$names_in,
                also: &$also,
                drawn: $crate::register::drawn_of!($category, $table),
                second: $crate::register::second_of!($category, $table),
                nodes_change: $crate::register::nodes_change_of!($category, $table),
                describe: <$table as sansim_schema::table::Tabular>::describe,
                read: |reader| KindParameters::$name(<$table as sansim_schema::table::Tabular>::read(reader)),
                unreadable_defaults: <$table as sansim_schema::table::Tabular>::unreadable_defaults,
            }),*
        ];

        impl KindParameters {
            /// The kind of the component.
            pub fn kind_of_component(&self) -> &'static $crate::register::Kind {
                match self {
                    $(KindParameters::$name(_) => &KINDS[Number::$name as usize],)*
                }
            }

            /// The behaviour of the component's kind beyond its keys.
            pub fn kind_behaviour(&self) -> &dyn sansim_component::component_kind::ComponentKind<$crate::Part> {
                match self {
                    $(KindParameters::$name(described) => described,)*
                }
            }

            /// The network interface of the component; none if it is not a network.
            pub fn network_interface(&self) -> Option<&dyn sansim_network::contract::Network> {
                match self {
                    $(KindParameters::$name(_described) => $crate::register::network_of!($category, _described),)*
                }
            }

            /// Checks the keys of the component against each other.
            pub fn check_keys(&self, keys: &mut sansim_schema::keys::Keys<'_, '_>) {
                match self {
                    $(KindParameters::$name(described) => sansim_schema::table::Tabular::check(described, keys),)*
                }
            }

            /// Collects the keys of the component that have no effect beside the others.
            pub fn collect_idle_keys(&self, idle: &mut sansim_schema::idle::IdleKeys) {
                match self {
                    $(KindParameters::$name(described) => sansim_schema::table::Tabular::idle(described, idle),)*
                }
            }

            /// Writes the keys of the component.
            pub fn write_keys(&self, writer: &mut sansim_schema::writer::TomlWriter) {
                match self {
                    $(KindParameters::$name(described) => sansim_schema::table::Tabular::write(described, writer),)*
                }
            }
        }
    };
}

pub(crate) use kinds;
