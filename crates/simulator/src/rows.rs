//! Rows of the I/O and tenancy tables that a run hands over before its end, so that a long run keeps only few of them in
//! memory.
//!
//! The row of an I/O or a tenancy of a loop is handed over when it is certain that it counts. With `warm_up = "auto"` this is certain only
//! at the end: until then all rows are kept.

use crate::counted::Records;
use sansim_kernel::Time;
use sansim_observe::tenancy::Tenancy;
use std::ops::Range;

/// The number of rows that are handed over at once.
pub const BATCH: usize = 1 << 16;

/// A receiver of the rows of a run. If the receiver cannot store the rows, it stores the error, and the run continues, because its summary
/// does not need the rows.
pub trait RowReceiver {
    /// Receives some of the measured I/Os; over all calls they are in order of completion.
    fn take_ios(&mut self, ios: &Records, range: Range<usize>);

    /// Receives tenancies of the measured interval, in order of their ends.
    fn take_tenancies(&mut self, tenancies: &[Tenancy]);
}

/// Hands over all remaining rows of I/Os.
pub(crate) fn hand_over_ios(ios: &Records, to: &mut dyn RowReceiver) {
    for begin in (0..ios.len()).step_by(BATCH) {
        to.take_ios(ios, begin..(begin + BATCH).min(ios.len()));
    }
}

/// Hands over the tenancies that certainly count, and discards the tenancies that do not.
///
/// A tenancy counts if it was won in the measured interval. A tenancy that was won at this very moment is kept back, because an
/// interval may begin or end now.
pub(crate) fn hand_over_tenancies(
    tenancies: &mut Vec<Tenancy>,
    now: Time,
    (opened, closed): (Option<Time>, Option<Time>),
    to: &mut dyn RowReceiver,
) {
    if tenancies.len() < BATCH {
        return;
    }
    let counts = |tenancy: &Tenancy| {
        opened.is_some_and(|opened| tenancy.won >= opened) && closed.is_none_or(|closed| tenancy.won < closed)
    };
    tenancies.retain(|tenancy| tenancy.won >= now || counts(tenancy));
    let certain = tenancies.iter().take_while(|tenancy| tenancy.won < now).count();
    for batch in tenancies[..certain].chunks(BATCH) {
        to.take_tenancies(batch);
    }
    tenancies.drain(..certain);
}
