//! The keys of a workload that replays a trace.

use super::targets::Targets;
use super::volumes::{SeparateVolumes, TraceFile, TraceFileName};
use crate::aims::{FROM, TO};
use sansim_component::groups::WorkloadGroup;
use sansim_component::limits::LimitParameters;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, Dimensioned, ListOf, Number, OrUnlimited, Size, Text};
use sansim_schema::suggest::{did_you_mean, words_in_prose};
use sansim_schema::{codes, table, words};
use sansim_trace::{
    BadLineRule, BlktraceAction, FORMATS, FioWait, FormatOptions, TimeUnit, Trace, TraceOperation,
    TraceReadOptions,
};

/// The number of requests, and of lines, at the beginning of a file that are examined before a run.
const LOOKED_AT: u64 = 1_000;
const LOOKED_AT_LINES: u64 = 100_000;

/// The word for a format that is detected from the file.
const AUTO: &str = "auto";

words! {
    /// The times at which the requests of a trace are issued.
    pub enum ReplayAs {
        /// At their times in the trace, whether or not earlier ones are done.
        Open = "open",
        /// As fast as they are answered: always `queue_depth` outstanding, whatever their times.
        Closed = "closed",
        /// Each when the one before is answered and as much time has passed as lay between the two in the trace.
        Dependent = "dependent",
    }
}

words! {
    /// The rule that assigns a device to a volume of a trace that `targets` does not name.
    pub enum VolumesTo {
        /// The first volume that appears to the first device, the next to the next, and so round.
        Turns = "turns",
        /// By its name, so that it does not matter which others there are.
        Hash = "hash",
        /// All volumes go to the devices one after another, as to one.
        Concatenated = "concatenated",
    }
}

words! {
    /// The parts of a trace that results list separately.
    pub enum ResultsOf {
        /// Each volume is a stream with its name; a trace of one volume, or of more than 256, is one stream. The file is read once more
        /// before the run to find them, unless `only` names them.
        Volumes = "volumes",
        /// Nothing: the trace is one stream.
        Whole = "whole",
    }
}

words! {
    /// The treatment of a request that does not fit on its device.
    pub enum OutOfRange {
        /// It goes to its place modulo the capacity, and ends on the device; the result has their number.
        Wrap = "wrap",
        /// It is left out; the result has their number.
        Reject = "reject",
        /// The run ends with an error.
        Fail = "fail",
    }
}

words! {
    /// A unit of the times of a trace.
    pub enum TimeUnitOf {
        /// That of the format.
        OfFormat = "of-format",
        /// Seconds.
        Seconds = "s",
        /// Milliseconds.
        Milliseconds = "ms",
        /// Microseconds.
        Microseconds = "us",
        /// 100 ns, of which Windows counts its time.
        FileTime = "100ns",
        /// Nanoseconds.
        Nanoseconds = "ns",
    }
}

words! {
    /// The event of blkparse that counts as a request.
    pub enum BlktraceActionChoice {
        /// Q: it came to the block layer.
        Queued = "queued",
        /// D: it went to the driver.
        Issued = "issued",
        /// C: it was complete.
        Completed = "completed",
    }
}

words! {
    /// The meaning of `wait` in a fio iolog of version 2.
    pub enum FioWaitOf {
        /// As fio behaves: milliseconds from the start of the job.
        Observed = "observed",
        /// As its manual says: microseconds from the `wait` before.
        Documented = "documented",
    }
}

words! {
    /// The treatment of a line that is no request.
    pub enum BadLines {
        /// The run ends with an error that shows it.
        Fail = "fail",
        /// It is left out; the result has their number.
        Count = "count",
    }
}

