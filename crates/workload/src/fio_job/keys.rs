//! The keys of a fio job that have an effect here, in one table: name, other names, type, default, meaning.
//!
//! Source: `fio(1)` of version 3.33. Keys of fio that are not in this table are in [`super::other_keys`].

use sansim_kernel::Span;

use super::engine::{self, Engine};
use super::files::{self, FileServiceType};
use super::units::{self, FileAmount, KbBase};
use super::values::{self, IoDirection, PerDirection, RandomDistribution, RwValue, Sizes};
use super::verify;
use crate::faults::{FilePosition, WrittenValueError};

/// The value of a key, and the spot at which it was written; none if the value is the default.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenValue<T> {
    /// The value.
    pub value: T,
    /// The spot at which the value was written.
    pub at: Option<FilePosition>,
    /// The number of keys of the job that were written before this one: of two keys with the same meaning the later one counts.
    pub order: usize,
}

/// The description of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyDescription {
    /// The name of the key.
    pub name: &'static str,
    /// Other names for the key.
    pub aliases: &'static [&'static str],
    /// The default of the key, as it would be written; empty if there is none.
    pub default: &'static str,
    /// The meaning of the key.
    pub meaning: &'static str,
}

macro_rules! keys {
    ($(
        $(#[doc = $doc:literal])*
        $field:ident $(| $alias:literal)*: $type:ty = $default:literal, $read:expr;
    )*) => {
        /// The settings of all keys of one job.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $($(#[doc = $doc])* pub $field: GivenValue<$type>,)*
        }

        impl Default for Settings {
            fn default() -> Settings {
                $(
                    let read: fn(&str, KbBase) -> Result<$type, WrittenValueError> = $read;
                    // The empty default of an optional key is no value; a test parses all other defaults.
                    let value = read($default, KbBase::Binary).unwrap_or_default();
                    let $field = GivenValue { value, at: None, order: 0 };
                )*
                Settings { $($field,)* }
            }
        }

        impl Settings {
            /// Sets a key; `None` if the table has no key with this name.
            pub fn set(&mut self, name: &str, text: &str, base: KbBase, at: FilePosition, order: usize) -> Option<Result<(), WrittenValueError>> {
                match name {
                    $(stringify!($field) $(| $alias)* => {
                        let read: fn(&str, KbBase) -> Result<$type, WrittenValueError> = $read;
                        Some(read(text, base).map(|value| self.$field = GivenValue { value, at: Some(at), order }))
                    })*
                    _ => None,
                }
            }
        }

        /// Every key, in the order of the table.
        pub const KEYS: &[KeyDescription] = &[$(KeyDescription {
            name: stringify!($field),
            aliases: &[$($alias),*],
            default: $default,
            meaning: concat!($($doc),*),
        },)*];
    };
}

/// Up to three values of one type between commas.
type Some3<T> = PerDirection<Option<T>>;

/// A table entry that may be without a value.
type Maybe<T> = Option<T>;

