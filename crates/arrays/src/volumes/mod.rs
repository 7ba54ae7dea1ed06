//! Volumes: slices of devices, or space of several devices; each volume is a device of its own.
//!
//! [`sansim_raid::Volume`] maps the bytes of a volume. A request is split into one child request per contiguous extent, all issued at once,
//! and is done when the last child request is. The first answer of a device other than GOOD (BUSY, QUEUE FULL, an error) is passed to the
//! initiator. An aborted request is aborted at the devices behind the volumes.
//!
//! Volumes fail by the event `do = "fail"`: all requests end with an error until they are repaired. The content of failed volumes is kept.
//!
//! Within a controller ([`ControllerResources`]) mapping a request to its extents needs the controller's processor.
//!
//! Assumptions: without a controller volumes themselves need no time; a write is sent on only when all of its data have come, as it may go
//! to several devices.

mod catalogue;
mod parameters;

pub use parameters::{VolumeEntry, VolumesParameters};

use catalogue::{CATALOGUE, meter, segment};
use sansim_component::child_requests::{ChildRequests, CompletedChild as Part};
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::layered::LayeredDeviceKeys;
use sansim_component::policy::{PathChoice, PathParameters};
use sansim_component::{
    Action, BuildContext, Component, Context, ControllerResources, DeviceAccess, DeviceRole,
    LeftoverFindings, Message, Module, Timer, WarmAccessResult,
};
use sansim_kernel::{Time, Total};
use sansim_raid::Volume;
use sansim_raid::volume::GroupExtent;
use sansim_request::{ParentState, RequestId, RequestMap, Status};
use sansim_schema::catalogue::Catalogue;
use sansim_schema::keys::Keys;

/// A request that the volumes have.
#[derive(Clone, Copy, Debug)]
struct InHand {
    /// The port by which the request came.
    port: u16,
    /// The outcome of the child requests: the first status other than GOOD.
    status: Status,
    /// Whether its child requests have been sent.
    is_asked: bool,
    answered: bool,
    aborted: bool,
}

/// A component that presents volumes, each of which is a slice of a device or has space on several devices.
#[derive(Clone, Debug)]
pub struct Volumes {
    volumes: Vec<Volume>,
    /// For each device number of the system, the index of the presented volume; none if the device is not one of these volumes.
    places: Vec<Option<u32>>,
    behind: ChildRequests,
    /// The resources of the controller that contains the volumes.
    inside: ControllerResources,
    in_hand: RequestMap<InHand>,
    extents: Vec<GroupExtent>,
    failed: bool,
    requests: u64,
    split: u64,
}

impl Volumes {
    /// A component with these volumes. `places` has, for each device number of the system, the index of the volume if the device is one.
    pub fn new(volumes: Vec<Volume>, places: Vec<Option<u32>>, behind: ChildRequests) -> Self {
        let (in_hand, extents) = (RequestMap::default(), Vec::with_capacity(64));
        let inside = ControllerResources::default();
        Self { volumes, places, behind, inside, in_hand, extents, failed: false, requests: 0, split: 0 }
    }

    /// Sets the controller that contains the volumes as a module.
    #[must_use]
    pub fn with_controller(self, inside: ControllerResources) -> Self {
        Self { inside, ..self }
    }

    fn volume_of(&self, device: u32) -> Option<&Volume> {
        let place = self.places.get(device as usize).copied().flatten()?;
        self.volumes.get(place as usize)
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        let new = InHand { port, status: Status::Good, is_asked: false, answered: false, aborted: false };
        self.in_hand.insert(id, new);
        self.requests += 1;
        cx.ledger().locate_request(id, segment::VOLUME);
        let request = *cx.request(id);
        if self.failed {
            self.answer(cx, id, Status::Failed);
        } else if request.is_write() {
            cx.send(port, Message::WriteCredit(id, request.bytes));
        } else {
            self.map(cx, id);
        }
    }

    /// Maps a request to its extents, within a controller by the controller's processor.
    fn map(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let bytes = cx.request(id).bytes;
        if !self.inside.request_job(cx, id, Module::Mapping, bytes) {
            self.ask(cx, id);
        }
    }

    /// Sends the child requests of a request.
    fn ask(&mut self, cx: &mut Context<'_>, id: RequestId) {
        match self.in_hand.get_mut(&id) {
            Some(in_hand) if !in_hand.answered && !in_hand.is_asked => in_hand.is_asked = true,
            _ => return,
        }
        let request = *cx.request(id);
        let mut extents = std::mem::take(&mut self.extents);
        extents.clear();
        if let Some(volume) = self.volume_of(request.device) {
            extents.extend(volume.extents_of_range(request.first_byte(), request.bytes));
        }
        let pieces = u16::try_from(extents.len()).unwrap_or(0);
        let asked: u64 = extents.iter().map(|extent| extent.bytes).sum();
        if pieces == 0 || asked < request.bytes {
            // The request is beyond the end of the volume, or has more extents than can be awaited.
            self.answer(cx, id, Status::Failed);
        } else {
            self.split += u64::from(pieces > 1);
            cx.fork_request(id, pieces);
            for GroupExtent { group, offset, bytes } in extents.iter().copied() {
                self.behind.ask_device(cx, id, group, request.operation, offset..offset + bytes);
            }
        }
        self.extents = extents;
    }

