//! Functional warm-up of an array: the accesses of members that follow from an access of the array, according to its plans.

use super::DiskArray;
use super::members::Sight;
use sansim_component::{DeviceAccess, WarmAccessResult};
use sansim_kernel::Time;
use sansim_raid::{Array, PlanStep, RequestPlan};
use sansim_request::{Operation, Request};
use std::ops::Range;

/// The parts of a write that are planned separately: under parity the stripes that it writes completely, and its two ends.
pub(super) fn parts_of_write(array: &Array, from: u64, upto: u64) -> [Range<u64>; 3] {
    if !array.layout.erasure_code().is_parity() {
        return [from..upto, upto..upto, upto..upto];
    }
    let stripe = array.layout.stripe_bytes();
    let (first_whole, last_whole) = (from.next_multiple_of(stripe), upto / stripe * stripe);
    // Between the two ends, each of which is a part of a stripe, are complete stripes, if there are any.
    let (head, tail) = if first_whole <= last_whole { (first_whole, last_whole) } else { (upto, upto) };
    [from..head, head..tail, tail..upto]
}

impl DiskArray {
    /// Reads and then writes of members for an access; copies are chosen as among idle members.
    pub(super) fn warm_by(
        &mut self,
        access: &DeviceAccess,
        behind: &mut Vec<DeviceAccess>,
    ) -> WarmAccessResult {
        let Range { start, end } = access.bytes;
        let parts =
            if access.write { parts_of_write(&self.array, start, end) } else { [start..end, 0..0, 0..0] };
        let mut plan = std::mem::take(&mut self.warming);
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            self.warm_part(access.write, &part, &mut plan, behind);
        }
        self.warming = plan;
        WarmAccessResult::Done
    }

    fn warm_part(
        &mut self,
        write: bool,
        part: &Range<u64>,
        plan: &mut RequestPlan,
        behind: &mut Vec<DeviceAccess>,
    ) {
        let operation = if write { Operation::Write } else { Operation::Read };
        let request = Request::background_request(0, operation, self.device, part);
        let Self { array, members, .. } = self;
        let mut sight = Sight { members, now: Time::ZERO, request, lost: None };
        let bytes = part.end - part.start;
        let planned = if write {
            array.plan_write(part.start, bytes, &mut sight, plan)
        } else {
            array.plan_read(part.start, bytes, &mut sight, plan)
        };
        if planned.is_err() {
            // The access is beyond the end of the array: in the run it would fail.
            return;
        }
        for writes in [false, true] {
            for operation in plan.plan_operations() {
                let piece = match operation.action {
                    PlanStep::Read(piece) if !writes => piece,
                    PlanStep::Write(piece) if writes => piece,
                    _ => continue,
                };
                let device = self.behind.device_number(self.members.member_device(piece.member));
                behind.push(DeviceAccess {
                    device,
                    write: writes,
                    bytes: piece.offset..piece.offset + piece.bytes,
                });
            }
        }
    }
}
