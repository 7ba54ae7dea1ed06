//! Volumes: slices of devices, or space of several devices; each volume is a device of its own.
//!
//! [`sansim_raid::Volume`] maps the bytes of a volume. A request is split into one child request per contiguous extent, all issued at once,
//! and is done when the last child request is. The first answer of a device other than GOOD (BUSY, QUEUE FULL, an error) is passed to the
//! initiator. An aborted request is aborted at the devices behind the volumes.
//!
//! Volumes fail by the event `do = "fail"`: all requests end with an error until they are repaired. The content of failed volumes is kept.
//!
//! A volume with `space = "on-write"` takes its space from what the others leave, chunk by chunk, when something is first written there
//! ([`sansim_raid::thin`]). A read of what was never written is answered at once, with zeros; a write for which no space is left fails.
//! Such a volume is deleted by the event that fails `volume[N]` of the component, and made anew, empty, by the repair: its requests are
//! aborted, and its space returns to the pool when the last of them has come back.
//!
//! Within a controller ([`ControllerResources`]) mapping a request to its extents needs the controller's processor.
//!
//! Assumptions: without a controller volumes themselves need no time; a write is sent on only when all of its data have come, as it may go
//! to several devices.

mod catalogue;
mod parameters;
mod space;

pub use parameters::{VolumeEntry, VolumesParameters};
pub use space::{Space, VolumePlace};

use catalogue::{CATALOGUE, gauge, meter, segment};
use sansim_component::child_requests::{ChildRequests, CompletedChild as Part};
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::layered::LayeredDeviceKeys;
use sansim_component::policy::{PathChoice, PathParameters};
use sansim_component::{
    Action, BuildContext, Component, Context, ControllerResources, DeviceAccess, DeviceRole,
    LeftoverFindings, Message, Module, Timer, WarmAccessResult,
};
use sansim_kernel::{Time, Total};
use sansim_raid::volume::{GroupExtent, VolumeSpace};
use sansim_request::{Operation, ParentState, Request, RequestId, RequestMap, Status};
use sansim_schema::catalogue::Catalogue;
use sansim_schema::keys::Keys;

/// A request that the volumes have.
#[derive(Clone, Copy, Debug)]
struct InHand {
    /// The port by which the request came.
    port: u16,
    /// The place of the volume among those of the component, if there is one.
    volume: Option<u32>,
    /// The outcome of the child requests: the first status other than GOOD.
    status: Status,
    /// Whether its child requests have been sent.
    is_asked: bool,
    answered: bool,
    aborted: bool,
}

/// A volume that is deleted.
#[derive(Clone, Copy, Debug)]
struct DeletedVolume {
    /// Its place among the volumes of the component.
    volume: u32,
    /// Whether it is to be made anew when none of its requests is at a device any more.
    is_wanted: bool,
}

/// A component that presents volumes, each of which is a slice of a device or has space on several devices.
#[derive(Clone, Debug)]
pub struct Volumes {
    space: Space,
    /// The volumes that are deleted.
    deleted: Vec<DeletedVolume>,
    /// For each device number of the system, the index of the presented volume; none if the device is not one of these volumes.
    places: Vec<Option<u32>>,
    behind: ChildRequests,
    /// The resources of the controller that contains the volumes.
    inside: ControllerResources,
    in_hand: RequestMap<InHand>,
    /// For each deallocation at devices the chunks that are free when it is done, each with its group.
    returning: RequestMap<Vec<(u32, u64)>>,
    extents: Vec<GroupExtent>,
    failed: bool,
    requests: u64,
    split: u64,
    /// Writes that found no space, and reads of what was never written.
    without_space: u64,
    of_zeros: u64,
}

impl Volumes {
    /// A component with these volumes. `places` has, for each device number of the system, the index of the volume if the device is one.
    pub fn new(space: Space, places: Vec<Option<u32>>, behind: ChildRequests) -> Self {
        Self {
            space,
            deleted: Vec::new(),
            places,
            behind,
            inside: ControllerResources::default(),
            in_hand: RequestMap::default(),
            returning: RequestMap::default(),
            extents: Vec::with_capacity(64),
            failed: false,
            requests: 0,
            split: 0,
            without_space: 0,
            of_zeros: 0,
        }
    }

    /// Sets the controller that contains the volumes as a module.
    #[must_use]
    pub fn with_controller(self, inside: ControllerResources) -> Self {
        Self { inside, ..self }
    }

    fn volume_of(&self, device: u32) -> Option<u32> {
        let place = self.places.get(device as usize).copied().flatten()?;
        ((place as usize) < self.space.volumes()).then_some(place)
    }

