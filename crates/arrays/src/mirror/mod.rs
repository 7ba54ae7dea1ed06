//! A mirror: several devices with the same data, and nothing else. The mirror is the smallest component that makes several requests of one,
//! and the one to copy when a component is written. A mirror with spares, rebuilds and scrubs is level 1 of an [array](crate::array).
//!
//! A write is forked to all working copies and is done when the last of them is done, and so are a flush and a deallocation; a read goes to one copy, which a policy chooses. A
//! copy that fails is no longer part of the mirror from that moment on, whether or not it has requests then, because it misses later
//! writes; a read that failed there is sent to another copy. The mirror fails a request when no copy is left for the request.
//!
//! Data that a copy cannot read ([`Status::Unreadable`]) are read from another copy, and the first stays in the mirror. If no copy can read
//! the data, the request ends with the status unreadable.
//!
//! A transient error of a copy (BUSY, QUEUE FULL, CHECK CONDITION) is passed to the initiator, which retries; a retried write goes to all
//! copies. An aborted request is aborted at the copies.
//!
//! Assumptions: the mirror itself needs no time, and data pass through the memory of the initiator. A repaired copy does not join the
//! mirror again: it would have to be rebuilt.

mod catalogue;
mod kind;
mod parameters;

use catalogue::CATALOGUE;
pub use kind::MirrorGroup;
pub use parameters::MirrorParameters;

use sansim_component::demand::{ChildDestination, ChildVisit, Demand, DemandContext, RequestClass};
use sansim_component::policy::{AnyChoicePolicy, ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_component::{
    Action, BuildContext, Component, Context, DeviceAccess, DeviceBehind, DeviceRole, LeftoverFindings,
    Message, Timer, WarmAccessResult,
};
use sansim_kernel::Time;
use sansim_request::{Operation, ParentState, Request, RequestId, RequestMap, Status};
use sansim_schema::catalogue::Catalogue;

/// A copy of the mirrored data, on one device.
#[derive(Clone, Copy, Debug)]
struct Copy {
    /// The port through which the copy is reached, and its number among all devices.
    port: u16,
    device: u32,
    works: bool,
    /// Whether the device has a position (its platters turn), so that the distance of an access matters.
    turns: bool,
    /// The number of requests at the copy, and their bytes.
    outstanding: u32,
    bytes: u64,
    /// The end of the last access of the copy, and the end of its last read.
    head: u64,
    read_to: Option<u64>,
}

impl Copy {
    fn takes(&mut self, part: &Request) {
        self.outstanding += 1;
        self.bytes += part.bytes;
        if part.operation != Operation::Flush {
            self.head = part.end_byte();
        }
        if part.is_read() {
            self.read_to = Some(self.head);
        }
    }

    fn candidate(&self, number: u16, request: &Request) -> ChoiceCandidate {
        let at = request.first_byte();
        ChoiceCandidate {
            distance: self.turns.then(|| self.head.abs_diff(at)),
            follows: self.read_to == Some(at),
            ..ChoiceCandidate::independent_candidate(number, self.outstanding, self.bytes)
        }
    }
}

/// A request that the mirror has.
#[derive(Clone, Copy, Debug)]
struct InHand {
    /// The port by which the request came.
    port: u16,
    /// The number of copies that have carried out the request.
    good: u16,
    /// The transient status of a copy that may carry the request out if it is retried.
    again: Option<Status>,
    answered: bool,
    aborted: bool,
}

/// A mirror: several devices with the same data, and nothing else.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// The device that the mirror presents, by its number in the system.
    device: u32,
    copies: Vec<Copy>,
    chooser: AnyChoicePolicy,
    candidates: Vec<ChoiceCandidate>,
    in_hand: RequestMap<InHand>,
    /// Reads, each with the number of a copy that cannot read its data.
    unreadable: Vec<(RequestId, u16)>,
}

