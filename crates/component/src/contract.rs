//! What every component is.

use crate::build_context::{BuildContext, Role};
use crate::context::Context;
use crate::demand::{Demand, DemandContext, RequestClass};
use crate::leftovers::Leftovers;
use crate::level::StockLevel;
use crate::message::Message;
use crate::site::Timer;
use crate::warm::{DeviceAccess, Warmed, Warmth};
use sansim_kernel::{Time, Total};
use sansim_schema::catalogue::{Catalogue, PlaceMeter};

/// What a scenario does to a component while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It fails: what it has in work is answered as failed, and so is what it is asked for.
    Fail,
    /// It works again.
    Repair,
    /// It is told that one of its ways to devices has failed, by the number of the way among all of its
    /// [`ways`](crate::build_context::DeviceRole::ways), device by device.
    WayFails(u32),
    /// It is told that this one works again.
    WayWorks(u32),
    /// A device that the component may ask has failed; the number is that of the device in the system
    /// ([`Context::device_fails`]).
    DeviceFails(u32),
    /// It is slow from now on: everything that it does takes so many thousandths of its time, until it is repaired.
    Slow(u32),
    /// These bytes of it cannot be read any more, until they are written.
    Unreadable {
        /// The first of them.
        first_byte: u64,
        /// How many.
        bytes: u64,
    },
}

/// A component. See the text of the crate.
pub trait Component {
    /// What is described of it in a scenario: its configuration.
    type Parameters;

    /// What it is told of its place in the system, beside what everybody is.
    type Role: Role;

    /// What is to be seen of it.
    const CATALOGUE: &'static Catalogue;

    /// What is measured at each of its places, and sampled.
    const PLACE_METERS: &'static [PlaceMeter] = &[];

    /// A component that has done nothing yet.
    fn build(parameters: &Self::Parameters, cx: &BuildContext<'_, Self::Role>) -> Self
    where
        Self: Sized;

    /// What it is in a network of queues: what a request of a class needs of it. None of what serves no requests, and of what does not say.
    fn demand(
        _parameters: &Self::Parameters,
        _class: &RequestClass,
        _around: &DemandContext<'_>,
    ) -> Option<Demand> {
        None
    }

    /// Of a source: what it asks for next, before the run begins; none if it has nothing to ask for, or has been at its end once. What it
    /// asks for in the run comes behind that.
    fn next_access(&mut self) -> Option<DeviceAccess> {
        None
    }

    /// Before simulated time begins: does some milliseconds of what it has to do for that, such as filling what it holds, and says which share of all of it
    /// is done. It is called until that is 1.
    fn prepare(&mut self) -> f64 {
        1.0
    }

    /// Of a device: before the run begins it does to what it holds what an access of it does, and adds the accesses of devices behind
    /// that come of it.
    fn warm(&mut self, _access: &DeviceAccess, _behind: &mut Vec<DeviceAccess>) -> Warmed {
        Warmed::Not
    }

    /// Of what has a hit ratio that may settle while it warms up.
    fn warmth(&self) -> Option<Warmth> {
        None
    }

    /// The run begins.
    fn start(&mut self, _cx: &mut Context<'_>) {}

    /// A timer is due.
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer);

    /// Something comes in by a port.
    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message);

    /// The scenario does something to it.
    fn act(&mut self, _cx: &mut Context<'_>, _action: Action) {}

    /// The scenario does something to a thing that it has, by its number among those of its kind that can fail by themselves
    /// ([`ComponentKind::fallible`](crate::compound::ComponentKind::fallible)): it fails, or works again.
    fn act_on(&mut self, _cx: &mut Context<'_>, _thing: usize, _works: bool) {}

    /// Places of its own at which gauges are read and for which it has a rank each: a loop has its ports.
    fn places(&self) -> u16 {
        1
    }

    /// The value of a gauge of the catalogue at one of its places, now.
    fn gauge(&self, _now: Time, _gauge: usize, _place: u16) -> u32 {
        0
    }

    /// How much there is of a stock of the catalogue, now; none where it does not matter.
    fn stock(&self, _now: Time, _stock: usize) -> Option<StockLevel> {
        None
    }

    /// Time in which a block of the catalogue was at work, up to now.
    fn busy(&self, _now: Time, _block: usize) -> Total {
        Total::ZERO
    }

    /// A meter of the catalogue, up to now.
    fn meter(&self, _now: Time, _meter: usize) -> Total {
        Total::ZERO
    }

    /// A meter of one of its places, up to now.
    fn place_meter(&self, _now: Time, _meter: usize, _place: u16) -> Total {
        Total::ZERO
    }

    /// How much it does at once of what a meter measures.
    fn capacity(&self, _meter: usize) -> u64 {
        1
    }

    /// A figure of the catalogue that does not change while a run goes on.
    fn constant(&self, _figure: usize) -> f64 {
        0.0
    }

    /// What somebody who reads the result should know of the run, a line each; it stands under the warnings.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Who keeps others waiting in it, and whom, up to now; nothing where it does not watch that.
    fn culprits(&self, _now: Time) -> Vec<crate::culprits::Culprit> {
        Vec::new()
    }

    /// Why it could not go on, if it could not; the run has no result then.
    fn fault(&self) -> Option<String> {
        None
    }

    /// What is left when all is over.
    fn leftovers(&self, _leftovers: &mut Leftovers) {}
}
