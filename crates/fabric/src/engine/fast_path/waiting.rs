//! The frames that wait for an output of a switch: in lanes of input and output where each frame has one path, and otherwise in the requests
//! of each output by which the frame may leave, as without the fast path.

use super::super::buffered_frame::{NONE, OutputPaths};
use super::super::{Fabric, FabricHost};
use sansim_kernel::Time;

impl Fabric {
    /// A routed frame waits for its outputs from now on.
    #[inline]
    pub(super) fn waits(&mut self, switch: u16, held: u32) {
        let at = &self.held[held];
        if self.has_several_paths {
            let (lane, arrival) = (self.lane_of(held), at.arrival);
            at.ways.ports().for_each(|port| {
                self.ports[usize::from(port)].requests.push(lane, arrival, held);
            });
        } else if let Some(output) = at.ways.sole_port() {
            let input = usize::from(self.ports[at.port as usize].local);
            let of = &mut self.ports[usize::from(output)];
            of.in_lanes += 1;
            self.lanes[usize::from(switch)].push(of.local.into(), input, held, &mut self.held);
        }
    }

    /// A frame leaves by an output, and waits no more.
    #[inline]
    pub(super) fn waits_no_more(
        &mut self,
        now: Time,
        switch: u16,
        output: u32,
        held: u32,
        around: &mut impl FabricHost,
    ) {
        if self.has_several_paths {
            self.withdraw_requests(now, held, around);
            return;
        }
        let input = usize::from(self.ports[self.held[held].port as usize].local);
        let of = &mut self.ports[output as usize];
        of.in_lanes -= 1;
        if of.without_credit == held {
            of.without_credit = NONE;
        }
        self.lanes[usize::from(switch)].pop(of.local.into(), input, &self.held);
    }

    /// The first frame that waits for an output, of the first input from this one on, round all inputs.
    #[inline]
    pub(super) fn first_waiting_from(&self, switch: u16, output: u32, input: u16) -> Option<u32> {
        let of = &self.ports[output as usize];
        if self.has_several_paths {
            return of.requests.foremost_lane(input).map(|head| head.held);
        }
        self.lanes[usize::from(switch)].first_from(of.local.into(), input.into())
    }

    /// Finds the frames that are the first of their lanes at an output.
    #[inline]
    pub(super) fn first_waiting_frames(&self, switch: u16, output: u32, firsts: &mut Vec<u32>) {
        firsts.clear();
        let of = &self.ports[output as usize];
        if self.has_several_paths {
            firsts.extend(of.requests.candidates(false).map(|head| head.held));
        } else {
            firsts.extend(self.lanes[usize::from(switch)].firsts(of.local.into()).map(|(_, held)| held));
        }
    }

    /// Chooses the first idle output of several. Their links, and the credit for them, are brought to the present for this.
    pub(super) fn idle_one_on_fast_path(&mut self, now: Time, ways: OutputPaths) -> OutputPaths {
        if ways.sole_port().is_none() {
            ways.ports().for_each(|output| self.carry_out_departures(now, u32::from(output) ^ 1));
        }
        self.an_idle_one(now, ways)
    }
}
