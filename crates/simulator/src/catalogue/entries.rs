//! The figures that every result has: name, unit, label, meaning.

use sansim_schema::catalogue::FigureUnit;

/// A figure within a group: name, unit, label, meaning.
pub(super) type Entry = (&'static str, FigureUnit, &'static str, &'static str);

pub(super) const WHOLE: [Entry; 15] = [
    ("title", FigureUnit::Word, "title", "title of the scenario"),
    ("seed", FigureUnit::Number, "seed", "seed of all random streams"),
    ("ios", FigureUnit::Count, "measured I/Os", "I/Os that were measured"),
    (
        "failed_ios",
        FigureUnit::Count,
        "failed I/Os",
        "measured I/Os that could not be carried out, as a device had failed or retries were used up",
    ),
    ("warm_up_ios", FigureUnit::Count, "I/Os left out", "I/Os that were left out before the measured ones"),
    ("stopped_early", FigureUnit::Flag, "stopped early", "whether the run was ended before its time"),
    ("simulated_s", FigureUnit::Seconds, "simulated time", "length of the measured interval"),
    ("iops", FigureUnit::Iops, "number of I/Os per second", "measured I/Os over the measured interval"),
    (
        "iops_ci95",
        FigureUnit::Iops,
        "± 95 % interval of IOPS",
        "half the width of the 95 % confidence interval",
    ),
    (
        "bytes_per_second",
        FigureUnit::BytesPerSecond,
        "number of bytes per second",
        "data over the measured interval",
    ),
    (
        "bytes_per_second_ci95",
        FigureUnit::BytesPerSecond,
        "± 95 % interval of the bytes per second",
        "half the width of the 95 % confidence interval",
    ),
    (
        "under_way",
        FigureUnit::Number,
        "I/Os in flight",
        "mean number of measured I/Os in flight, by Little's law: the sum of their response times over the measured interval",
    ),
    ("warnings", FigureUnit::Word, "warnings", "settings that are allowed and probably not intended"),
    (
        "unstable",
        FigureUnit::Word,
        "unstable workloads",
        "open workloads with more arrivals than completions: their response times would grow with the length of the run, and are not reported",
    ),
    (
        "steady.ok",
        FigureUnit::Flag,
        "steady",
        "whether the state of the system was steady while it was measured: no queue or stock in it grows or runs out, and no workload is unstable",
    ),
];

pub(super) const RESPONSE_TIME: [Entry; 8] = [
    ("mean", FigureUnit::Nanoseconds, "mean response time", "mean time from issue to completion"),
    (
        "ci95",
        FigureUnit::Nanoseconds,
        "± 95 % interval of the mean response time",
        "half the width of the 95 % confidence interval",
    ),
    ("min", FigureUnit::Nanoseconds, "shortest response time", "the shortest time from issue to completion"),
    ("p50", FigureUnit::Nanoseconds, "median of the response times", "half of the I/Os took no longer"),
    (
        "p90",
        FigureUnit::Nanoseconds,
        "90th percentile of the response times",
        "90 % of the I/Os took no longer",
    ),
    (
        "p99",
        FigureUnit::Nanoseconds,
        "99th percentile of the response times",
        "99 % of the I/Os took no longer",
    ),
    (
        "p99_9",
        FigureUnit::Nanoseconds,
        "99.9th percentile of the response times",
        "99.9 % of the I/Os took no longer",
    ),
    ("max", FigureUnit::Nanoseconds, "longest response time", "the longest time from issue to completion"),
];

pub(super) const PERCENTILES: [&str; 4] = ["p50", "p90", "p99", "p99_9"];

/// The operations: the key, and the suffix of labels. The summary has the last two only if there are any.
pub(super) const DIRECTIONS: [(&str, &str); 4] = [
    ("reads", " of the reads"),
    ("writes", " of the writes"),
    ("flushes", " of the flushes"),
    ("deallocations", " of the deallocations"),
];

pub(super) const DIRECTION: [Entry; 2] = [
    ("ios", FigureUnit::Count, "measured I/Os", "I/Os that were measured"),
    ("bytes", FigureUnit::Bytes, "data", "data of the measured I/Os"),
];

/// The figures of a workload, a host, a device, or a group of devices.
pub(super) const PART: [Entry; 6] = [
    ("ios", FigureUnit::Count, "measured I/Os", "I/Os that were measured"),
    (
        "failed_ios",
        FigureUnit::Count,
        "failed I/Os",
        "its I/Os that could not be carried out, as a device had failed",
    ),
    ("share", FigureUnit::Share, "share of the I/Os", "its share of all measured I/Os"),
    ("iops", FigureUnit::Iops, "I/Os per second", "its I/Os over the measured interval of the run"),
    (
        "bytes_per_second",
        FigureUnit::BytesPerSecond,
        "bytes per second",
        "its data over the measured interval of the run",
    ),
    (
        "under_way",
        FigureUnit::Number,
        "I/Os in flight",
        "mean number of its I/Os in flight, by Little's law: the sum of their response times over the measured interval",
    ),
];

/// The figure of an open workload or stream.
pub(super) const LOADED: [Entry; 1] = [(
    "unstable",
    FigureUnit::Flag,
    "unstable",
    "whether an open workload has more arrivals than completions, so that its response times are not reported; null for a closed one",
)];

/// The separate parts of the summary: the key, and the singular.
pub(super) const TOLD_APART: [(&str, &str); 3] =
    [("workloads", "workload"), ("hosts", "host"), ("devices", "device")];

pub(super) const FAIRNESS: &str = "index of Jain, Chiu and Hawe over the numbers of I/Os: 1 if all have equally many, 1/n if one of n has all";

pub(super) const GROUP: [Entry; 1] = [("count", FigureUnit::Count, "members", "members of the group")];

/// The bounds: the name, the bounded figure, its label, and its meaning.
pub(super) const BOUNDS: [Entry; 17] = [
    (
        "host_rate",
        FigureUnit::Iops,
        "I/Os at the drivers of hosts",
        "most I/Os per second that the drivers of the hosts do, or the processors that work for them",
    ),
    (
        "wire_rate",
        FigureUnit::BytesPerSecond,
        "data on the networks of hosts",
        "most bytes per second in a direction that the networks of the hosts carry in frames",
    ),
    (
        "adapter_rate",
        FigureUnit::Iops,
        "I/Os at the adapters of hosts",
        "most I/Os per second that the adapters of the hosts do, by the busiest block of each",
    ),
    (
        "wire_behind_rate",
        FigureUnit::Iops,
        "I/Os on the networks behind",
        "most I/Os per second for which the networks suffice that carry child requests of controllers and arrays",
    ),
    (
        "drive_rate",
        FigureUnit::Iops,
        "I/Os at drives",
        "most I/Os per second that the drives do, by their mean times and the child requests that every I/O certainly has",
    ),
    (
        "controller_rate",
        FigureUnit::Iops,
        "I/Os at controllers",
        "most I/Os per second for which the resources of the controllers suffice",
    ),
    (
        "processors_rate",
        FigureUnit::Iops,
        "I/Os by controllers' processors",
        "most I/Os per second for which the processors of the controllers suffice",
    ),
    (
        "bridge_rate",
        FigureUnit::Iops,
        "I/Os by the bridges",
        "most I/Os per second for which the bridges of the controllers suffice",
    ),
    (
        "system_bus_rate",
        FigureUnit::Iops,
        "I/Os by the system buses",
        "most I/Os per second for which the system buses of the controllers suffice",
    ),
    (
        "memory_rate",
        FigureUnit::Iops,
        "I/Os by the memories",
        "most I/Os per second for which the memories of the controllers suffice",
    ),
    (
        "population_rate",
        FigureUnit::Iops,
        "I/Os by their number",
        "most I/Os per second with this number in flight, by the longest of the bounded times and Little's law",
    ),
    (
        "wire_time",
        FigureUnit::Nanoseconds,
        "time of the frames",
        "least mean response time: the frames of an I/O one after the other on the fastest loop",
    ),
    (
        "arbitration_time",
        FigureUnit::Nanoseconds,
        "frames and the way round",
        "least mean response time: the same, and the path of a command and its answer round the fastest loop",
    ),
    (
        "adapter_time",
        FigureUnit::Nanoseconds,
        "time in the adapter",
        "least mean response time: the service demand of an I/O at the busiest block of the fastest adapter of a host",
    ),
    (
        "drive_time",
        FigureUnit::Nanoseconds,
        "time of the drive",
        "least mean response time: that of the fastest drive",
    ),
    (
        "fork_join_time",
        FigureUnit::Nanoseconds,
        "time of the slowest part",
        "least mean response time: that of the slowest of the drives that serve an I/O in parallel",
    ),
    (
        "controller_time",
        FigureUnit::Nanoseconds,
        "time in the controller",
        "least mean response time: the jobs of an I/O in the controller",
    ),
];

/// The parts of the ledger: the name, and the I/Os that are included.
pub(super) const LEDGERS: [(&str, &str); 2] = [("mean", "all I/Os"), ("slowest_percent", "the slowest 1 %")];

pub(super) const LEDGER: [Entry; 1] = [(
    "slowest_percent_exact",
    FigureUnit::Flag,
    "exact",
    "whether the slowest percent is exact; of more than a million I/Os it is found by narrow ranges of response time",
)];

/// The figures of background requests: key, label, meaning.
pub(super) const BACKGROUND: [(&str, &str, &str); 3] = [
    ("issued", "requests in the background", "requests that components issued without a workload"),
    ("done", "those that were done", "requests in the background that were done"),
    ("cut", "those that were cut", "requests in the background in flight when the last I/O was complete"),
];

pub(super) const STATISTICS: [Entry; 6] = [
    (
        "confidence",
        FigureUnit::Share,
        "confidence",
        "probability with which an interval should contain the true value",
    ),
    (
        "mean_method",
        FigureUnit::Word,
        "method of the means",
        "method of the intervals of mean response times",
    ),
    ("rate_method", FigureUnit::Word, "method of the rates", "method of the intervals of rates"),
    (
        "percentile_method",
        FigureUnit::Word,
        "method of the percentiles",
        "method of the intervals of percentiles",
    ),
    ("trusted", FigureUnit::Flag, "trusted", "whether the run has no doubt about the intervals"),
    (
        "doubts",
        FigureUnit::Word,
        "doubts",
        "doubts about the intervals; if a workload is unstable, the first doubt names it and a remedy",
    ),
];

/// The error counts of a host.
pub(super) const ERRORS: [Entry; 15] = [
    (
        "time_outs",
        FigureUnit::Count,
        "time-outs",
        "requests that were not answered in time, in the whole run",
    ),
    (
        "no_answer",
        FigureUnit::Count,
        "time-outs without an answer",
        "time-outs of requests that their device did not answer",
    ),
    (
        "frame_lost",
        FigureUnit::Count,
        "time-outs after a lost frame",
        "time-outs of requests of which a frame was lost",
    ),
    (
        "slow",
        FigureUnit::Count,
        "time-outs of slow requests",
        "time-outs of requests that were still being served",
    ),
    ("busy", FigureUnit::Count, "answers BUSY", "commands that a device answered with BUSY"),
    (
        "queue_full",
        FigureUnit::Count,
        "answers QUEUE FULL",
        "commands that a device answered with QUEUE FULL",
    ),
    (
        "check_condition",
        FigureUnit::Count,
        "answers CHECK CONDITION",
        "commands that a device answered with CHECK CONDITION",
    ),
    (
        "unreadable",
        FigureUnit::Count,
        "answers MEDIUM ERROR",
        "commands that a device answered with MEDIUM ERROR: some of the requested blocks cannot be read",
    ),
    (
        "refused",
        FigureUnit::Count,
        "I/Os refused",
        "I/Os for devices outside the zones of the host, or hidden from it",
    ),
    (
        "task_management",
        FigureUnit::Count,
        "task management functions",
        "functions by which a host had commands ended, as an abort had not been answered",
    ),
    (
        "paths_failed",
        FigureUnit::Count,
        "paths found failed",
        "times that a host found that a path had failed, by a check of it or by an I/O",
    ),
    (
        "paths_back",
        FigureUnit::Count,
        "paths found working again",
        "times that a check of a failed path was answered",
    ),
    (
        "paths_marginal",
        FigureUnit::Count,
        "paths made marginal",
        "times that a path to a device became marginal, because its fabric reported damaged frames",
    ),
    ("retries", FigureUnit::Count, "retries", "requests that were sent again"),
    (
        "given_up",
        FigureUnit::Count,
        "I/Os given up",
        "I/Os that failed because they had been tried as often as is allowed",
    ),
];

/// The damaged frames that a network or an adapter discarded: label and meaning.
pub(super) const DISCARDED_FRAMES: (&str, &str) =
    ("frames discarded", "damaged frames that were discarded there, in the whole run");

pub(super) const FULLEST_LINK: [Entry; 4] = [
    (
        "from",
        FigureUnit::Word,
        "sender of the fullest link",
        "a node, or a switch with the number of its port",
    ),
    ("to", FigureUnit::Word, "receiver of the fullest link", "a node, or a switch"),
    ("link", FigureUnit::Word, "name of the fullest link", "absent unless the link is between two switches"),
    (
        "utilisation",
        FigureUnit::Share,
        "utilisation of the fullest link",
        "share of the measured interval in which the link carried frames in this direction; absent if no link carried any",
    ),
];

pub(super) const BATCHES: [Entry; 5] = [
    ("batches", FigureUnit::Count, "batches", "batches behind the interval"),
    ("ios_per_batch", FigureUnit::Count, "I/Os per batch", "I/Os that make a batch"),
    ("lag1", FigureUnit::Number, "correlation of batches", "correlation of neighbouring batches"),
    ("parts", FigureUnit::Count, "parts", "parts that the batches are made of"),
    ("parts_lag1", FigureUnit::Number, "correlation of parts", "correlation of neighbouring parts"),
];

pub(super) const WARM_UP: [Entry; 3] = [
    ("rule", FigureUnit::Word, "rule of the warm-up", "by which rule I/Os were left out"),
    ("ios", FigureUnit::Count, "I/Os of the warm-up", "I/Os before the measured ones"),
    (
        "simulated_s",
        FigureUnit::Seconds,
        "length of the warm-up",
        "simulated time before the measured interval",
    ),
];

pub(super) const PRECISION: [Entry; 5] = [
    ("of", FigureUnit::Word, "figure to be precise", "place of the figure in the summary"),
    ("within", FigureUnit::Share, "error allowed", "error that was allowed, as a share of the true value"),
    (
        "relative_half_width",
        FigureUnit::Share,
        "relative half width",
        "half the width of the 95 % interval as a share of the estimate",
    ),
    ("reached", FigureUnit::Flag, "reached", "whether the precision was reached"),
    ("ended_by", FigureUnit::Word, "ended by", "what ended the run"),
];

pub(super) const PASSES: [Entry; 8] = [
    ("complete", FigureUnit::Count, "complete passes", "passes that were complete"),
    (
        "length_s",
        FigureUnit::Seconds,
        "length of a pass",
        "from the beginning of a pass to its last completion",
    ),
    ("iops", FigureUnit::Iops, "I/Os per second of a pass", "I/Os of a pass over its length"),
    (
        "bytes_per_second",
        FigureUnit::BytesPerSecond,
        "bytes per second of a pass",
        "data of a pass over its length",
    ),
    (
        "first_finished_s",
        FigureUnit::Seconds,
        "first drive finished",
        "from the beginning of a pass until a drive had all its I/Os",
    ),
    (
        "last_finished_s",
        FigureUnit::Seconds,
        "last drive finished",
        "from the beginning of a pass until all drives had all their I/Os",
    ),
    (
        "higher_half_finished_s",
        FigureUnit::Seconds,
        "higher half finished",
        "mean over the drives of the half with the higher priority",
    ),
    (
        "lower_half_finished_s",
        FigureUnit::Seconds,
        "lower half finished",
        "mean over the drives of the half with the lower priority, the one in the middle included",
    ),
];

/// The figures with one value for each drive, in the order of the drives' priority.
pub(super) const PASSES_BY_DRIVE: [Entry; 3] = [
    ("drives", FigureUnit::Word, "drives", "name of the drive"),
    (
        "finished_s",
        FigureUnit::Seconds,
        "drive finished",
        "from the beginning of a pass until the drive had all its I/Os",
    ),
    (
        "drive_bytes_per_second",
        FigureUnit::BytesPerSecond,
        "bytes per second of the drive",
        "its data of a pass over that time",
    ),
];
