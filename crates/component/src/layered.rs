//! The keys that a device in front of other devices needs to be used in a group of such devices: with a count, devices behind, and adapters
//! on networks or none. The group is the same for all kinds of such devices, and is described beside the kinds of component.

use crate::component_kind::CheckedRequest;
use crate::controller_side::Cluster;
use crate::policy::PathParameters;
use crate::{Component, ControllerSide};
use sansim_schema::keys::Keys;
use sansim_schema::table::Tabular;

/// The keys of a device in front of other devices; they are in the table of its group.
pub trait LayeredDeviceKeys: Tabular + Clone + PartialEq {
    /// The component that is built from these keys and from the parameters of its path choice, once for each member of the group.
    type Device: Component<Parameters = (Self, PathParameters)>;

    /// The capacity in bytes of each of the devices that the component presents, where the devices behind it have these capacities.
    fn presents(&self, behind: &[u64]) -> Vec<u64>;

    /// The least number of devices behind the component.
    fn least_behind(&self) -> usize {
        1
    }

    /// Reports errors if the component is in front of devices of these capacities in bytes, of which there are enough.
    fn check_behind(&self, _behind: &[u64], _keys: &mut Keys<'_, '_>) {}

    /// The parts of the component that can fail separately and be repaired, by their names in events.
    fn fallible(&self) -> Vec<String> {
        Vec::new()
    }

    /// The part that fails, and is repaired, with a part of a cluster of controllers ([`Cluster::failable_parts`]); `which` is the
    /// component's number among the modules of its controller.
    fn falls_with(&self, _home: ControllerSide, _thing: usize, _of: Cluster, _which: usize) -> Option<usize> {
        None
    }

    /// Reports errors if requests of this size come to the component.
    fn check_request(&self, _request: &CheckedRequest<'_>, _keys: &mut Keys<'_, '_>) {}
}
