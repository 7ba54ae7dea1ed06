//! How a trace is to be read.

/// The treatment of a line that is no request of its format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBadLine {
    /// Reading ends with an error that shows it.
    #[default]
    Fail,
    /// It is counted and left out; the first ones are kept as examples.
    Count,
}

/// The treatment of a request that is before the one it follows when the window has been sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBackwards {
    /// It gets the time of the one it follows, and is counted.
    #[default]
    Clamp,
    /// Reading ends with an error that shows it.
    Fail,
}

/// The event that represents a request in the output of blkparse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlktraceAction {
    /// `Q`: it came to the block layer.
    #[default]
    Queued,
    /// `D`: it went to the driver.
    Issued,
    /// `C`: it was complete. Its time is that of its completion.
    Completed,
}

/// The meaning of `wait` in a fio iolog of version 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FioWait {
    /// The meaning in fio's code: milliseconds from the start of the job.
    #[default]
    Observed,
    /// The meaning in its manual: microseconds from the `wait` before.
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
    pub fn of_word(word: &str) -> Option<TimeUnit> {
        Some(match word {
            "s" => TimeUnit::Seconds,
            "ms" => TimeUnit::Milliseconds,
            "us" => TimeUnit::Microseconds,
            "100ns" | "filetime" => TimeUnit::FileTime,
            "ns" => TimeUnit::Nanoseconds,
            _ => return None,
        })
    }

    /// Nanoseconds that it has.
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

/// How a trace is to be read. The default finds the format by looking, ends at a bad line, and sorts what is out of order
/// by a few requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The word of its format, one of [`crate::FORMATS`]; `None` finds it by looking.
    pub format: Option<String>,
    /// The treatment of a bad line.
    pub on_bad_line: OnBadLine,
    /// So many requests are kept and sorted by time, equal times in the order of the file. Traces that were gathered from
    /// several processors are out of order by a few. 0 sorts nothing.
    pub window: usize,
    /// The treatment of a request that is out of order by more than that.
    pub on_backwards: OnBackwards,
    /// Options that only some formats need.
    pub reading: Reading,
}

/// Options that only some formats need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// blkparse: the event that represents a request.
    pub action: BlktraceAction,
    /// fio iolog version 2: what `wait` means.
    pub fio_wait: FioWait,
    /// The unit of its times, if it is another one than the format has; files of MQSim, which look like DiskSim's, count nanoseconds.
    pub time_unit: Option<TimeUnit>,
    /// Bytes of the unit of its offsets, if it is another one than the format has: of numbers of blocks in the place of bytes, or of numbers of
    /// objects.
    pub offset_unit: Option<u64>,
    /// CSV: the columns with their units, `time:us,volume,op,offset:sectors,bytes,latency:ms`; see `formats/csv.rs`.
    pub columns: Option<String>,
}

impl Reading {
    /// Nanoseconds of the unit of times: that which was given, or that of the format.
    pub(crate) fn unit_ns(&self, of_format: u64) -> u64 {
        self.time_unit.map_or(of_format, TimeUnit::nanoseconds)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            format: None,
            on_bad_line: OnBadLine::default(),
            window: 1_024,
            on_backwards: OnBackwards::default(),
            reading: Reading::default(),
        }
    }
}