    fn is_deleted(&self, volume: Option<u32>) -> bool {
        volume.is_some_and(|volume| self.deleted.iter().any(|deleted| deleted.volume == volume))
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        let request = *cx.request(id);
        let volume = self.volume_of(request.device);
        let status = Status::Good;
        let new = InHand { port, volume, status, is_asked: false, answered: false, aborted: false };
        self.in_hand.insert(id, new);
        self.requests += 1;
        cx.ledger().locate_request(id, segment::VOLUME);
        if self.failed || self.is_deleted(volume) {
            self.answer(cx, id, Status::Failed);
        } else if request.is_write() {
            cx.send(port, Message::WriteCredit(id, request.data_bytes()));
        } else {
            self.map(cx, id);
        }
    }

    /// Maps a request to its extents, within a controller by the controller's processor.
    fn map(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let bytes = cx.request(id).data_bytes();
        if !self.inside.request_job(cx, id, Module::Mapping, bytes) {
            self.ask(cx, id);
        }
    }

    /// Sends the child requests of a request.
    fn ask(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let volume = match self.in_hand.get_mut(&id) {
            Some(in_hand) if !in_hand.answered && !in_hand.is_asked => {
                in_hand.is_asked = true;
                in_hand.volume
            }
            _ => return,
        };
        let request = *cx.request(id);
        let Some(volume) = volume.map(|volume| volume as usize) else {
            self.answer(cx, id, Status::Failed);
            return;
        };
        let (first, bytes) = (request.first_byte(), request.bytes);
        let is_within = first + bytes <= self.space.capacity(volume);
        let is_write = request.operation == Operation::Write;
        if !is_within || (is_write && !self.space.take_for_write(volume, first, bytes)) {
            self.without_space += u64::from(is_within);
            self.answer(cx, id, Status::Failed);
            return;
        }
        let mut extents = std::mem::take(&mut self.extents);
        extents.clear();
        self.find_places(id, &request, volume, &mut extents);
        if extents.is_empty() {
            // Nothing was ever written there.
            self.of_zeros += u64::from(request.is_read());
            self.answer(cx, id, Status::Good);
        } else if let Ok(pieces) = u16::try_from(extents.len()) {
            self.split += u64::from(pieces > 1);
            cx.fork_request(id, pieces);
            for GroupExtent { group, offset, bytes } in extents.iter().copied() {
                self.behind.ask_device(cx, id, group, request.operation, offset..offset + bytes);
            }
        } else {
            // The request has more extents than can be awaited.
            self.return_detached(id);
            self.answer(cx, id, Status::Failed);
        }
        self.extents = extents;
    }

    /// Finds the places of a request on the devices: a flush goes to each device that the volume uses. A deallocation of a volume on write
    /// takes whole chunks from the volume at once, so that later writes get others.
    fn find_places(
        &mut self,
        id: RequestId,
        request: &Request,
        volume: usize,
        extents: &mut Vec<GroupExtent>,
    ) {
        let (first, bytes) = (request.first_byte(), request.bytes);
        match request.operation {
            // Adapters answer the checks of paths.
            Operation::Flush | Operation::CheckPath => {
                let groups = 0..self.behind.device_count();
                let used = groups.filter(|&group| self.space.uses_group(volume, group));
                extents.extend(used.map(|group| GroupExtent { group, offset: 0, bytes: 0 }));
            }
            Operation::Deallocate if self.space.is_on_write(volume) => {
                let mut detached = Vec::new();
                self.space.detach(volume, first, bytes, &mut detached);
                for &chunk in &detached {
                    let next = self.space.chunk_extent(chunk);
                    match extents.last_mut() {
                        Some(last) if last.is_followed_by(next.group, next.offset) => {
                            last.bytes += next.bytes
                        }
                        _ => extents.push(next),
                    }
                }
                if !detached.is_empty() {
                    self.returning.insert(id, detached);
                }
            }
            Operation::Read | Operation::Write | Operation::Deallocate => {
                self.space.append_extents(volume, first, bytes, extents);
            }
        }
    }

    /// Returns the chunks that a deallocation has taken from its volume to the pool, when no device works on them any more.
    fn return_detached(&mut self, id: RequestId) {
        if let Some(detached) = self.returning.remove(&id) {
            self.space.return_chunks(detached);
        }
    }

