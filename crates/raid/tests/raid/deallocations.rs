//! Tests of the plans of deallocations.

use crate::common::{LEVELS, array};
use sansim_raid::layout::MemberPiece;
use sansim_raid::{PlanStep, RequestPlan};

const STRIP: u64 = 64;

/// The bytes of members that a plan writes, merged where they follow each other.
fn written(plan: &RequestPlan) -> Vec<MemberPiece> {
    let piece = |action: PlanStep| if let PlanStep::Write(piece) = action { Some(piece) } else { None };
    let mut pieces: Vec<MemberPiece> =
        plan.plan_operations().iter().filter_map(|operation| piece(operation.action)).collect();
    pieces.sort_by_key(|piece| (piece.member, piece.offset));
    let mut merged: Vec<MemberPiece> = Vec::new();
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if last.member == piece.member && last.offset + last.bytes == piece.offset => {
                last.bytes += piece.bytes;
            }
            _ => merged.push(piece),
        }
    }
    merged
}

#[test]
fn a_deallocation_of_whole_stripes_covers_what_a_write_of_them_does_and_reads_and_calculates_nothing() {
    for (text, members) in
        LEVELS.iter().flat_map(|(text, all)| all.iter().map(move |members| (*text, *members)))
    {
        let array = array(text, members, STRIP, 64);
        let stripe = array.layout.stripe_bytes();
        let (mut plan, mut wrote) = (RequestPlan::new(), RequestPlan::new());
        array.plan_write(2 * stripe, 5 * stripe, &mut (), &mut wrote).expect("within the array");
        assert_eq!(array.plan_deallocation(2 * stripe, 5 * stripe, &mut plan), Ok(()), "{text}");
        assert_eq!(written(&plan), written(&wrote), "{text}");
        let writes_only = plan.plan_operations().iter().all(|one| matches!(one.action, PlanStep::Write(_)));
        assert!(writes_only, "{text}");
        // An array with parity deallocates whole stripes only.
        array.plan_deallocation(STRIP, STRIP / 2, &mut plan).expect("within the array");
        assert_eq!(plan.plan_operations().is_empty(), array.layout.erasure_code().is_parity(), "{text}");
        assert!(array.plan_deallocation(0, u64::MAX, &mut plan).is_err());
    }
}