impl Mirror {
    /// A mirror of these copies: for each the port through which it is reached, its number among all devices, and whether it has a
    /// position. `device` is the number of the mirror itself.
    pub fn new(parameters: &MirrorParameters, device: u32, copies: &[(u16, u32, bool)]) -> Self {
        let copy = |&(port, device, turns): &(u16, u32, bool)| Copy {
            port,
            device,
            works: true,
            turns,
            outstanding: 0,
            bytes: 0,
            head: 0,
            read_to: None,
        };
        Self {
            device,
            copies: copies.iter().map(copy).collect(),
            chooser: AnyChoicePolicy::of_rule(&parameters.read_policy),
            candidates: Vec::with_capacity(copies.len()),
            in_hand: RequestMap::default(),
            unreadable: Vec::new(),
        }
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        self.in_hand.insert(id, InHand { port, good: 0, again: None, answered: false, aborted: false });
        let request = cx.request(id);
        if request.is_write() {
            let bytes = request.data_bytes();
            cx.send(port, Message::WriteCredit(id, bytes));
        } else if request.is_read() {
            self.read(cx, id);
        } else {
            self.write(cx, id);
        }
    }

    /// Sends a write or a deallocation whose data have arrived, or a flush, to all copies that work.
    fn write(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if self.in_hand.get(&id).is_some_and(|in_hand| in_hand.answered) {
            return;
        }
        let works = self.copies.iter().filter(|copy| copy.works).count() as u16;
        if works == 0 {
            self.answer(cx, id, Status::Failed);
            return;
        }
        let request = *cx.request(id);
        cx.fork_request(id, works);
        for copy in self.copies.iter_mut().filter(|copy| copy.works) {
            copy.takes(&request);
            cx.ask_child(copy.port, id, Request { device: copy.device, ..request });
        }
    }

    /// Sends a read to one working copy.
    fn read(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.candidates.clear();
        let request = *cx.request(id);
        let working = self.copies.iter().enumerate().filter(|(_, copy)| copy.works);
        let all = working.map(|(number, copy)| copy.candidate(number as u16, &request));
        self.candidates.extend(all.filter(|one| !self.unreadable.contains(&(id, one.number))));
        if self.candidates.is_empty() {
            let cannot_be_read = self.unreadable.iter().any(|(other, _)| *other == id);
            self.answer(cx, id, if cannot_be_read { Status::Unreadable } else { Status::Failed });
            return;
        }
        let chosen =
            self.candidates[self.chooser.choose(&ChoiceContext::at(cx.now), &request, &self.candidates)];
        let copy = &mut self.copies[usize::from(chosen.number)];
        copy.takes(&request);
        cx.fork_request(id, 1);
        cx.ask_child(copy.port, id, Request { device: copy.device, ..request });
    }

    /// A copy is done with its part of a request. Several copies may be behind one port, as volumes of one pool are.
    fn done(&mut self, cx: &mut Context<'_>, port: u16, part: RequestId, status: Status) {
        cx.send(port, Message::Release(part));
        let device = cx.request(part).device;
        let number = self.copies.iter().position(|copy| copy.device == device);
        if let Some(copy) = number.map(|number| &mut self.copies[number]) {
            copy.outstanding -= 1;
            copy.bytes -= cx.request(part).bytes;
        }
        if !matches!(status, Status::Good | Status::Unreadable) && !status.may_be_retried() {
            self.copy_fails(cx, device);
        }
        let returned = cx.close_request(part, status);
        let (ParentState::NotYet(id) | ParentState::Satisfied(id, _)) = returned.joined else { return };
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        in_hand.good += u16::from(status == Status::Good);
        if let Some(number) = number.filter(|_| status == Status::Unreadable) {
            self.unreadable.push((id, number as u16));
        }
        if status.may_be_retried() {
            in_hand.again = Some(status);
        }
        if matches!(returned.joined, ParentState::NotYet(_)) {
            return;
        }
        let again = in_hand.again.or(in_hand.aborted.then_some(Status::Aborted));
        if let Some(status) = again
            && (in_hand.good == 0 || in_hand.again.is_some())
        {
            self.answer(cx, id, status);
            return;
        }
        match (in_hand.good, returned.request.is_read()) {
            (1.., _) => self.answer(cx, id, Status::Good),
            (0, false) => self.answer(cx, id, Status::Failed),
            (0, true) => self.read(cx, id),
        }
    }

