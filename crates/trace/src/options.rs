//! Options for reading a trace.

/// The treatment of a line that is no request of its format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadLineRule {
    /// Reading ends with an error that shows the line.
    #[default]
    Fail,
    /// The line is counted and left out; the first bad lines are kept as examples.
    Count,
}

/// The treatment of a request that is before the request that it follows even when the window has been sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackwardsRule {
    /// The request gets the time of the request that it follows, and is counted.
    #[default]
    Clamp,
    /// Reading ends with an error that shows the request.
    Fail,
}

/// The event that represents a request in the output of blkparse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlktraceAction {
    /// `Q`: the request came to the block layer.
    #[default]
    Queued,
    /// `D`: the request went to the driver.
    Issued,
    /// `C`: the request was complete. The time of the request is then that of its completion.
    Completed,
}

/// The meaning of `wait` in a fio iolog of version 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FioWait {
    /// The meaning in fio's code: milliseconds from the start of the job.
    #[default]
    Observed,
    /// The meaning in fio's manual: microseconds from the `wait` before.
    Documented,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// s
    Seconds,
    /// ms
    Milliseconds,
    /// us
    Microseconds,
    /// 100 ns, of which Windows counts its time
    FileTime,
    /// ns
    Nanoseconds,
}

impl TimeUnit {
    /// The unit of a word; `None` for any other word.
    pub fn from_word(word: &str) -> Option<TimeUnit> {
        Some(match word {
            "s" => TimeUnit::Seconds,
            "ms" => TimeUnit::Milliseconds,
            "us" => TimeUnit::Microseconds,
            "100ns" | "filetime" => TimeUnit::FileTime,
            "ns" => TimeUnit::Nanoseconds,
            _ => return None,
        })
    }

    /// The nanoseconds of the unit.
    pub const fn nanoseconds(self) -> u64 {
        match self {
            TimeUnit::Seconds => 1_000_000_000,
            TimeUnit::Milliseconds => 1_000_000,
            TimeUnit::Microseconds => 1_000,
            TimeUnit::FileTime => 100,
            TimeUnit::Nanoseconds => 1,
        }
    }
}

/// How a trace is to be read. The default options detect the format, end at a bad line, and sort requests that are out of order by a few
/// places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceReadOptions {
    /// The word for the format, one of [`crate::FORMATS`]; `None` to detect the format.
    pub format: Option<String>,
    /// The treatment of a bad line.
    pub on_bad_line: BadLineRule,
    /// The number of requests that are kept and sorted by time, equal times in the order of the file. Traces that were gathered from
    /// several processors are out of order by a few requests; with 0 nothing is sorted.
    pub window: usize,
    /// The treatment of a request that is out of order by more than the window.
    pub on_backwards: BackwardsRule,
    /// Options that only some formats need.
    pub reading: FormatOptions,
}

/// Options that only some formats need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormatOptions {
    /// The event that represents a request, for blkparse.
    pub action: BlktraceAction,
    /// The meaning of `wait`, for fio iolog version 2.
    pub fio_wait: FioWait,
    /// The unit of the times, if it differs from that of the format; files of MQSim, which look like DiskSim's, have nanoseconds.
    pub time_unit: Option<TimeUnit>,
    /// The bytes of the unit of the offsets, if it differs from that of the format: for block numbers in the place of bytes, or for numbers
    /// of objects.
    pub offset_unit: Option<u64>,
    /// For CSV: the columns with their units, `time:us,volume,op,offset:sectors,bytes,latency:ms`; see `formats/csv.rs`.
    pub columns: Option<String>,
}

impl FormatOptions {
    /// The nanoseconds of the time unit: of the given unit, or that of the format.
    pub(crate) fn unit_ns(&self, of_format: u64) -> u64 {
        self.time_unit.map_or(of_format, TimeUnit::nanoseconds)
    }
}

impl Default for TraceReadOptions {
    fn default() -> TraceReadOptions {
        TraceReadOptions {
            format: None,
            on_bad_line: BadLineRule::default(),
            window: 1_024,
            on_backwards: BackwardsRule::default(),
            reading: FormatOptions::default(),
        }
    }
}
