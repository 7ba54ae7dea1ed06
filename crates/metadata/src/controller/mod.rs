//! The metadata controller: a server with processors and a queue, which answers the messages of clients.
//!
//! A message waits for a processor in the order of arrival, occupies the processor for its cost, and is carried out when the processor has
//! finished. A message that has been carried out is answered, or held until it can be answered ([`volume`]). Answers to held messages cost
//! no processor time, because the cost of the message that released them includes them.
//!
//! A controller that has failed answers every message with an error until it is repaired. Sessions and locks are on stable storage: after a
//! repair the controller still has them, as far as they have not expired. So a valid lease remains valid across a failure of the
//! controller.

mod catalogue;
mod parameters;
mod session;
mod sessions;
mod volume;

pub(super) use parameters::{CYCLES, SPEED};
pub use parameters::{MetadataControllerParameters, SharedVolume, VolumeLocation};

use super::message::{ClientCall, SessionCall};
use catalogue::{CATALOGUE, gauge, meter, segment};
use sansim_component::{
    Action, BuildContext, Component, Context, DeviceRole, EventTurn, LeftoverFindings, Message, Timer,
};
use sansim_kernel::statistics::TimeWeighted;
use sansim_kernel::{Span, Time, Total};
use sansim_request::{RequestId, RequestMap, Status};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;
use volume::{Told, Volume};

/// The purposes of the timers.
mod timer {
    pub const WORKED: u8 = 0;
    pub const EXPIRES: u8 = 1;
}

/// The number of sessions of a volume for which the numbers of timers have room.
const SESSIONS: u32 = 1 << 16;

/// A message that the controller is handling.
#[derive(Clone, Copy, Debug)]
struct InHand {
    port: u16,
    came: Time,
    answered: bool,
}

/// A metadata controller: a server with processors and a queue, which answers the messages of clients.
#[derive(Clone, Debug)]
pub struct MetadataController {
    parameters: MetadataControllerParameters,
    volumes: Vec<Volume>,
    /// For each device of the system by its number, the volume that the device presents, if any.
    places: Vec<Option<u32>>,
    in_hand: RequestMap<InHand>,
    queue: VecDeque<RequestId>,
    /// The message that each processor is handling.
    processors: Vec<Option<RequestId>>,
    working: TimeWeighted,
    failed: bool,
    messages: u64,
    waited: u128,
    out: Vec<Told>,
}

impl MetadataController {
    /// A controller with these volumes. `places` gives, for each device of the system by its number, the volume that the device presents,
    /// if any.
    pub fn new(
        parameters: &MetadataControllerParameters,
        placed: &[VolumeLocation],
        places: Vec<Option<u32>>,
    ) -> Self {
        Self {
            parameters: parameters.clone(),
            volumes: placed.iter().map(|&placed| Volume::new(placed)).collect(),
            places,
            in_hand: RequestMap::with_capacity_and_hasher(64, Default::default()),
            queue: VecDeque::with_capacity(64),
            processors: vec![None; parameters.processors as usize],
            working: TimeWeighted::new(),
            failed: false,
            messages: 0,
            waited: 0,
            out: Vec::with_capacity(64),
        }
    }

    fn terms(&self, now: Time) -> (Time, Span) {
        (now, self.parameters.lease_time)
    }

    fn volume_of(&self, device: u32) -> Option<usize> {
        self.places.get(device as usize).copied().flatten().map(|place| place as usize)
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        self.in_hand.insert(id, InHand { port, came: cx.now, answered: false });
        cx.ledger().locate_request(id, segment::QUEUE);
        if self.failed {
            self.answer(cx, id, Status::Failed);
        } else {
            self.queue.push_back(id);
            self.begin(cx);
        }
    }