keys! {
    /// The operations, and whether their places are sequential or drawn. `randread:8` draws a place for every eighth I/O, `read:4k` adds 4
    /// KiB to the place after each I/O.
    rw | "readwrite": RwValue = "read", |text, base| values::parse_rw(text, base);
    /// After a drawn place (`randread:8`): `sequential` goes on behind it, `identical` stays there.
    rw_sequencer: Sequencer = "sequential", |text, _| values::word(text, "way to go on", &SEQUENCERS);
    /// Reads in percent of reads and writes.
    rwmixread: u8 = "50", units::parse_percent;
    /// Share of writes in percent. If `rwmixread` and `rwmixwrite` are both written, the later one counts.
    rwmixwrite: u8 = "50", units::parse_percent;
    /// Bytes of each I/O, for reads, writes and trims.
    bs | "blocksize": Some3<u64> = "4096", values::parse_one_size;
    /// Sizes with percentages: `4k/60:64k/40`.
    bssplit: Some3<Sizes> = "", |text, base| values::parse_comma_values(text, |part| values::parse_bssplit(part, base));
    /// Smallest and largest size: multiples of the smallest, about equally often.
    bsrange | "blocksize_range": Some3<Sizes> = "", |text, base| values::parse_comma_values(text, |part| values::parse_bsrange(part, base));
    /// Drawn places are multiples of it; the smallest size if not given. Another one turns `norandommap` on.
    blockalign | "ba": Some3<u64> = "", |text, base| values::parse_comma_values(text, |part| units::parse_io_bytes(part, base));
    /// I/Os that each clone of the job keeps outstanding.
    iodepth: u32 = "1", units::parse_small_count;
    /// How I/Os are done: a synchronous engine, as `psync` is, waits for each, so that a clone has one outstanding whatever `iodepth` says.
    ioengine: Maybe<Engine> = "", |text, _| engine::engine(text).map(Some);
    /// `offload`: threads of their own hand I/Os over, so that a synchronous engine has `iodepth` of them outstanding.
    io_submit_mode: SubmitMode = "inline", |text, _| values::word(text, "way to hand I/Os over", &SUBMIT_MODES);
    /// The devices or files, with `:` between them; I/Os go to each in turn. Without it each clone has a file of its own.
    filename: Vec<String> = "", |text, _| Ok(files::parse_names(text));
    /// Where files without a path are.
    directory: Vec<String> = "", |text, _| Ok(files::parse_names(text));
    /// How the files of clones are named that have none of a name: `$jobname`, `$jobnum` and `$filenum` are put in.
    filename_format: String = "$jobname.$jobnum.$filenum", |text, _| Ok(text.to_owned());
    /// Order of several files: in turn with a number of I/Os each (`roundrobin:4`), a drawn one (`random`), or one after the other
    /// (`sequential`).
    file_service_type: FileServiceType = "roundrobin", |text, base| files::parse_file_service_type(text, base);
    /// How urgent the I/Os are, 0 first: what `ioprio_set` of Linux calls a priority.
    prio: Maybe<u8> = "", |text, base| units::parse_priority(text, base).map(Some);
    /// The class of that: 0 none, 1 real time, 2 best effort, 3 idle.
    prioclass: u8 = "0", units::parse_priority_class;
    /// Clones of the job.
    numjobs: u32 = "1", units::parse_small_count;
    /// Bytes of the region, or its share of the device; to the end of the device if not given. Also the amount of I/O.
    size: Maybe<FileAmount> = "", |text, base| units::parse_amount(text, base).map(Some);
    /// Bytes that are read and written in all, if not `size`.
    io_size | "io_limit": Maybe<FileAmount> = "", |text, base| units::parse_amount(text, base).map(Some);
    /// Where the region begins on the device.
    offset: FileAmount = "0", |text, base| units::parse_amount(text, base);
    /// By how much the region of each further clone is shifted.
    offset_increment: FileAmount = "0", |text, base| units::parse_amount(text, base);
    /// An `offset` in percent is rounded up to a multiple of it; of the smallest size if it is 0.
    offset_align: u64 = "0", units::parse_bytes;
    /// The distribution of the random offsets of I/Os.
    random_distribution: PerDirection<RandomDistribution> = "random", values::parse_random_distribution;
    /// Drawn places may repeat before all have been visited.
    norandommap: bool = "0", units::parse_flag;
    /// Share of the I/Os of a random job that go to random offsets; the others follow the I/O before.
    percentage_random: Some3<u8> = "100", |text, base| values::parse_comma_values(text, |part| units::parse_percent(part, base));
    /// Each pass visits the same places in the same order.
    randrepeat: bool = "1", units::parse_flag;
    /// The highest rate in bytes per second, for reads, writes and trims.
    rate: Some3<u64> = "", values::rates;
    /// The lowest permitted rate in bytes per second; fio ends the job with an error below it.
    rate_min | "ratemin": Some3<u64> = "", values::rates;
    /// The highest rate in I/Os per second, for reads, writes and trims.
    rate_iops: Some3<u64> = "", values::rates;
    /// The lowest permitted rate in I/Os per second; fio ends the job with an error below it.
    rate_iops_min: Some3<u64> = "", values::rates;
    /// Gaps of a limited rate: all alike (`linear`) or exponential (`poisson`).
    rate_process: RateProcess = "linear", |text, _| values::word(text, "process of a rate", &RATE_PROCESSES);
    /// A limited rate does not make up for think times.
    rate_ignore_thinktime: bool = "0", units::parse_flag;
    /// After so many writes the files are flushed, at each device where they are; 0: never.
    fsync: u64 = "0", units::parse_count;
    /// The same as `fsync`: a block device has no metadata that `fdatasync` could leave out.
    fdatasync: u64 = "0", units::parse_count;
    /// Whether a write is complete only when its data are durable: `sync` and `dsync` (or 1) give each write forced unit access, as Linux does
    /// for O_DSYNC on a block device; `none` (or 0) does not.
    sync: bool = "none", |text, _| values::word(text, "kind of synchronous I/O", &SYNC_KINDS);
    /// Writes have forced unit access, by the engine `sg`.
    writefua: bool = "0", units::parse_flag;
    /// Pause after `thinktime_blocks` I/Os; microseconds if there is no unit.
    thinktime: Span = "0", units::parse_microseconds;
    /// I/Os between two pauses.
    thinktime_blocks: u64 = "1", units::parse_nonzero_bytes;
    /// Whether I/Os count for `thinktime_blocks` when they complete or when they are issued.
    thinktime_blocks_type: ThinkAfter = "complete", |text, _| values::word(text, "event", &THINK_AFTER);
    /// Pause after so long a time of I/Os, instead of after `thinktime_blocks`.
    thinktime_iotime: Span = "0", units::parse_seconds;
    /// The job ends after this time at the latest; it has no end by time if it is 0.
    runtime | "timeout": Span = "0", units::parse_seconds;
    /// The job goes on until `runtime`, in as many passes as fit.
    time_based: bool = "0", units::parse_flag;
    /// I/Os in this time are not recorded; `runtime` begins after it.
    ramp_time: Span = "0", units::parse_seconds;
    /// The job begins after this time, or one drawn from a range: `1s-5s`.
    startdelay: (Span, Span) = "0", |text, base| match text.split_once('-') {
        Some((low, high)) => Ok((units::parse_seconds(low, base)?, units::parse_seconds(high, base)?)),
        None => units::parse_seconds(text, base).map(|time| (time, time)),
    };
    /// The job ends after this number of I/Os, multiplied by `loops`, at the latest; no limit if it is 0 or the job is `time_based`.
    number_ios: u64 = "0", units::parse_count;
    /// Passes over the region.
    loops: u64 = "1", |text, base| units::parse_small_count(text, base).map(u64::from);
    /// `strided`: I/Os stay in one zone for `zonesize` bytes, then go to the next.
    zonemode: Maybe<bool> = "", zonemode;
    /// Bytes of a zone; `zonesize` if not given.
    zonerange: Maybe<u64> = "", |text, base| units::parse_nonzero_bytes(text, base).map(Some);
    /// Bytes of I/O in a zone before the next one begins.
    zonesize: Maybe<u64> = "", |text, base| units::parse_nonzero_bytes(text, base).map(Some);
    /// Bytes between the end of a zone and the next one.
    zoneskip: u64 = "0", units::parse_bytes;
    /// The depth is searched at which this latency is just kept; microseconds if there is no unit. 0: it is not searched.
    latency_target: Span = "0", units::parse_microseconds;
    /// How long each depth is tried.
    latency_window: Span = "0", units::parse_microseconds;
    /// Share of the I/Os that has to keep `latency_target`, in percent.
    latency_percentile: f64 = "100", |text, _| units::parse_finite_number(text);
    /// Clones, and jobs up to the next `stonewall` or `new_group`, are reported together.
    group_reporting: bool = "0", units::parse_flag;
    /// The job begins when all jobs above it have ended.
    stonewall | "wait_for_previous": bool = "0", units::parse_flag;
    /// The job begins a new group of reporting.
    new_group: bool = "0", units::parse_flag;
    /// A log of I/Os that is replayed, instead of what `rw` says.
    read_iolog: String = "", |text, _| Ok(text.to_owned());
    /// Replays without the pauses of the log.
    replay_no_stall: bool = "0", units::parse_flag;
    /// Times of the log in percent of what they are: 200 is half as fast.
    replay_time_scale: u64 = "100", units::parse_nonzero_bytes;
    /// Offsets of the log are divided by it.
    replay_scale: u64 = "1", units::parse_nonzero_bytes;
    /// Offsets of the log are rounded down to a multiple of it; 0: they are not.
    replay_align: u64 = "0", units::parse_bytes;
    /// All I/Os of the log go to this file, whichever they were for.
    replay_redirect: String = "", |text, _| Ok(text.to_owned());
    /// Whether what was written is verified, and how; `0` is not at all.
    verify: bool = "0", |text, _| verify::is_verification_method(text);
    /// Whether it is read back for that at the end.
    do_verify: bool = "1", units::parse_flag;
    /// Verify this pattern.
    verify_pattern: String = "", |text, _| Ok(text.to_owned());
    /// Whether written data are read back already after a number of I/Os, before all writes are done.
    verify_backlog: u64 = "0", units::parse_count;
    /// Meaning of `k`: 1024, or 1000 as in the standards.
    kb_base: u64 = "1024", |text, _| values::word(text, "base of k", &[("1024", 1024), ("1000", 1000)]);
    /// Files of each job; the simulated job has one region.
    nrfiles: u32 = "1", units::parse_small_count;
    /// Another name for the job than that of its section.
    name: String = "", |text, _| Ok(text.to_owned());
}

