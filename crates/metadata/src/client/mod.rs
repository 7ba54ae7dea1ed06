//! A client of a metadata controller: a device in the host through which the host reaches other devices. The client presents the volumes of
//! the controller, and accesses the devices on which the volumes are.
//!
//! A request needs these prerequisites, in this order:
//!
//! 1. a session of its volume, the lease of which is valid. The first request without a session opens one;
//! 2. where the volume has locks, a lock on each of the ranges of the request, exclusive for a write. Ranges are locked in ascending order,
//!    so that no two clients wait for each other. A client keeps a lock until another client wants it;
//! 3. where the volume is translated by files, the place of each extent of the request. The place of an extent is kept until the volume is
//!    moved or the session ends;
//! 4. the translation, of one request at a time;
//! 5. the lease once more, because an access begins only while the lease is valid ([`access`]).
//!
//! The lease ends earlier at the client than at the controller, never later, because the client counts from the time of its call. At the
//! end of a lease, accesses in flight are aborted, and those that were not done are repeated in the next session; the client opens no
//! session until the devices have returned all of them. So after the end of a lease a device carries out only accesses that could not be
//! aborted in time; the controller waits for these accesses (`grace_time`). Lost messages and retries are described in [`calls`].
//!
//! Two assumptions are made: all data of a write have arrived before the write continues, and the clocks of clients and controller run at
//! the same rate.

mod access;
mod calls;
mod catalogue;
mod parameters;
mod volume;

pub use parameters::{MetadataClientParameters, TranslationLevel};

use super::map::DevicePiece;
use calls::Asked;
use catalogue::{CATALOGUE, gauge, meter, segment};
use sansim_component::child_requests::ChildRequests;
use sansim_component::demand::{Demand, DemandContext, RequestClass, TimeDemand};
use sansim_component::layered::LayeredDeviceKeys;
use sansim_component::policy::{PathChoice, PathParameters};
use sansim_component::{
    Action, BuildContext, Component, Context, DeviceRole, LeftoverFindings, Message, Timer,
};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_request::{RequestId, RequestMap, Status};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;
use volume::Volume;

/// The purposes of the timers.
mod timer {
    pub const LEASE: u8 = 0;
    pub const RENEW: u8 = 1;
    pub const AGAIN: u8 = 2;
    pub const TRANSLATED: u8 = 3;
    pub const ANSWER: u8 = 4;

    /// The rank of a timer among the events of the client at one moment.
    pub fn timer_rank(what: u8, number: u32) -> u32 {
        (u32::from(what) << 20) + number % (1 << 20)
    }
}

/// The stage of a request in the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The data of a write have not all arrived.
    Data,
    /// The request waits for a session, a lock or an extent.
    Waits,
    /// The request is being translated, or waits for the translation.
    Translates,
    /// The request is in flight at devices.
    Asked,
    Answered,
}

/// A request that the client is handling.
#[derive(Clone, Copy, Debug)]
struct InHand {
    /// The port by which the request came.
    port: u16,
    volume: usize,
    stage: Stage,
    /// The outcome of the pieces of the request: the first status other than GOOD.
    status: Status,
    /// The number of ranges of the request on which it holds locks, counted from the first range.
    pinned: u64,
    /// Whether the session lapsed while the request was in flight.
    lapsed: bool,
    aborted: bool,
}

/// The number of times that each kind of event happened.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    requests: u64,
    messages: u64,
    unanswered: u64,
    lapses: u64,
    broken_off: u64,
    split: u64,
    refused: u64,
}

/// A client of a metadata controller: the host reaches the devices behind the volumes of the controller through its client.
#[derive(Clone, Debug)]
pub struct MetadataClient {
    parameters: MetadataClientParameters,
    /// The name by which the controller knows the client.
    name: u64,
    volumes: Vec<Volume>,
    /// For each device of the system by its number, the volume that the device presents, if any.
    places: Vec<Option<u32>>,
    /// The devices that the client accesses: first those that the controller manages, then one device for each volume to which calls are
    /// addressed.
    behind: ChildRequests,
    /// The number of devices that the controller manages.
    managed: u32,
    in_hand: RequestMap<InHand>,
    calls: RequestMap<Asked>,
    translations: VecDeque<RequestId>,
    translating: Option<RequestId>,
    working: TimeWeighted,
    pieces: Vec<DevicePiece>,
    counts: Counts,
}

