//! The demand of a command at a drive that is described by its data sheet.
//!
//! With n commands, each of which lasts T(n), a drive completes a command every T(n) / n: the least of these values, over all n, is the
//! service demand of a command. The other part of T(1), the response time of a command alone, passes independently of other commands. The
//! least demand uses the shorter of the times for random and for sequential commands.

use super::{CommandClass, DataSheetParameters};
use sansim_component::demand::{Demand, DemandBound, DemandContext, RequestClass, TimeDemand};
use sansim_kernel::Span;

/// The demand of a command at a drive that is described by its data sheet.
pub(super) fn of(
    parameters: &DataSheetParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Option<Demand> {
    let responses = parameters.responses().ok()?;
    let bytes = class.bytes as u64;
    let at_least = around.say == DemandBound::Least;
    let size = (!at_least || class.is_of_one_size).then_some(bytes);
    let (least, each) = responses.least_time(class.write, size);
    let alone = match around.say {
        DemandBound::Least => least,
        DemandBound::Mean => {
            let asked = CommandClass { write: class.write, sequential: class.sequential, bytes };
            responses.response_time(asked, 1)
        }
    };
    let ns = |ticks: f64| ticks * Span::from_us(1).as_ns_f64() / Span::from_us(1).ticks() as f64;
    let each = each.min(alone);
    Some(Demand {
        delay_ns: ns(alone - each),
        ..Demand::single_server_demand("drive", 1, TimeDemand::fixed_ns(ns(each)))
    })
}
