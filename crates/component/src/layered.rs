//! The keys that a device in front of other devices needs to be used in a group of such devices: with a count, devices behind, and adapters
//! on networks or none. The group is the same for all of them, and is described beside the kinds.

use crate::component_kind::CheckedRequest;
use crate::controller_side::Cluster;
use crate::policy::PathParameters;
use crate::{Component, ControllerSide};
use sansim_schema::keys::Keys;
use sansim_schema::table::Tabular;

/// The keys of a device in front of other devices; they are in the table of its group.
pub trait Stacked: Tabular + Clone + PartialEq {
    /// The component built from them, for each of the group, and from the parameters of its path choice.
    type Device: Component<Parameters = (Self, PathParameters)>;

    /// The capacity in bytes of each of the devices that it presents, where those behind it have these.
    fn presents(&self, behind: &[u64]) -> Vec<u64>;

    /// How many devices it has to have behind it.
    fn least_behind(&self) -> usize {
        1
    }

    /// Reports errors if it is in front of devices of these capacities in bytes, of which there are enough.
    fn check_behind(&self, _behind: &[u64], _keys: &mut Keys<'_, '_>) {}

    /// The things in it that can fail by themselves and be repaired, by their names in events.
    fn fallible(&self) -> &'static [&'static str] {
        &[]
    }

    /// The thing in it that fails, and is repaired, with a thing of a cluster of controllers ([`Cluster::things`]); it is one of several
    /// modules at home in a controller.
    fn falls_with(&self, _home: ControllerSide, _thing: usize, _of: Cluster, _which: usize) -> Option<usize> {
        None
    }

    /// Tells what is wrong if requests of this size come to it.
    fn check_request(&self, _request: &CheckedRequest<'_>, _keys: &mut Keys<'_, '_>) {}
}
