//! A network as a kind: one component, to which the ports of other components are attached. The kind is the same for every network;
//! properties in which networks differ are defined by the network itself.

use sansim_component::Component;
use sansim_component::component_kind::{ComponentKind, EventAction, Joins, PartList, Reference};
use sansim_network::contract::{Drawn, Network};
use sansim_schema::context::Facts;
use sansim_schema::doc::TableDoc;
use sansim_schema::idle::Idle;
use sansim_schema::keys::Keys;
use sansim_schema::reader::Reader;
use sansim_schema::table::Tabular;
use sansim_schema::writer::TomlWriter;

use crate::{KindMember, Part};

/// The parameters of a network.
pub struct NetworkOf<C: Component>(pub C::Parameters);

impl<C: Component<Parameters: Clone>> Clone for NetworkOf<C> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<C: Component<Parameters: PartialEq>> PartialEq for NetworkOf<C> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<C: Component<Parameters: std::fmt::Debug>> std::fmt::Debug for NetworkOf<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<C: Component<Parameters: Network>> NetworkOf<C> {
    /// The drawing of the network.
    pub fn drawn() -> Drawn {
        C::Parameters::drawn()
    }

    /// The noun for a second network of this kind, where a second one may be useful.
    pub fn second() -> Option<&'static str> {
        C::Parameters::second()
    }
}

impl<C: Component<Parameters: Tabular>> Tabular for NetworkOf<C> {
    fn keys() -> Vec<&'static str> {
        C::Parameters::keys()
    }

    fn take(reader: &mut Reader<'_, '_>) -> Self {
        Self(C::Parameters::take(reader))
    }

    fn check(&self, keys: &mut Keys<'_, '_>) {
        self.0.check(keys);
    }

    fn idle(&self, idle: &mut Idle) {
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

impl<C: Component<Parameters: Network + Clone>> ComponentKind<Part> for NetworkOf<C>
where
    Part: PartList<C>,
{
    fn member(&self) -> KindMember {
        KindMember::of::<C>(self.0.clone())
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: self.0.stations(), joins: Joins::Stations }]
    }

    fn actions(&self) -> &'static [EventAction] {
        self.0.actions()
    }

    fn fallible(&self) -> Vec<String> {
        self.0.fallible()
    }
}