    /// Handles the child requests that have come back.
    fn proceed(&mut self, cx: &mut Context<'_>) {
        while let Some(Part { status, returned, .. }) = self.behind.close_next_done(cx) {
            let (ParentState::NotYet(id) | ParentState::Satisfied(id, _)) = returned.joined else { continue };
            let Some(in_hand) = self.in_hand.get_mut(&id) else { continue };
            if in_hand.status == Status::Good {
                in_hand.status = status;
            }
            let (status, volume) = (in_hand.status, in_hand.volume);
            if matches!(returned.joined, ParentState::Satisfied(..)) {
                self.return_detached(id);
                self.answer(cx, id, status);
                self.free_if_deleted(volume);
            }
        }
    }

    /// Returns the space of a deleted volume to the pool when none of its requests is at a device any more; then it may be made anew.
    fn free_if_deleted(&mut self, volume: Option<u32>) {
        let is_in_hand = |in_hand: &InHand| in_hand.volume == volume && in_hand.is_asked && !in_hand.answered;
        if let Some(volume) = volume.filter(|_| self.is_deleted(volume))
            && !self.in_hand.values().any(is_in_hand)
        {
            self.space.return_all(volume as usize);
            self.deleted.retain(|deleted| deleted.volume != volume || !deleted.is_wanted);
        }
    }

    /// Deletes a volume, or makes it anew.
    fn change_volume(&mut self, cx: &mut Context<'_>, volume: u32, is_wanted: bool) {
        let deleted = self.deleted.iter_mut().find(|deleted| deleted.volume == volume);
        match deleted {
            Some(deleted) => deleted.is_wanted = is_wanted,
            None if is_wanted => return,
            None => {
                self.deleted.push(DeletedVolume { volume, is_wanted });
                let of_volume = |&(_, place): &(u32, &Option<u32>)| *place == Some(volume);
                (0..)
                    .zip(&self.places)
                    .filter(of_volume)
                    .for_each(|(own, _)| cx.failures().report_device_failure(own));
                self.end_requests(cx, |in_hand| in_hand.volume == Some(volume));
            }
        }
        self.free_if_deleted(Some(volume));
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
        self.end_requests(cx, |_| true);
    }

    /// Ends chosen requests with an error.
    fn end_requests(&mut self, cx: &mut Context<'_>, is_chosen: impl Fn(&InHand) -> bool) {
        let is_open = |in_hand: &InHand| !in_hand.answered && is_chosen(in_hand);
        let open = self.in_hand.iter().filter(|(_, in_hand)| is_open(in_hand));
        let mut ids: Vec<RequestId> = open.map(|(&id, _)| id).collect();
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
            let volume = place.map(|place| place as usize).filter(|place| *place < self.space.volumes());
            if volume.is_some_and(|volume| self.space.uses_group(volume, group)) {
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
        let (first, bytes) = (access.bytes.start, access.bytes.end.saturating_sub(access.bytes.start));
        if access.write && !self.space.take_for_write(volume as usize, first, bytes) {
            return WarmAccessResult::Done;
        }
        let mut extents = Vec::new();
        self.space.append_extents(volume as usize, first, bytes, &mut extents);
        behind.extend(extents.into_iter().map(|extent| DeviceAccess {
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
                Message::WriteDataUpTo(id, upto) if upto == cx.request(id).data_bytes() => self.map(cx, id),
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

    fn act_on(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        let mut on_write = (0..self.space.volumes()).filter(|&volume| self.space.is_on_write(volume));
        if let Some(volume) = on_write.nth(thing) {
            self.change_volume(cx, volume as u32, works);
        }
        self.proceed(cx);
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        if gauge == gauge::TAKEN {
            return u32::try_from(self.space.taken_chunks()).unwrap_or(u32::MAX);
        }
        self.behind.child_requests_in_flight()
    }

    fn meter(&self, _now: Time, meter: usize) -> Total {
        let count = match meter {
            meter::SPLIT => self.split,
            meter::WITHOUT_SPACE => self.without_space,
            meter::OF_ZEROS => self.of_zeros,
            _ => self.requests,
        };
        Total(count.into())
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
        let space = self.make_volumes(behind).0;
        (0..space.volumes()).map(|volume| space.capacity(volume)).collect()
    }

    fn fallible(&self) -> Vec<String> {
        let on_write = |volume: &usize| self.volumes[*volume].described.volume.space == VolumeSpace::OnWrite;
        (0..self.volumes.len()).filter(on_write).map(|volume| format!("volume[{volume}]")).collect()
    }

    fn check_behind(&self, behind: &[u64], keys: &mut Keys<'_, '_>) {
        self.check_room(behind, keys);
    }
}

#[cfg(test)]
mod tests;