table! {
    /// The requests of a trace, replayed. Trims become deallocations, and flushes go to the device of their volume, or to all devices if these are one space. Reads, writes and trims of no bytes are left out; the result has their number.
    pub struct TraceParameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The devices that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The file; it may be packed with gzip or zstd.
        file: TraceFile = TraceFileName, required r#""trace.csv.gz""#, source "";
        /// Format of the trace file: `"auto"` detects it from the file; otherwise `"msr"`, `"spc"`, `"blkparse"`, `"fio-iolog"`,
        /// `"disksim"`, `"alibaba"`, `"tencent"`, `"vscsi"`, `"csv"`, `"systor"`, `"fiu"` or `"oracle-general"`.
        format: String = Text, default r#""auto""#, source "ours: what the file itself shows";
        /// For a CSV file: its columns with their units, such as `"time:us,volume,op,offset:sectors,bytes"`.
        columns: String = Text, default r#""""#, source "ours: the columns that the file names";
        /// The unit of its times, if it is another one than its format has: files of MQSim, which look like DiskSim's, count nanoseconds.
        time_unit: TimeUnitOf = Choice::<TimeUnitOf>::ANY, default r#""of-format""#, source "ours: what its format says";
        /// The unit of its offsets, if it is another one than its format has: of numbers of blocks in place of bytes, or of numbers of
        /// objects, as oracleGeneral has, the size of a block.
        offset_unit: Option<u64> = Size { range: (1, 1 << 40), step: 1 }.or("of-format"), default r#""of-format""#, source "ours: what its format says";
        /// For blkparse: the event that counts as a request.
        action: BlktraceActionChoice = Choice::<BlktraceActionChoice>::ANY, default r#""queued""#, source "blkparse(1)";
        /// For a fio iolog of version 2: the meaning of its `wait`.
        fio_wait: FioWaitOf = Choice::<FioWaitOf>::ANY, default r#""observed""#, source "fio 3.33";
        /// Number of times that the trace is replayed. A pass begins as long after the last request of the one before as requests are apart
        /// on average.
        passes: Option<u64> = OrUnlimited::between(1, 1_000_000_000), default "1", source "ours: once, as it was recorded";
        /// When requests are asked for.
        replay: ReplayAs = Choice::<ReplayAs>::ANY, default r#""open""#, source "ours: the times are a part of the trace";
        /// Times of the trace are multiplied by this: 0.5 asks twice as fast.
        time_scale: f64 = Number::between(1e-6, 1e6), default "1.0", source "ours: the times of the trace";
        /// With `replay = "closed"`: how many requests are outstanding.
        queue_depth: u32 = Count::<u32>::between(1, 65_536), default "1", source "ours: one, unless the file says otherwise";
        /// With `replay = "open"`: the most requests that are outstanding. The response time of an I/O that arrives at the limit counts
        /// from its arrival.
        outstanding: u32 = Count::<u32>::between(1, 65_536), default "4096", source "ours: far more than a stable load has in flight";
        /// To which device a volume goes that `targets` does not name.
        volumes: VolumesTo = Choice::<VolumesTo>::ANY, default r#""turns""#, source "ours: devices get equally many volumes";
        /// For some volumes by their names the number of the device among those of `to`, from 0: `{ "usr.0" = 0, "web.2" = 1 }`.
        targets: Vec<(String, u32)> = Targets, default "{}", source "none";
        /// The volumes that are replayed; all, if none is named.
        only: Vec<String> = ListOf::between(0, 65_536, Text), default "[]", source "none";
        /// The parts of the trace that results list separately.
        results: ResultsOf = Choice::<ResultsOf>::ANY, default r#""volumes""#, source "ours: as the trace tells them apart";
        /// The treatment of a request that does not fit on its device.
        out_of_range: OutOfRange = Choice::<OutOfRange>::ANY, default r#""fail""#, source "ours: nothing is changed in silence";
        /// The treatment of a line that is no request.
        bad_lines: BadLines = Choice::<BadLines>::ANY, default r#""fail""#, source "ours: nothing is left out in silence";
    }
    parts {
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    checks(check_format)
    idle(of_other_replays)
}

impl TraceParameters {
    /// Marks keys as unused that apply to other modes of replay.
    fn of_other_replays(&self, idle: &mut IdleKeys) {
        let (is_open, is_closed) = (self.replay == ReplayAs::Open, self.replay == ReplayAs::Closed);
        idle.mark_idle_unless(
            is_closed,
            &["queue_depth"],
            "as many are outstanding as come (`replay` is not \"closed\")",
        );
        idle.mark_idle_unless(
            is_open,
            &["outstanding"],
            "requests do not come by themselves (`replay` is not \"open\")",
        );
        idle.mark_idle_unless(
            !is_closed,
            &["time_scale", "time_unit"],
            "the times of the trace do not count (`replay = \"closed\"`)",
        );
        let may_be = |word: &str| self.format == AUTO || self.format == word;
        idle.mark_idle_unless(may_be("blkparse"), &["action"], "only traces of blkparse have events");
        idle.mark_idle_unless(may_be("fio-iolog"), &["fio_wait"], "only logs of fio have waits");
    }

