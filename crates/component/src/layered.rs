//! What a device before other devices has to say of itself to stand in a group of such: with a count, devices behind, adapters on
//! networks or none. The group itself is the same for every kind of them, and is described beside the kinds.

use crate::component_kind::CheckedRequest;
use crate::controller_side::Cluster;
use crate::policy::PathParameters;
use crate::{Component, ControllerSide};
use sansim_schema::keys::Keys;
use sansim_schema::table::Tabular;

/// The keys of a device before others, which stand in the table of its group.
pub trait Stacked: Tabular + Clone + PartialEq {
    /// What is built from them, for each of the group, and from how it chooses among several ways.
    type Device: Component<Parameters = (Self, PathParameters)>;

    /// The capacity in bytes of each of the devices that it presents, where those behind it have these.
    fn presents(&self, behind: &[u64]) -> Vec<u64>;

    /// How many devices it has to have behind it.
    fn least_behind(&self) -> usize {
        1
    }

    /// Tells what is wrong if it stands before devices of these capacities in bytes, of which there are enough.
    fn check_behind(&self, _behind: &[u64], _keys: &mut Keys<'_, '_>) {}

    /// What of it can fail by itself and be repaired, by the words that events have for it.
    fn fallible(&self) -> &'static [&'static str] {
        &[]
    }

    /// Which thing of it falls, and comes back, with something of controllers that stand in for each other ([`Cluster::things`]), in one of which
    /// it is at home as one of several modules.
    fn falls_with(&self, _home: ControllerSide, _thing: usize, _of: Cluster, _which: usize) -> Option<usize> {
        None
    }

    /// Tells what is wrong if requests of this size come to it.
    fn check_request(&self, _request: &CheckedRequest<'_>, _keys: &mut Keys<'_, '_>) {}
}
