//! Policies that stay on a path or copy for a number of I/Os or bytes, and then go on to the next in turn.
//!
//! Source: VMware ESXi, the path selection plug-in VMW_PSP_RR and the load balancing schemes LB-IOPS and LB-BYTES of its high-performance
//! plug-in: 1000 I/Os or 10 MiB on a path by default.

use super::round_robin::RoundRobinPaths;
use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;

/// The path or copy that has its turn.
#[derive(Clone, Copy, Debug, Default)]
struct PresentTurn {
    order: RoundRobinPaths,
    /// The number of the candidate that has its turn, and what it has had.
    present: Option<u16>,
    had: u64,
}

impl PresentTurn {
    /// The candidate that has its turn, which gets this much of its `most`; the next one if the turn is over or the candidate is missing.
    fn candidate(
        &mut self,
        context: &ChoiceContext,
        request: &Request,
        candidates: &[ChoiceCandidate],
        (gets, most): (u64, u64),
    ) -> usize {
        let present = candidates.iter().position(|candidate| Some(candidate.number) == self.present);
        let place = match present.filter(|_| self.had < most) {
            Some(place) => place,
            None => {
                self.had = 0;
                self.order.choose(context, request, candidates)
            }
        };
        self.had += gets;
        self.present = Some(candidates[place].number);
        place
    }
}

/// The policy that stays on a path for a number of I/Os.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnsOfIos {
    turn: PresentTurn,
}

impl ChoicePolicy for TurnsOfIos {
    fn choose(
        &mut self,
        context: &ChoiceContext,
        request: &Request,
        candidates: &[ChoiceCandidate],
    ) -> usize {
        self.turn.candidate(context, request, candidates, (1, context.turn.ios.into()))
    }
}

/// The policy that stays on a path for a number of bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnsOfBytes {
    turn: PresentTurn,
}

impl ChoicePolicy for TurnsOfBytes {
    fn choose(
        &mut self,
        context: &ChoiceContext,
        request: &Request,
        candidates: &[ChoiceCandidate],
    ) -> usize {
        self.turn.candidate(context, request, candidates, (request.data_bytes(), context.turn.bytes))
    }
}