impl Default for RwValue {
    fn default() -> RwValue {
        RwValue {
            operations: values::Operations::Only(IoDirection::Read),
            random: false,
            every: 1,
            step_bytes: 0,
        }
    }
}

impl Default for FileAmount {
    fn default() -> FileAmount {
        FileAmount::Bytes(0)
    }
}

/// The placement of I/Os after a drawn place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sequencer {
    /// The next I/O is at the place after the last.
    #[default]
    Sequential,
    /// The next I/O is at the same place again.
    Identical,
}

/// The kinds of synchronous I/O, and whether writes have forced unit access.
const SYNC_KINDS: [(&str, bool); 5] =
    [("none", false), ("0", false), ("sync", true), ("1", true), ("dsync", true)];

const SEQUENCERS: [(&str, Sequencer); 2] =
    [("sequential", Sequencer::Sequential), ("identical", Sequencer::Identical)];

/// The gaps of a limited rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateProcess {
    /// All gaps are equal.
    #[default]
    Linear,
    /// Gaps are exponentially distributed.
    Poisson,
}

const RATE_PROCESSES: [(&str, RateProcess); 2] =
    [("linear", RateProcess::Linear), ("poisson", RateProcess::Poisson)];

/// The thread that submits I/Os.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubmitMode {
    /// The clone submits its I/Os itself.
    #[default]
    Inline,
    /// Separate threads submit the I/Os.
    Offload,
}