    /// Handles the child requests that have come back.
    fn proceed(&mut self, cx: &mut Context<'_>) {
        while let Some(Part { status, returned, .. }) = self.behind.close_next_done(cx) {
            let (ParentState::NotYet(id) | ParentState::Satisfied(id, _)) = returned.joined else { continue };
            let Some(in_hand) = self.in_hand.get_mut(&id) else { continue };
            if in_hand.status == Status::Good {
                in_hand.status = status;
            }
            let status = in_hand.status;
            if matches!(returned.joined, ParentState::Satisfied(..)) {
                self.answer(cx, id, status);
            }
        }
    }

    /// The initiator aborts a request.
    fn abort(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.answered || std::mem::replace(&mut in_hand.aborted, true) {
            return;
        }
        if !in_hand.is_asked {
            self.answer(cx, id, Status::Aborted);
            return;
        }
        let parts: Vec<RequestId> = cx.requests().children_of(id).collect();
        for part in parts {
            self.behind.abort_child(cx, part);
        }
    }

    /// Ends all requests of the volumes with an error.
    fn fail(&mut self, cx: &mut Context<'_>) {
        self.failed = true;
        (0..)
            .zip(&self.places)
            .filter(|(_, place)| place.is_some())
            .for_each(|(own, _)| cx.failures().report_device_failure(own));
        let mut ids: Vec<RequestId> =
            self.in_hand.iter().filter(|(_, in_hand)| !in_hand.answered).map(|(&id, _)| id).collect();
        ids.sort_unstable();
        for id in ids {
            let Some(in_hand) = self.in_hand.get_mut(&id) else { continue };
            in_hand.status = Status::Failed;
            if in_hand.is_asked {
                self.abort(cx, id);
            } else {
                self.answer(cx, id, Status::Failed);
            }
        }
    }

    /// Reports the failure of the volumes that have extents on a failed device.
    fn group_fails(&self, cx: &mut Context<'_>, group: u32) {
        for (own, place) in (0..).zip(&self.places) {
            let volume = place.and_then(|place| self.volumes.get(place as usize));
            if volume.is_some_and(|volume| volume.uses_group(group)) {
                cx.failures().report_device_failure(own);
            }
        }
    }

    fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.answered = true;
            cx.ledger().locate_request(id, segment::VOLUME);
            cx.answer_from_memory(in_hand.port, id, status);
        }
    }
}

impl Component for Volumes {
    type Parameters = (VolumesParameters, PathParameters);
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        _parameters: &Self::Parameters,
        class: &RequestClass,
        _around: &DemandContext<'_>,
    ) -> Option<Demand> {
        // The positions of the extents of volumes are not considered: one extent is the least, and the demand of a whole request that is
        // not striped.
        Some(
            Demand::default()
                .with_job(Module::Mapping, class.bytes)
                .with_child_requests(*class, 1.0)
                .mark_movable(),
        )
    }

    fn build((parameters, path): &Self::Parameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let behind = ChildRequests::new(cx, path, segment::FAIL_OVER);
        Self::new(parameters.make_volumes(&cx.device_capacities()).0, cx.device_indices(), behind)
            .with_controller(ControllerResources::new(cx))
    }

    fn warm(&mut self, access: &DeviceAccess, behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        let Some(volume) = self.volume_of(access.device) else { return WarmAccessResult::Not };
        let bytes = access.bytes.end.saturating_sub(access.bytes.start);
        behind.extend(volume.extents_of_range(access.bytes.start, bytes).map(|extent| DeviceAccess {
            device: self.behind.device_number(extent.group),
            write: access.write,
            bytes: extent.offset..extent.offset + extent.bytes,
        }));
        WarmAccessResult::Done
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what == PathChoice::TIMER {
            self.behind.handle_due_timer(cx);
            while let Some(group) = self.behind.next_lost_device() {
                self.group_fails(cx, group);
            }
        }
        self.proceed(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        if !self.behind.receive(cx, port, message) {
            match message {
                Message::Request(id, _) => self.arrive(cx, port, id),
                Message::WriteDataUpTo(id, upto) if upto == cx.request(id).bytes => self.map(cx, id),
                Message::Release(id) => {
                    self.in_hand.remove(&id);
                }
                Message::Abort(id) => self.abort(cx, id),
                Message::JobDone(job) => {
                    if let Some(id) = job.request {
                        self.ask(cx, id);
                    }
                    self.inside.job_completed(cx, &job);
                }
                _ => {}
            }
        }
        self.proceed(cx);
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        match action {
            Action::Fail => self.fail(cx),
            Action::Repair => self.failed = false,
            Action::DeviceFails(device) => {
                if let Some(group) = self.behind.device_index(device) {
                    self.group_fails(cx, group);
                }
            }
            ways => self.behind.apply_action(cx, ways),
        }
        while let Some(group) = self.behind.next_lost_device() {
            self.group_fails(cx, group);
        }
        self.proceed(cx);
    }

    fn gauge(&self, _now: Time, _gauge: usize, _place: u16) -> u32 {
        self.behind.child_requests_in_flight()
    }

    fn meter(&self, _now: Time, meter: usize) -> Total {
        Total(if meter == meter::SPLIT { self.split } else { self.requests }.into())
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("requests left in volumes", self.in_hand.len() as u64);
        leftovers
            .check_zero("requests left behind volumes", u64::from(self.behind.child_requests_in_flight()));
    }

    fn fault(&self) -> Option<String> {
        self.behind.stuck_reason()
    }
}

impl LayeredDeviceKeys for VolumesParameters {
    type Device = Volumes;

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        self.make_volumes(behind).0.iter().map(Volume::capacity).collect()
    }

    fn check_behind(&self, behind: &[u64], keys: &mut Keys<'_, '_>) {
        self.check_room(behind, keys);
    }
}

#[cfg(test)]
mod tests;