impl MetadataClient {
    /// A client with volumes of these sizes in bytes. `places` gives, for each device of the system by its number, the volume that the
    /// device presents, if any; the first `managed` devices that the client accesses have the data.
    pub fn new(
        parameters: &MetadataClientParameters,
        volumes: &[u64],
        places: Vec<Option<u32>>,
        behind: ChildRequests,
        managed: u32,
    ) -> Self {
        let by_files = parameters.level == TranslationLevel::File;
        let name = places.iter().position(Option::is_some).unwrap_or(0) as u64;
        Self {
            parameters: *parameters,
            name,
            volumes: volumes.iter().map(|&bytes| Volume::new(bytes, by_files)).collect(),
            places,
            behind,
            managed,
            in_hand: RequestMap::with_capacity_and_hasher(64, Default::default()),
            calls: RequestMap::with_capacity_and_hasher(64, Default::default()),
            translations: VecDeque::with_capacity(64),
            translating: None,
            working: TimeWeighted::new(),
            pieces: Vec::with_capacity(64),
            counts: Counts::default(),
        }
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        self.counts.requests += 1;
        cx.ledger().locate_request(id, segment::CLIENT);
        let request = *cx.request(id);
        let volume = self.places.get(request.device as usize).copied().flatten().map(|place| place as usize);
        let is_there = volume.filter(|&volume| request.end_byte() <= self.volumes[volume].bytes);
        let in_hand = InHand {
            port,
            volume: is_there.unwrap_or(0),
            stage: Stage::Data,
            status: Status::Good,
            pinned: 0,
            lapsed: false,
            aborted: false,
        };
        self.in_hand.insert(id, in_hand);
        if is_there.is_none() {
            self.answer(cx, id, Status::Failed);
        } else if request.is_write() {
            cx.send(port, Message::WriteCredit(id, request.data_bytes()));
        } else {
            self.wants(cx, id);
        }
    }

    fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.stage = Stage::Answered;
            cx.ledger().locate_request(id, segment::CLIENT);
            cx.answer_from_memory(in_hand.port, id, status);
        }
    }

    /// Handles the child requests that have returned.
    fn proceed(&mut self, cx: &mut Context<'_>) {
        while let Some((part, status)) = self.behind.next_done_child() {
            if let Some(asked) = self.calls.remove(&part) {
                let words = cx.requests().take_message_words(part);
                self.behind.close_next_done(cx);
                self.heard(cx, asked, status, words);
            } else {
                let Some(answer) = self.behind.close_next_done(cx) else { return };
                self.comes_back(cx, answer.returned.joined, answer.status);
            }
        }
    }
}

impl Component for MetadataClient {
    type Parameters = (MetadataClientParameters, PathParameters);
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        (parameters, _): &Self::Parameters,
        class: &RequestClass,
        _around: &DemandContext<'_>,
    ) -> Option<Demand> {
        // Messages are not included, because their number depends on the locks that other clients request.
        let takes = TimeDemand::fixed_ns(parameters.mapping_time().as_ns_f64());
        Some(Demand::single_server_demand("translation", 1, takes).with_child_requests(*class, 1.0))
    }

    fn build((parameters, path): &Self::Parameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let managed = cx.by_leave.iter().map(|&(device, _)| device);
        let devices: Vec<u32> = managed.chain(cx.behind.iter().map(|behind| behind.device)).collect();
        let behind =
            ChildRequests::with_devices(devices, PathChoice::new(&cx.paths, path), segment::FAIL_OVER);
        Self::new(parameters, &cx.device_capacities(), cx.device_indices(), behind, cx.by_leave.len() as u32)
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let volume = timer.number as usize;
        match timer.what {
            PathChoice::TIMER => self.behind.handle_due_timer(cx),
            timer::LEASE => self.lease_is_over(cx, volume),
            timer::RENEW => self.renewal_is_due(cx, volume),
            timer::AGAIN => {
                self.volumes[volume].paused = false;
                self.go_on(cx, volume);
            }
            timer::TRANSLATED => self.translated(cx),
            timer::ANSWER => self.is_not_answered(cx, RequestId(timer.number)),
            _ => {}
        }
        self.proceed(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        if !self.behind.receive(cx, port, message) {
            match message {
                Message::Request(id, _) => self.arrive(cx, port, id),
                Message::WriteDataUpTo(id, upto) if upto == cx.request(id).data_bytes() => self.wants(cx, id),
                Message::Release(id) => {
                    self.in_hand.remove(&id);
                }
                Message::Abort(id) => self.abort(cx, id),
                _ => {}
            }
        }
        self.proceed(cx);
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        self.behind.apply_action(cx, action);
        self.proceed(cx);
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        match gauge {
            gauge::UNDER_WAY => self.volumes.iter().map(|volume| volume.under_way).sum(),
            gauge::WAITING => self.volumes.iter().map(|volume| volume.waiting.len() as u32).sum(),
            _ => 0,
        }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.working.total(now)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let count = match meter {
            meter::BUSY => return self.working.total(now),
            meter::REQUESTS => self.counts.requests,
            meter::MESSAGES => self.counts.messages,
            meter::UNANSWERED => self.counts.unanswered,
            meter::LAPSES => self.counts.lapses,
            meter::BROKEN_OFF => self.counts.broken_off,
            meter::SPLIT => self.counts.split,
            meter::REFUSED => self.counts.refused,
            _ => 0,
        };
        Total(count.into())
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("requests left in a metadata client", self.in_hand.len() as u64);
        leftovers.check_zero(
            "requests left behind a metadata client",
            u64::from(self.behind.child_requests_in_flight()),
        );
    }

    fn fault(&self) -> Option<String> {
        self.behind.stuck_reason()
    }
}

#[cfg(test)]
impl MetadataClient {
    /// The name by which the controller knows the client.
    pub(super) fn name(&self) -> u64 {
        self.name
    }
}

/// The remaining time of a lease.
fn left(now: Time, end: Time) -> Span {
    end.saturating_since(now)
}

impl LayeredDeviceKeys for MetadataClientParameters {
    type Device = MetadataClient;

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }
}
