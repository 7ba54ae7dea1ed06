//! Sequential runs that begin at a random place of a range.

use super::grid::{ALIGN, PART, SECTOR, SOME_PART, last, part};
use sansim_kernel::RandomStream;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::Share;
use sansim_schema::{codes, table};

table! {
    /// Runs of sequential requests: one behind another until the end of the run is reached, then from a new place, drawn anywhere in a range.
    #[derive(Copy, Eq)]
    pub struct RunsParameters {
        /// Runs begin from here on, as a part of the region,
        from: Share = PART, default r#""0 %""#, source "NetApp SPC-1 workload library V1.4";
        /// and before here.
        to: Share = PART, required r#""90 %""#, source "NetApp SPC-1 workload library V1.4";
        /// Length of a run, as a share of the region.
        length: Share = SOME_PART, required r#""10 %""#, source "NetApp SPC-1 workload library V1.4";
        /// Alignment of the begin and end of a run.
        align: u64 = ALIGN, default r#""64 KiB""#, source "NetApp SPC-1 workload library V1.4";
    }
    checks(check_range)
}

impl RunsParameters {
    /// Checks that runs begin at a place, and end within the region.
    fn check_range(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["from", "to", "length"]) {
            return;
        }
        let to = keys.value_position("to");
        if self.from >= self.to {
            let fault = Diagnostic::new(codes::CONTRADICTION, to, "there is no place to begin at")
                .with_label(format!("must be behind {}", keys.full_path("from")));
            keys.report("to", fault);
        } else if self.to.millionths + self.length.millionths > 1_000_000 {
            let fault = Diagnostic::new(codes::CONTRADICTION, to, "runs would go beyond the end")
                .with_label("the last run begins here")
                .with_help(format!(
                    "{} and {} are at most 100 % together",
                    keys.full_path("to"),
                    keys.full_path("length")
                ));
            keys.report("to", fault);
        }
    }
}

/// The generator of sequential runs.
#[derive(Clone, Debug)]
pub struct SequentialRuns {
    region: u64,
    /// The range in bytes in which runs begin.
    from: u64,
    range: u64,
    length: u64,
    align: u64,
    /// The offset of the next request, and the end of the run.
    next: u64,
    end: u64,
}

impl SequentialRuns {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &RunsParameters, region: u64, _: &mut RandomStream) -> SequentialRuns {
        let RunsParameters { from, to, length, align } = *parameters;
        let (from, to) = (part(region, from), part(region, to));
        let range = to.saturating_sub(from).max(1);
        SequentialRuns { region, from, range, length: part(region, length), align, next: 0, end: 0 }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        let length = bytes.next_multiple_of(SECTOR);
        if self.next + length >= self.end {
            let start = self.from + random.draw_below(self.range);
            self.end = (start + self.length) / self.align * self.align;
            self.next = start / self.align * self.align;
        }
        // A request may be longer than a run.
        let offset = self.next.min(last(self.region, bytes));
        self.next = offset + length;
        offset
    }
}