    /// Idle processors begin with the messages that wait.
    fn begin(&mut self, cx: &mut Context<'_>) {
        while let Some(free) = self.processors.iter().position(Option::is_none) {
            let Some(id) = self.queue.pop_front() else { return };
            let Some(in_hand) = self.in_hand.get(&id) else { continue };
            self.waited += u128::from(cx.now.since(in_hand.came).ticks());
            self.processors[free] = Some(id);
            self.working.increase(cx.now, 1);
            cx.keep_record(id);
            cx.ledger().locate_request(id, segment::PROCESSOR);
            let cycles = match called(cx, id).map(|called| called.call) {
                Some(ClientCall::Open) => self.parameters.set_up_cycles,
                Some(ClientCall::Lock { .. } | ClientCall::Release { .. }) => self.parameters.lock_cycles,
                Some(ClientCall::Extent { .. } | ClientCall::Settled { .. }) => self.parameters.map_cycles,
                Some(ClientCall::Renew | ClientCall::Watch | ClientCall::Close) | None => {
                    self.parameters.renewal_cycles
                }
            };
            let number = free as u32;
            let at = cx.now + self.parameters.time(cycles);
            cx.set_timer(at, EventTurn::turn_of_node(number), Timer::new(timer::WORKED, number));
        }
    }

    /// A processor has finished a message.
    fn worked(&mut self, cx: &mut Context<'_>, number: u32) {
        let Some(id) = self.processors[number as usize].take() else { return };
        self.working.decrease(cx.now, 1);
        self.messages += 1;
        if self.in_hand.get(&id).is_some_and(|in_hand| !in_hand.answered) {
            cx.ledger().locate_request(id, segment::HELD);
            let volume = self.volume_of(cx.request(id).device);
            match (called(cx, id), volume) {
                (Some(called), Some(volume)) => {
                    let terms = self.terms(cx.now);
                    self.volumes[volume].execute_call(id, called, terms, &mut self.out);
                    self.watch_leases(cx, volume);
                    self.say(cx);
                }
                // The message is not a valid call.
                _ => self.answer(cx, id, Status::Failed),
            }
        }
        cx.release_record(id);
        self.begin(cx);
    }

    /// Sets a timer for the end of every session, including sessions that begin when something else ends, such as a move.
    fn watch_leases(&mut self, cx: &mut Context<'_>, volume: usize) {
        let grace = self.parameters.grace_time;
        for (place, session) in (0..).zip(&mut self.volumes[volume].sessions) {
            if session.live && !session.has_timer {
                session.has_timer = true;
                expires_at(cx, session.expires + grace, volume as u32 * SESSIONS + place);
            }
        }
    }

    /// Sends the answers that have become due.
    fn say(&mut self, cx: &mut Context<'_>) {
        let mut out = std::mem::take(&mut self.out);
        for (id, answer) in out.drain(..) {
            if self.in_hand.get(&id).is_some_and(|in_hand| !in_hand.answered) {
                cx.requests().set_message_words(id, answer.encode_words());
                self.answer(cx, id, Status::Good);
            }
        }
        self.out = out;
    }

    fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        if let Some(in_hand) = self.in_hand.get_mut(&id).filter(|in_hand| !in_hand.answered) {
            in_hand.answered = true;
            cx.answer_from_memory(in_hand.port, id, status);
        }
    }

    /// The client aborts a message.
    fn abort(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if self.in_hand.get(&id).is_none_or(|in_hand| in_hand.answered) {
            return;
        }
        self.queue.retain(|&other| other != id);
        if let Some(volume) = self.volume_of(cx.request(id).device) {
            self.volumes[volume].remove_aborted_call(id, &mut self.out);
            self.watch_leases(cx, volume);
        }
        self.answer(cx, id, Status::Aborted);
        self.say(cx);
    }

    fn fail(&mut self, cx: &mut Context<'_>) {
        self.failed = true;
        let mut ids: Vec<RequestId> = self.queue.drain(..).collect();
        ids.extend(self.processors.iter().flatten());
        for volume in &mut self.volumes {
            let held: Vec<RequestId> = volume.held_calls().collect();
            held.iter().for_each(|&id| volume.remove_aborted_call(id, &mut self.out));
            // The calls that waited have been removed, so their locks are not granted.
            self.out.clear();
            ids.extend(held);
        }
        for id in ids {
            self.answer(cx, id, Status::Failed);
        }
    }

    fn count(&self, of: impl Fn(&volume::Counts) -> u64) -> u64 {
        self.volumes.iter().map(|volume| of(&volume.counts)).sum()
    }
}