const SUBMIT_MODES: [(&str, SubmitMode); 2] =
    [("inline", SubmitMode::Inline), ("offload", SubmitMode::Offload)];

/// The event at which an I/O counts for the think time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThinkAfter {
    /// An I/O counts when it completes.
    #[default]
    Complete,
    /// An I/O counts when it is issued.
    Issue,
}

const THINK_AFTER: [(&str, ThinkAfter); 2] =
    [("complete", ThinkAfter::Complete), ("issue", ThinkAfter::Issue)];

/// Whether zones are strided.
fn zonemode(text: &str, _: KbBase) -> Result<Option<bool>, WrittenValueError> {
    match text.trim() {
        "none" => Ok(Some(false)),
        "strided" => Ok(Some(true)),
        "zbd" => Err(WrittenValueError::new(
            sansim_schema::codes::NOT_BUILT,
            "zoned block devices cannot be simulated",
            "write zonemode=strided, or leave it out",
        )),
        other => values::word(other, "mode of zones", &[("none", false), ("strided", true), ("zbd", false)])
            .map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_reads_as_a_value_of_its_key() {
        let at = FilePosition { file: 0, start: 0, end: 0 };
        for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
            let set = Settings::default().set(key.name, key.default, KbBase::Binary, at, 1);
            assert_eq!(set, Some(Ok(())), "{}", key.name);
            assert!(key.meaning.len() > 10, "{}", key.name);
        }
    }

    #[test]
    fn every_other_name_of_a_key_sets_it() {
        let at = FilePosition { file: 0, start: 0, end: 0 };
        for key in KEYS {
            for alias in key.aliases {
                assert!(Settings::default().set(alias, "1", KbBase::Binary, at, 1).is_some(), "{alias}");
            }
        }
        assert!(Settings::default().set("no_such_key", "1", KbBase::Binary, at, 1).is_none());
    }
}
