//! Anomalies of a trace that are no errors: they are counted, never dropped.

use crate::order::BackwardSteps;
use crate::record::{TraceOperation, TraceRecord};
use serde::Serialize;

/// A year of 365 days, in nanoseconds.
const YEAR: u64 = 365 * 86_400 * 1_000_000_000;
/// The longest span of a trace of one system: a longer trace has a wrong unit, or a time of zero among others.
const LONGEST_SPAN: u64 = 20 * YEAR;
/// The earliest and latest date of a trace: 1990 and 2050.
const DATES: [i64; 2] = [631_152_000, 2_524_608_000];

/// The anomalies of a trace, counted while it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Anomalies {
    /// Requests before the request that they follow in the file, and the largest step back.
    pub back: BackwardSteps,
    /// Requests that were still out of order after sorting in the window; each got the time of the request before.
    pub clamped: BackwardSteps,
    /// The number of requests at the same time as the request before.
    pub equal_times: u64,
    /// The number of reads, writes and trims without a byte.
    pub zero_sizes: u64,
    /// The number of requests that end beyond the range of 64 bits.
    pub beyond_64_bits: u64,
    /// The longest time without a request, in nanoseconds.
    pub longest_gap_ns: u64,
    /// The number of the request after the longest gap, counted from 1.
    pub longest_gap_before: u64,
    /// The time from the first to the last request, in nanoseconds.
    pub span_ns: u64,
    /// The times of the first and the last request in seconds since 1970, if the format has a calendar.
    pub dates_s: Option<[i64; 2]>,
}

impl Anomalies {
    /// Counts the anomalies of a request that is returned.
    #[inline]
    pub(crate) fn note(&mut self, record: &TraceRecord, number: u64) {
        let gap = record.at_ns - self.span_ns.min(record.at_ns);
        self.equal_times += u64::from(gap == 0 && number > 1);
        if gap > self.longest_gap_ns {
            (self.longest_gap_ns, self.longest_gap_before) = (gap, number);
        }
        self.span_ns = record.at_ns;
        self.zero_sizes += u64::from(record.bytes == 0 && record.operation != TraceOperation::Flush);
        self.beyond_64_bits += u64::from(record.offset.checked_add(record.bytes).is_none());
    }

    /// The warnings for the user, a sentence for each anomaly; none if there is no anomaly. Equal times are not reported: many traces are
    /// full of them.
    pub fn warning_sentences(&self) -> Vec<String> {
        let seconds = |ns: u64| ns as f64 / 1e9;
        let mut told = Vec::new();
        if self.back.count > 0 {
            told.push(format!(
                "time goes back {} times, by {} s at most",
                self.back.count,
                seconds(self.back.largest_ns)
            ));
        }
        if self.clamped.count > 0 {
            told.push(format!(
                "{} requests are out of order by more than sorting mends, by {} s at most; each has the time of the \
                 one before",
                self.clamped.count,
                seconds(self.clamped.largest_ns)
            ));
        }
        if self.zero_sizes > 0 {
            told.push(format!("{} requests have no byte", self.zero_sizes));
        }
        if self.beyond_64_bits > 0 {
            told.push(format!("{} requests end beyond what 64 bits can address", self.beyond_64_bits));
        }
        if self.span_ns > LONGEST_SPAN {
            told.push(format!(
                "the trace lasts {:.0} years, which cannot be right: is the unit of its times another one, or is one \
                 of them zero? The longest gap is of {:.1} years, before request {}",
                self.span_ns as f64 / YEAR as f64,
                self.longest_gap_ns as f64 / YEAR as f64,
                self.longest_gap_before
            ));
        }
        if let Some([first, last]) = self.dates_s
            && (first < DATES[0] || last > DATES[1])
        {
            let year = |s: i64| 1970 + s.div_euclid(31_556_952);
            told.push(format!(
                "the trace is dated from {} to {}, which cannot be right: is the unit of its times another one?",
                year(first),
                year(last)
            ));
        }
        told
    }
}
