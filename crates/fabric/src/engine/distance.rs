//! Links that had less credit than is needed for their length, their speed and their frames.

use super::Fabric;
use crate::layout::LinkEndDevice;
use sansim_kernel::Span;

/// A direction of a link whose frames waited for credit, and that could not have carried them at the rate of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditShortage {
    /// The end of the link from which the frames go.
    pub from: LinkEndDevice,
    /// The end of the link to which the frames go.
    pub to: LinkEndDevice,
    /// The number of frames that have to be in flight so that the line is never idle, if the other end empties its
    /// buffers at once.
    pub needs: u64,
    /// The number of frames that may be in flight: the credit at login of all virtual channels of the link.
    pub has: u64,
    /// The mean number of bytes of the link's frames on the line.
    pub mean_bytes: u64,
}

impl Fabric {
    /// All links with too little credit, in the order of links.
    pub fn credit_shortages(&self) -> impl Iterator<Item = CreditShortage> {
        (0..self.ports.len() as u32).filter_map(|number| {
            let port = &self.ports[number as usize];
            let usage = &port.usage;
            let waited = !usage.stalled.is_zero() || usage.stalled_since.is_some();
            let mean = Span(usage.sending.ticks().checked_div(usage.frames)?);
            let needs = port.rules.credits_needed(mean);
            let has: u64 = port.credits.credit_by_channel().map(|credit| u64::from(credit.at_login())).sum();
            let mean_bytes = mean.ticks() * port.rules.word_bytes / port.rules.word.ticks();
            (waited && needs > has).then(|| CreditShortage {
                from: port.at,
                to: self.ports[number as usize ^ 1].at,
                needs,
                has,
                mean_bytes,
            })
        })
    }

    /// Whether the credit of a port does not cover the length of its link, with frames of the size that it
    /// sent.
    pub(super) fn is_short_of_credit(&self, number: u32) -> bool {
        let port = &self.ports[number as usize];
        let Some(mean) = port.usage.sending.ticks().checked_div(port.usage.frames) else { return false };
        let has: u64 = port.credits.credit_by_channel().map(|credit| u64::from(credit.at_login())).sum();
        port.rules.credits_needed(Span(mean)) > has
    }
}
