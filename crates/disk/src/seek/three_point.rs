//! Three points of a data sheet: the seek of one cylinder, the average over all seeks, and the seek over all cylinders.
//!
//! `t(d) = a sqrt(d - 1) + b (d - 1) + c` with `c` the shortest, `a = (15 average - 10 shortest - 5 longest) / (3 sqrt(C))` and `b = (7
//! shortest - 15 average + 8 longest) / (3 C)`. The curve has the average of the data sheet if all pairs of cylinders are equally likely,
//! which is what data sheets mean, and the longest seek over `C` cylinders.
//!
//! Source: Lee, Katz, "An Analytic Performance Model of Disk Arrays", SIGMETRICS 1993; the form as in the DiskSim 2.0 manual.

use super::{ns, span, times};
use sansim_kernel::Span;

/// A seek curve through the shortest, the average and the longest seek of a data sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreePoint {
    /// The time of a seek over one cylinder.
    pub single: Span,
    /// The average time over all pairs of cylinders.
    pub average: Span,
    /// The time of a seek over all cylinders.
    pub full: Span,
}

impl ThreePoint {
    /// The factors of the root and of the line, in nanoseconds.
    fn factors(&self, cylinders: u32) -> (f64, f64) {
        let (single, average, full) = (ns(self.single), ns(self.average), ns(self.full));
        let count = f64::from(cylinders);
        let root = (15.0 * average - 10.0 * single - 5.0 * full) / (3.0 * count.sqrt());
        let line = (7.0 * single - 15.0 * average + 8.0 * full) / (3.0 * count);
        (root, line)
    }

    /// The seek time of each distance.
    pub(super) fn times(&self, cylinders: u32) -> Result<Vec<Span>, String> {
        let (root, line) = self.factors(cylinders);
        let (single, average, full) = (self.single, self.average, self.full);
        if root < 0.0 {
            let least = (10.0 * ns(single) + 5.0 * ns(full)) / 15.0;
            return Err(format!(
                "no curve of three points has these: with {single} over one cylinder and {full} over all the average is {} or more, not {average}",
                Span::from_ns_f64(least)
            ));
        }
        if line < 0.0 {
            let most = (7.0 * ns(single) + 8.0 * ns(full)) / 15.0;
            return Err(format!(
                "no curve of three points has these: with {single} over one cylinder and {full} over all the average is {} or less, not {average}",
                Span::from_ns_f64(most)
            ));
        }
        let shortest = ns(single);
        times(cylinders, |distance| {
            let beyond = f64::from(distance - 1);
            span(root * beyond.sqrt() + line * beyond + shortest, "the seek")
        })
    }
}
