//! The contract of every component.

use crate::build_context::{BuildContext, Role};
use crate::context::Context;
use crate::demand::{Demand, DemandContext, RequestClass};
use crate::leftovers::LeftoverFindings;
use crate::level::StockLevel;
use crate::limits::LimitParameters;
use crate::message::Message;
use crate::policy::AccessState;
use crate::port_keys::PortKeys;
use crate::site::Timer;
use crate::warm::{DeviceAccess, WarmAccessResult, WarmUpProgress};
use sansim_kernel::{Span, Time, Total};
use sansim_schema::catalogue::{Catalogue, PlaceMeter};

/// An action of the scenario on a component during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The component fails: it answers the requests that it has, and all further ones, with an error.
    Fail,
    /// The component works again.
    Repair,
    /// A path of the component to a device has failed, by the number of the path among all of its
    /// [`ways`](crate::build_context::DeviceRole::ways), device by device.
    PathFails(u32),
    /// The path with this number works again.
    PathWorks(u32),
    /// The device is in this access state by the path with this number from now on.
    PathAccess(u32, AccessState),
    /// A device, by its number in the system, is in this access state through the adapter from now on.
    Access(u32, AccessState),
    /// A device to which the component may send requests has failed; the number is that of the device in the system ([`Context::failures`]).
    DeviceFails(u32),
    /// The component is slow from now on: all of its actions last this many thousandths of their time, until it is repaired.
    Slow(u32),
    /// Commands wait for this time in the adapter from now on, until it is repaired.
    Delay(Span),
    /// The adapter is silent from now on: it receives nothing and answers nothing, until it is repaired.
    Silence,
    /// These bytes of the component are unreadable until they are written.
    Unreadable {
        /// The first of the bytes.
        first_byte: u64,
        /// The number of bytes.
        bytes: u64,
    },
    /// A network changes, or the component is a node of one that does.
    Network(NetworkChange),
}

/// A change of a network while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkChange {
    /// The network loses one of its nodes.
    RemoveNode {
        /// The port of the network.
        port: u16,
        /// Whether the network is initialised because of it, if it is one that is.
        initialise: bool,
    },
    /// The network gets a node again that it lost.
    AddNode {
        /// The port of the network.
        port: u16,
        /// Whether the network is initialised because of it.
        initialise: bool,
    },
    /// The network is initialised.
    Initialise,
    /// The network loses the component.
    Detached,
    /// The component is a node of its network again.
    Attached,
}

/// The keys of others that concern a component whose keys, or theirs, have changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeysAround<'a> {
    /// The keys of the ports at a network, in the order of its stations.
    pub ports: &'a [PortKeys],
    /// The limits of the workload at each port of a host.
    pub limits: &'a [LimitParameters],
}

/// A component. See the text of the crate's `lib.rs`.
pub trait Component {
    /// The configuration of the component, as a scenario describes it.
    type Parameters;

    /// The part of the build context that only its role has.
    type Role: Role;

    /// The metrics that can be observed.
    const CATALOGUE: &'static Catalogue;

    /// The meters of each place of the component, which are sampled.
    const PLACE_METERS: &'static [PlaceMeter] = &[];

    /// A component at its beginning.
    fn build(parameters: &Self::Parameters, cx: &BuildContext<'_, Self::Role>) -> Self
    where
        Self: Sized;

    /// Its service demands for a request of a class, for the analytic model. None if the component serves no requests or cannot be
    /// analysed.
    fn demand(
        _parameters: &Self::Parameters,
        _class: &RequestClass,
        _around: &DemandContext<'_>,
    ) -> Option<Demand> {
        None
    }

    /// A source returns its next access before the run begins; none if it has no access, or has reached its end once. The run of a source
    /// continues after its accesses of the warm-up.
    fn next_access(&mut self) -> Option<DeviceAccess> {
        None
    }

    /// Prepares the component before simulated time begins, such as by filling a flash drive. Each call of `prepare` works for some
    /// milliseconds and returns the share of the work that is done. `prepare` is called until the share is 1.
    fn prepare(&mut self) -> f64 {
        1.0
    }

    /// A device applies an access to its contents before the run begins, and adds the resulting accesses of the devices behind it.
    fn warm(&mut self, _access: &DeviceAccess, _behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        WarmAccessResult::Not
    }

    /// The hit ratio that may settle during warm-up, if it has one.
    fn warmth(&self) -> Option<WarmUpProgress> {
        None
    }

    /// The run begins.
    fn start(&mut self, _cx: &mut Context<'_>) {}

    /// A timer is due.
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer);

    /// Handles a message that arrives at a port.
    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message);

    /// Applies an action of the scenario to the component.
    fn act(&mut self, _cx: &mut Context<'_>, _action: Action) {}

    /// Keys of the component, or of what is around it, have changed: these are all of them from now on. Only keys change that are declared
    /// as such ([`sansim_schema::table!`]).
    fn change(&mut self, _cx: &mut Context<'_>, _parameters: &Self::Parameters, _around: &KeysAround<'_>) {}

    /// Applies an event of the scenario to a part of the component, by its number among those that can fail separately
    /// ([`ComponentKind::fallible`](crate::component_kind::ComponentKind::fallible)): the part fails, or works again.
    fn act_on(&mut self, _cx: &mut Context<'_>, _thing: usize, _works: bool) {}

    /// The number of places of the component at which gauges are read, each with its own rank: a loop has its ports.
    fn places(&self) -> u16 {
        1
    }

    /// The value of a gauge of the catalogue at one of its places, now.
    fn gauge(&self, _now: Time, _gauge: usize, _place: u16) -> u32 {
        0
    }

    /// The present level of a stock of the catalogue; none where it does not matter.
    fn stock(&self, _now: Time, _stock: usize) -> Option<StockLevel> {
        None
    }

    /// The time in which a block of the catalogue was busy, up to now.
    fn busy(&self, _now: Time, _block: usize) -> Total {
        Total::ZERO
    }

    /// The value of a meter of the catalogue, up to now.
    fn meter(&self, _now: Time, _meter: usize) -> Total {
        Total::ZERO
    }

    /// The value of a meter at one of the places, up to now.
    fn place_meter(&self, _now: Time, _meter: usize, _place: u16) -> Total {
        Total::ZERO
    }

    /// The number of servers whose busy time a meter adds up.
    fn capacity(&self, _meter: usize) -> u64 {
        1
    }

    /// A figure of the catalogue that does not change during a run.
    fn constant(&self, _figure: usize) -> f64 {
        0.0
    }

    /// Remarks for the reader of the result, a line each; they are printed below the warnings.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The ports that delay others, with their victims, up to now; empty where the component does not record that.
    fn culprits(&self, _now: Time) -> Vec<crate::culprits::CongestionCulprit> {
        Vec::new()
    }

    /// The reason why the component could not continue, if it could not; the run then has no result.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Reports its leftovers at the end of a run.
    fn leftovers(&self, _leftovers: &mut LeftoverFindings) {}
}
