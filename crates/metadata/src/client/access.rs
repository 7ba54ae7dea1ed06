//! The steps of a request in a client: its prerequisites, its translation, and its access to devices.

use super::super::map::{DevicePiece, VolumeMap};
use super::super::message::ClientCall;
use super::catalogue::segment;
use super::volume::{Doing, Session};
use super::{MetadataClient, Stage, timer};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::Span;
use sansim_request::{Operation, ParentState, RequestId, Status};
use std::ops::Range;

impl MetadataClient {
    /// A request continues as soon as it has all prerequisites.
    pub(super) fn wants(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id).filter(|in_hand| in_hand.stage == Stage::Data) else {
            return;
        };
        let volume = in_hand.volume;
        self.volumes[volume].waiting.push_back(id);
        in_hand.stage = Stage::Waits;
        if !self.volumes[volume].permits_access(cx.now) {
            cx.ledger().locate_request(id, segment::SESSION);
        }
        self.go_on(cx, volume);
    }

    /// Passes the waiting requests that now have all prerequisites to the translation.
    pub(super) fn let_go(&mut self, cx: &mut Context<'_>, volume: usize) {
        let mut number = 0;
        while let Some(&id) = self.volumes[volume].waiting.get(number) {
            if self.is_ready(cx, id) {
                self.volumes[volume].waiting.remove(number);
                if let Some(in_hand) = self.in_hand.get_mut(&id) {
                    in_hand.stage = Stage::Translates;
                }
                cx.ledger().locate_request(id, segment::QUEUE);
                self.translations.push_back(id);
                self.translate(cx);
            } else {
                number += 1;
            }
        }
    }

    /// Whether a request has all prerequisites. Missing prerequisites are requested, and the request is counted in the segment of the first
    /// one missing.
    fn is_ready(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        let Some(in_hand) = self.in_hand.get(&id) else { return false };
        let (volume, mut pinned) = (in_hand.volume, in_hand.pinned);
        if !self.volumes[volume].permits_access(cx.now) {
            cx.ledger().locate_request(id, segment::SESSION);
            return false;
        }
        let request = *cx.request(id);
        let (bytes, writes) = (request.first_byte()..request.end_byte(), request.is_write());
        for range in self.ranges(volume, &bytes).skip(pinned as usize) {
            if !self.has_lock(cx, volume, range, writes) {
                cx.ledger().locate_request(id, segment::LOCK);
                return false;
            }
            self.volumes[volume].locks[range as usize].users += 1;
            pinned += 1;
            if let Some(in_hand) = self.in_hand.get_mut(&id) {
                in_hand.pinned = pinned;
            }
        }
        if self.knows_extents(cx, volume, &bytes) {
            return true;
        }
        cx.ledger().locate_request(id, segment::EXTENT);
        false
    }

    /// The lock ranges in which the given bytes of a volume are.
    fn ranges(&self, volume: usize, bytes: &Range<u64>) -> Range<u64> {
        match self.volumes[volume].lock_range {
            0 => 0..0,
            range => bytes.start / range..bytes.end.div_ceil(range),
        }
    }

    /// Whether the client has a sufficient lock. A missing lock is requested; an insufficient lock is given back first.
    fn has_lock(&mut self, cx: &mut Context<'_>, volume: usize, range: u64, exclusive: bool) -> bool {
        let of = &mut self.volumes[volume];
        let lock = of.locks[range as usize];
        if lock.admits_request(exclusive) {
            return true;
        }
        if lock.grant != 0 {
            of.recall_lock(range);
        } else if lock.doing == Doing::Nothing && !lock.recalled {
            of.serial += 1;
            let serial = of.serial;
            if self.call(cx, volume, ClientCall::Lock { range, exclusive, serial }).is_some() {
                self.volumes[volume].locks[range as usize].doing = Doing::Asking;
            }
        }
        false
    }

    /// Whether the client knows the places of all extents of a byte range. The places of unknown extents are requested.
    fn knows_extents(&mut self, cx: &mut Context<'_>, volume: usize, bytes: &Range<u64>) -> bool {
        if !self.volumes[volume].by_files {
            return true;
        }
        let mut all = true;
        for number in VolumeMap::stripe_units_of_range(self.volumes[volume].map.stripe, bytes) {
            let extent = self.volumes[volume].extents[number as usize];
            all &= extent.known.is_some();
            if extent.known.is_none()
                && !extent.asked
                && self.call(cx, volume, ClientCall::Extent { number }).is_some()
            {
                self.volumes[volume].extents[number as usize].asked = true;
            }
        }
        all
    }

    /// Begins the translation of the next request, if no translation is in progress.
    fn translate(&mut self, cx: &mut Context<'_>) {
        let takes = self.parameters.mapping_time();
        while self.translating.is_none()
            && let Some(id) = self.translations.pop_front()
        {
            if takes == Span::ZERO {
                self.start(cx, id);
                continue;
            }
            self.translating = Some(id);
            self.working.increase(cx.now, 1);
            cx.ledger().locate_request(id, segment::MAPPING);
            let turn = EventTurn::turn_of_node(timer::timer_rank(timer::TRANSLATED, 0));
            cx.set_timer(cx.now + takes, turn, Timer::new(timer::TRANSLATED, 0));
        }
    }

    /// A translation has ended.
    pub(super) fn translated(&mut self, cx: &mut Context<'_>) {
        self.working.decrease(cx.now, 1);
        if let Some(id) = self.translating.take() {
            self.start(cx, id);
        }
        self.translate(cx);
    }

    /// Sends a request to the devices if its prerequisites still hold, because they may have been lost during the translation.
    fn start(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get(&id).copied() else { return };
        let volume = in_hand.volume;
        if in_hand.aborted {
            self.unpin(cx, id);
            self.answer(cx, id, Status::Aborted);
            self.go_on(cx, volume);
            return;
        }
        if !self.is_ready(cx, id) {
            self.set_stage(id, Stage::Waits);
            self.volumes[volume].waiting.push_front(id);
            self.go_on(cx, volume);
            return;
        }
        let request = *cx.request(id);
        let bytes = request.first_byte()..request.first_byte() + request.bytes;
        let of = &self.volumes[volume];
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        let unit = |number: u64| match of.extents.get(number as usize) {
            Some(extent) => extent.known.unwrap_or_default(),
            None => of.map.stripe_unit_location(number),
        };
        if request.operation == Operation::Flush {
            // A flush goes to every device of the volume.
            let lanes = of.map.first..of.map.first + of.map.lanes;
            pieces.extend(lanes.map(|place| DevicePiece { place, offset: 0, bytes: 0 }));
        } else {
            VolumeMap::append_device_pieces(of.map.stripe, &bytes, unit, &mut pieces);
        }
        match u16::try_from(pieces.len()) {
            Ok(count @ 1..) => {
                self.set_stage(id, Stage::Asked);
                self.volumes[volume].under_way += 1;
                self.counts.split += u64::from(count > 1);
                cx.fork_request(id, count);
                for piece in &pieces {
                    let there = piece.offset..piece.offset + piece.bytes;
                    self.behind.ask_device(cx, id, piece.place, request.operation, there);
                }
            }
            // The request has more pieces than a parent can await.
            _ => {
                self.unpin(cx, id);
                self.answer(cx, id, Status::Failed);
            }
        }
        self.pieces = pieces;
    }

    fn set_stage(&mut self, id: RequestId, stage: Stage) {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.stage = stage;
        }
    }

    /// Releases the locks that a request used.
    fn unpin(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        let (volume, pinned) = (in_hand.volume, std::mem::take(&mut in_hand.pinned));
        let request = *cx.request(id);
        let ranges = self.ranges(volume, &(request.first_byte()..request.end_byte()));
        for range in ranges.take(pinned as usize) {
            self.volumes[volume].locks[range as usize].users -= 1;
        }
    }

    /// A child request has returned from a device.
    pub(super) fn comes_back(&mut self, cx: &mut Context<'_>, joined: ParentState, status: Status) {
        let (ParentState::NotYet(id) | ParentState::Satisfied(id, _)) = joined else { return };
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.status == Status::Good {
            in_hand.status = status;
        }
        if matches!(joined, ParentState::NotYet(_)) {
            return;
        }
        let (volume, status) = (in_hand.volume, in_hand.status);
        let anew = std::mem::take(&mut in_hand.lapsed) && !in_hand.aborted && status != Status::Good;
        self.volumes[volume].under_way -= 1;
        self.unpin(cx, id);
        if anew {
            if let Some(in_hand) = self.in_hand.get_mut(&id) {
                (in_hand.status, in_hand.stage) = (Status::Good, Stage::Waits);
            }
            cx.ledger().locate_request(id, segment::SESSION);
            self.volumes[volume].waiting.push_front(id);
        } else {
            self.answer(cx, id, status);
        }
        self.go_on(cx, volume);
    }

    /// The initiator aborts a request.
    pub(super) fn abort(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.stage == Stage::Answered || std::mem::replace(&mut in_hand.aborted, true) {
            return;
        }
        let (volume, stage) = (in_hand.volume, in_hand.stage);
        match stage {
            Stage::Asked => self.break_off(cx, id),
            // A request that is aborted during its translation is answered when the translation has ended.
            Stage::Translates => {}
            _ => {
                self.volumes[volume].waiting.retain(|&other| other != id);
                self.unpin(cx, id);
                self.answer(cx, id, Status::Aborted);
                self.go_on(cx, volume);
            }
        }
    }

    /// Aborts the child requests of a request at the devices.
    fn break_off(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let parts: Vec<RequestId> = cx.requests().children_of(id).collect();
        for part in parts {
            self.behind.abort_child(cx, part);
        }
    }

    /// Ends a session, and with it all locks; accesses in flight are aborted.
    pub(super) fn end_session(&mut self, cx: &mut Context<'_>, volume: usize) {
        let mut ids: Vec<RequestId> =
            self.in_hand.iter().filter(|(_, in_hand)| in_hand.volume == volume).map(|(&id, _)| id).collect();
        ids.sort_unstable();
        self.volumes[volume].session_ended();
        for id in ids {
            let Some(in_hand) = self.in_hand.get_mut(&id) else { continue };
            in_hand.pinned = 0;
            if in_hand.stage == Stage::Asked {
                in_hand.lapsed = true;
                self.counts.broken_off += 1;
                self.break_off(cx, id);
            }
        }
        self.give_up_calls(cx, volume);
        debug_assert!(self.volumes[volume].session == Session::None);
    }

    /// Refuses all requests that wait for a session.
    pub(super) fn refuse(&mut self, cx: &mut Context<'_>, volume: usize) {
        while let Some(id) = self.volumes[volume].waiting.pop_front() {
            self.counts.refused += 1;
            self.unpin(cx, id);
            self.answer(cx, id, Status::Refused);
        }
    }
}