    /// The options with which the file is read.
    pub fn options(&self) -> TraceReadOptions {
        TraceReadOptions {
            format: (self.format != AUTO).then(|| self.format.clone()),
            on_bad_line: match self.bad_lines {
                BadLines::Fail => BadLineRule::Fail,
                BadLines::Count => BadLineRule::Count,
            },
            reading: FormatOptions {
                columns: (!self.columns.is_empty()).then(|| self.columns.clone()),
                action: match self.action {
                    BlktraceActionChoice::Queued => BlktraceAction::Queued,
                    BlktraceActionChoice::Issued => BlktraceAction::Issued,
                    BlktraceActionChoice::Completed => BlktraceAction::Completed,
                },
                fio_wait: match self.fio_wait {
                    FioWaitOf::Observed => FioWait::Observed,
                    FioWaitOf::Documented => FioWait::Documented,
                },
                time_unit: match self.time_unit {
                    TimeUnitOf::OfFormat => None,
                    TimeUnitOf::Seconds => Some(TimeUnit::Seconds),
                    TimeUnitOf::Milliseconds => Some(TimeUnit::Milliseconds),
                    TimeUnitOf::Microseconds => Some(TimeUnit::Microseconds),
                    TimeUnitOf::FileTime => Some(TimeUnit::FileTime),
                    TimeUnitOf::Nanoseconds => Some(TimeUnit::Nanoseconds),
                },
                offset_unit: self.offset_unit,
            },
            ..TraceReadOptions::default()
        }
    }

    /// The volumes that results list separately: the named volumes, or those found when the file is read.
    pub fn separate_volumes(&self) -> &SeparateVolumes {
        self.file.separate_volumes(|path| match self.results {
            ResultsOf::Whole => SeparateVolumes::default(),
            ResultsOf::Volumes if self.only.is_empty() => {
                SeparateVolumes::volumes_with_requests(path, &self.options())
            }
            ResultsOf::Volumes => SeparateVolumes::volumes_named(&self.only),
        })
    }

    /// Checks that the beginning of the file can be read, and that it has requests if it is the whole file.
    fn check_beginning(&self, keys: &mut Keys<'_, '_>) {
        const NEEDED: [&str; 8] =
            ["file", "format", "columns", "bad_lines", "time_unit", "offset_unit", "action", "fio_wait"];
        if !keys.all_readable(&NEEDED) || !keys.all_readable(&["only"]) {
            return;
        }
        if let Err(why) = self.beginning() {
            let fault = Diagnostic::new(codes::BAD_VALUE, keys.value_position("file"), why)
                .with_label("in this file");
            keys.report("file", fault);
        }
    }

    /// The doubts about the units of the file, from its beginning, a sentence for each; the error is the reason why the file cannot be
    /// replayed.
    fn beginning(&self) -> Result<Vec<String>, String> {
        let path = &self.file.named.path;
        if path.as_os_str().is_empty() {
            return Ok(Vec::new());
        }
        let mut trace =
            Trace::open_file(path, &self.options()).map_err(|error| self.named(&error.to_string()))?;
        let mut wanted = 0_u64;
        let mut volumes = Vec::new();
        let whole = trace.look_ahead(LOOKED_AT, LOOKED_AT_LINES, |record| {
            let is_replayed = record.bytes > 0 || record.operation == TraceOperation::Flush;
            wanted += u64::from(is_replayed);
            volumes.extend(is_replayed.then_some(record.volume).filter(|volume| !volumes.contains(volume)));
        });
        let whole = whole.map_err(|error| self.named(&error.to_string()))?;
        let name = self.file.named.name();
        if whole && let Some(why) = trace.why_empty() {
            return Err(format!("{name}: {why}"));
        }
        let known = |volume: &u32| {
            self.only.iter().any(|only| only == trace.volume_names_so_far().volume_name(*volume))
        };
        if whole && (wanted == 0 || !self.only.is_empty() && !volumes.iter().any(known)) {
            let of = if wanted > 0 { " of the volumes that `only` names" } else { "" };
            return Err(format!("{name}: there is no request{of} in it"));
        }
        Ok(trace.unit_doubts().into_iter().map(|sentence| format!("{name}: {sentence}")).collect())
    }

    /// A message in which the file has its name without folders, as in other messages.
    fn named(&self, message: &str) -> String {
        message.replace(&self.file.named.path.display().to_string(), &self.file.named.name())
    }

    /// Remarks for the user about the trace.
    pub fn remarks(&self) -> Vec<String> {
        self.beginning().unwrap_or_default()
    }

    /// Checks that the format exists.
    fn check_format(&self, keys: &mut Keys<'_, '_>) {
        let words = || std::iter::once(AUTO).chain(FORMATS.iter().map(|format| format.word));
        if words().any(|word| word == self.format) {
            return self.check_beginning(keys);
        }
        if !keys.all_readable(&["format"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::UNKNOWN_WORD,
            keys.value_position("format"),
            "no such format of traces is known",
        )
        .with_label(format!("must be {}", words_in_prose(words())))
        .with_help_if_given(did_you_mean(&self.format, words()));
        keys.report("format", fault);
    }
}
