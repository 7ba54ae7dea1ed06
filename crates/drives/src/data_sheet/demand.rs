//! What a command needs of a drive as its data sheet describes it.
//!
//! With n commands, each of which takes T(n), a drive does one in T(n) / n: the least of these, over all n, is what a command takes of the drive for
//! itself. The rest of the time that it takes by itself, T(1), passes whether or not there are others. At least it is the shorter of what the sheet says
//! of random and of sequential commands.

use super::{Asked, DataSheetParameters};
use sansim_component::demand::{Demand, DemandContext, RequestClass, Say, Takes};
use sansim_kernel::Span;

/// See the module text.
pub(super) fn of(
    parameters: &DataSheetParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Option<Demand> {
    let responses = parameters.responses().ok()?;
    let bytes = class.bytes as u64;
    let at_least = around.say == Say::Least;
    let size = (!at_least || class.is_of_one_size).then_some(bytes);
    let (least, each) = responses.least_ticks(class.write, size);
    let alone = match around.say {
        Say::Least => least,
        Say::Mean => {
            let asked = Asked { write: class.write, sequential: class.sequential, bytes };
            responses.response_ticks(asked, 1)
        }
    };
    let ns = |ticks: f64| ticks * Span::from_us(1).as_ns_f64() / Span::from_us(1).ticks() as f64;
    let each = each.min(alone);
    Some(Demand { delay_ns: ns(alone - each), ..Demand::of("drive", 1, Takes::fixed(ns(each))) })
}
