//! A network as a kind: one component, to which the ports of other components are attached. The kind is the same for every network;
//! properties in which networks differ are defined by the network itself.

use sansim_component::Component;
use sansim_component::component_kind::{
    ComponentKind, ComponentReference, EventAction, PartList, ReferenceRelation,
};
use sansim_network::contract::{Network, NetworkDrawing};
use sansim_schema::context::Facts;
use sansim_schema::doc::TableDoc;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::reader::Reader;
use sansim_schema::table::Tabular;
use sansim_schema::writer::TomlWriter;

use crate::{KindMember, Part};

/// The parameters of a network.
pub struct NetworkKind<C: Component>(pub C::Parameters);

impl<C: Component<Parameters: Clone>> Clone for NetworkKind<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C: Component<Parameters: PartialEq>> PartialEq for NetworkKind<C> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<C: Component<Parameters: std::fmt::Debug>> std::fmt::Debug for NetworkKind<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<C: Component<Parameters: Network>> NetworkKind<C> {
    /// The drawing of the network.
    pub fn network_drawing() -> NetworkDrawing {
        C::Parameters::drawn()
    }

    /// The noun for a second network of this kind, where a second one may be useful.
    pub fn second_network_noun() -> Option<&'static str> {
        C::Parameters::second()
    }

    /// Whether nodes can leave the network while it runs, and come back.
    pub fn nodes_change() -> bool {
        C::Parameters::nodes_change()
    }
}

impl<C: Component<Parameters: Tabular>> Tabular for NetworkKind<C> {
    fn keys() -> Vec<&'static str> {
        C::Parameters::keys()
    }

    fn take(reader: &mut Reader<'_, '_>) -> Self {
        Self(C::Parameters::take(reader))
    }

    fn check(&self, keys: &mut Keys<'_, '_>) {
        self.0.check(keys);
    }

    fn idle(&self, idle: &mut IdleKeys) {
        self.0.idle(idle);
    }

    fn write_keys(&self, writer: &mut TomlWriter) {
        self.0.write_keys(writer);
    }

    fn write_tables(&self, writer: &mut TomlWriter) {
        self.0.write_tables(writer);
    }

    fn describe() -> TableDoc {
        C::Parameters::describe()
    }

    fn unreadable_defaults(context: &Facts) -> Vec<&'static str> {
        C::Parameters::unreadable_defaults(context)
    }
}

impl<C: Component<Parameters: Network + Clone>> ComponentKind<Part> for NetworkKind<C>
where
    Part: PartList<C>,
{
    fn member(&self) -> KindMember {
        KindMember::single_part_member::<C>(self.0.clone())
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        vec![ComponentReference {
            key: "stations",
            names: self.0.stations(),
            joins: ReferenceRelation::Stations,
        }]
    }

    fn actions(&self) -> &'static [EventAction] {
        self.0.actions()
    }

    fn fallible(&self) -> Vec<String> {
        self.0.fallible()
    }
}