/// The call that a message contains.
fn called(cx: &mut Context<'_>, id: RequestId) -> Option<SessionCall> {
    cx.requests().message_words(id).and_then(SessionCall::decode_words)
}

fn expires_at(cx: &mut Context<'_>, at: Time, number: u32) {
    // The end of a session comes after the messages that processors complete at the same time.
    cx.set_timer(
        at,
        EventTurn::turn_of_node((1 << 22) + number % (1 << 22)),
        Timer::new(timer::EXPIRES, number),
    );
}

impl Component for MetadataController {
    type Parameters = MetadataControllerParameters;
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn build(parameters: &MetadataControllerParameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let bytes: Vec<u64> = cx.by_leave.iter().map(|&(_, bytes)| bytes).collect();
        Self::new(parameters, &parameters.volume_locations(&bytes), cx.device_indices())
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what == timer::WORKED {
            self.worked(cx, timer.number);
            return;
        }
        let (volume, place) = (timer.number / SESSIONS, timer.number % SESSIONS);
        let (grace, terms) = (self.parameters.grace_time, self.terms(cx.now));
        let next =
            self.volumes[volume as usize].handle_session_timer(place as usize, grace, terms, &mut self.out);
        if let Some(at) = next {
            expires_at(cx, at, timer.number);
        }
        self.watch_leases(cx, volume as usize);
        self.say(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Request(id, _) => self.arrive(cx, port, id),
            Message::Release(id) => {
                self.in_hand.remove(&id);
            }
            Message::Abort(id) => self.abort(cx, id),
            _ => {}
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        match action {
            Action::Fail => self.fail(cx),
            Action::Repair => self.failed = false,
            _ => {}
        }
    }

    /// The numbers of things begin with the permission to access each volume, and continue with the place of each volume that can be moved.
    fn act_on(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        let (count, terms) = (self.volumes.len(), self.terms(cx.now));
        let moving =
            thing.checked_sub(count).and_then(|number| self.parameters.volumes_that_move().nth(number));
        if thing < count {
            self.volumes[thing].set_access_revoked(!works, &mut self.out);
        } else if let Some(volume) = moving {
            self.volumes[volume].set_moved_away(!works, terms, &mut self.out);
            self.watch_leases(cx, volume);
        }
        if self.failed {
            self.out.clear();
        }
        self.say(cx);
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        match gauge {
            gauge::QUEUE => self.queue.len() as u32,
            gauge::SESSIONS => self.volumes.iter().map(Volume::live_session_count).sum(),
            _ => 0,
        }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.working.total(now)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let count = match meter {
            meter::BUSY => return self.working.total(now),
            meter::WAITED => return Total(self.waited),
            meter::MESSAGES => self.messages,
            meter::SET_UPS => self.count(|counts| counts.set_ups),
            meter::RENEWALS => self.count(|counts| counts.renewals),
            meter::LOCKS => self.count(|counts| counts.locks),
            meter::RECALLS => self.count(|counts| counts.recalls),
            meter::EXTENTS => self.count(|counts| counts.extents),
            meter::MOVES => self.count(|counts| counts.moves),
            meter::DENIED => self.count(|counts| counts.denied),
            meter::EXPIRED => self.count(|counts| counts.expired),
            _ => 0,
        };
        Total(count.into())
    }

    fn capacity(&self, meter: usize) -> u64 {
        if meter == meter::BUSY { u64::from(self.parameters.processors) } else { 1 }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("messages left at a metadata controller", self.in_hand.len() as u64);
    }
}

/// The state of a session, for tests.
#[cfg(test)]
pub(super) struct Seen {
    pub live: bool,
    pub expires: Time,
    pub map: super::map::VolumeMap,
}

#[cfg(test)]
impl MetadataController {
    /// The state of the session of a client.
    pub(super) fn look(&self, volume: usize, client: u64) -> Seen {
        let volume = &self.volumes[volume];
        let session = volume.sessions.iter().find(|session| session.client == client);
        let (live, expires) = session.map_or((false, Time::ZERO), |session| (session.live, session.expires));
        Seen { live, expires, map: volume.map }
    }
}
