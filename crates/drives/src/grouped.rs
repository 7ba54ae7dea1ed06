//! The drive's side of a group of drives, which has a count, a place on a network or none, adapters and their ports. The group itself is the same for
//! every kind of drive, and is described beside the kinds.

use sansim_component::Component;
use sansim_component::component_kind::CheckedRequest;
use sansim_schema::keys::Keys;
use sansim_schema::table::Tabular;

/// The keys of a drive, which are part of the table of its group.
pub trait GroupKeys: Tabular + Clone + PartialEq {
    /// The drive that is built from them, once for each of the group.
    type Drive: Component<Parameters = Self>;

    /// The key by which it holds more.
    const LARGER: &'static str = "capacity";

    /// The capacity in bytes.
    fn capacity(&self) -> u64;

    /// Whether it fails at random, without an event that says so.
    fn fails_by_itself(&self) -> bool;

    /// Tells what is wrong if requests of this size come to it, beyond that they have to fit.
    fn check_request(&self, _request: &CheckedRequest<'_>, _keys: &mut Keys<'_, '_>) {}
}
