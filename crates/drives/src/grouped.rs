//! The part of a group of drives that depends on the kind of drive: a group has a count, a place on a network or none, adapters and their
//! ports. The group itself is the same for every kind of drive, and is described beside the kinds of component.

use sansim_component::Component;
use sansim_component::component_kind::CheckedRequest;
use sansim_schema::keys::Keys;
use sansim_schema::table::Tabular;

/// The keys of a drive, which are part of the table of its group.
pub trait DriveGroupKeys: Tabular + Clone + PartialEq {
    /// The drive that is built from these keys, once for each drive of the group.
    type Drive: Component<Parameters = Self>;

    /// The key whose larger value gives the drive more capacity.
    const LARGER: &'static str = "capacity";

    /// The capacity in bytes.
    fn capacity(&self) -> u64;

    /// Whether the drive fails at random, without an event of the scenario.
    fn fails_by_itself(&self) -> bool;

    /// Reports faults if requests of this size come to the drive; whether they fit within the capacity is checked elsewhere.
    fn check_request(&self, _request: &CheckedRequest<'_>, _keys: &mut Keys<'_, '_>) {}
}