    /// A copy has failed, and leaves the mirror.
    fn copy_fails(&mut self, cx: &mut Context<'_>, device: u32) {
        let Some(copy) = self.copies.iter_mut().find(|copy| copy.device == device && copy.works) else {
            return;
        };
        copy.works = false;
        if self.copies.iter().all(|copy| !copy.works) {
            cx.failures().report_device_failure(self.device);
        }
    }

    /// The initiator aborts a request, which is aborted at the copies that have it.
    fn abort(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.answered || in_hand.aborted {
            return;
        }
        in_hand.aborted = true;
        let parts: Vec<RequestId> = cx.requests().children_of(id).collect();
        if parts.is_empty() {
            self.answer(cx, id, Status::Aborted);
        }
        for part in parts {
            let device = cx.request(part).device;
            if let Some(copy) = self.copies.iter().find(|copy| copy.device == device) {
                cx.send(copy.port, Message::Abort(part));
            }
        }
    }

    fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.answered = true;
            cx.answer_from_memory(in_hand.port, id, status);
        }
    }
}

impl Component for Mirror {
    type Parameters = MirrorParameters;
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        _parameters: &Self::Parameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        let copies = if class.write { around.behind_bytes.len() } else { 1 };
        let times = copies as f64;
        let visit = ChildVisit {
            class: *class,
            times,
            largest_bytes: class.bytes,
            to: ChildDestination::Different,
            alike: copies as u32,
            step: 0,
            in_background: false,
        };
        Some(Demand { visits: vec![visit], ..Demand::default() })
    }

    fn build(parameters: &MirrorParameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let way = |&DeviceBehind { device, turns, .. }: &DeviceBehind| {
            cx.paths.get(device)?.first().map(|way| (way.port, device, turns))
        };
        let copies: Vec<(u16, u32, bool)> = cx.behind.iter().filter_map(way).collect();
        Self::new(parameters, cx.presents.first().copied().unwrap_or_default(), &copies)
    }

    /// In a warm-up a write goes to all copies, a read to the copy that the policy chooses among idle copies.
    fn warm(&mut self, access: &DeviceAccess, behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        let copies = self.copies.iter().map(|copy| copy.device);
        if access.write {
            behind.extend(copies.map(|device| DeviceAccess { device, ..access.clone() }));
        } else if !self.copies.is_empty() {
            let request = Request::background_request(0, Operation::Read, access.device, &access.bytes);
            let all = self.copies.iter().enumerate();
            let candidates: Vec<ChoiceCandidate> =
                all.map(|(number, copy)| copy.candidate(number as u16, &request)).collect();
            let copy =
                &mut self.copies[self.chooser.choose(&ChoiceContext::at(Time::ZERO), &request, &candidates)];
            (copy.head, copy.read_to) = (access.bytes.end, Some(access.bytes.end));
            behind.push(DeviceAccess { device: copy.device, ..access.clone() });
        }
        WarmAccessResult::Done
    }

    fn due(&mut self, _cx: &mut Context<'_>, _timer: Timer) {}

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Request(request, _) => self.arrive(cx, port, request),
            Message::WriteDataUpTo(request, upto) if upto == cx.request(request).data_bytes() => {
                self.write(cx, request)
            }
            Message::Release(request) => {
                self.in_hand.remove(&request);
                self.unreadable.retain(|(other, _)| *other != request);
            }
            Message::Abort(request) => self.abort(cx, request),
            Message::WriteCredit(..) | Message::ReadDataUpTo(..) => cx.move_through_memory(port, message),
            Message::Done(request, status) => self.done(cx, port, request, status),
            _ => {}
        }
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        if let Action::DeviceFails(device) = action {
            self.copy_fails(cx, device);
        }
    }

    fn gauge(&self, _now: Time, _gauge: usize, _place: u16) -> u32 {
        self.copies.iter().filter(|copy| copy.works).count() as u32
    }

    fn constant(&self, _figure: usize) -> f64 {
        self.copies.iter().filter(|copy| copy.works).count() as f64
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("requests left in a mirror", self.in_hand.len() as u64);
    }
}

#[cfg(test)]
mod tests;
