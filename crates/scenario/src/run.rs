//! The settings of a run: its length, its warm-up and its measured interval.

use sansim_kernel::{Span, TICKS_PER_NS};
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{
    Choice, Count, Dimensioned, LONGEST, Percentage, Share, Time, read_time, schema_pattern, write_time,
};
use sansim_schema::quantity::{Quantity, quoted, shown_in_message};
use sansim_schema::suggest::nearest;
use sansim_schema::tree::{Value, ValueNode};
use sansim_schema::units::Dimension;
use sansim_schema::{Json, codes, json, table, words};

/// The range of durations: a nanosecond to a day.
const DURATION: Time = Time { range: (TICKS_PER_NS, 24 * LONGEST) };

/// The range of precisions, in millionths: 0.01 % to 50 %.
const PRECISION: Percentage = Percentage { range: (100, 500_000) };

/// The I/Os at the beginning and the end of a run that are left out of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// The point of truncation is found by the MSER-5 rule; nothing is left out at the end.
    Auto,
    /// This many I/Os for each slot (drives times queue depth), at the beginning and again at the end.
    IosPerSlot(u64),
    /// The I/Os that complete before this simulated time.
    Until(Span),
}

/// The accesses that run through the system without time before simulated time begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionalWarmUp {
    /// No functional warm-up.
    None,
    /// This many I/Os.
    Ios(u64),
    /// I/Os until the hit ratios of all caches have settled.
    Settled,
}

words! {
    /// The figure whose precision decides how long a run goes on.
    pub enum PrecisionFigure {
        /// The mean response time of all I/Os.
        ResponseTime = "response-time",
        /// I/Os per second.
        Iops = "iops",
        /// Bytes per second.
        BytesPerSecond = "bytes-per-second",
        /// The median of the response times.
        P50 = "p50",
        /// 90th percentile of the response times.
        P90 = "p90",
        /// 99th percentile of the response times.
        P99 = "p99",
        /// 99.9th percentile of the response times.
        P99_9 = "p99.9",
    }
}

table! {
    /// How long the simulation runs and what is measured.
    #[derive(Copy, Eq)]
    pub struct RunSettings {
        /// Seed of all random streams. The same scenario with the same seed gives the same result to the last bit.
        seed: u64 = Count::<u64>::between(0, i64::MAX as u64), default "1", source "ours: any number";
        /// The simulated length of the measured interval, in place of `measured_ios`: with a `warm_up` that is a time, too, exactly
        /// what completes from the one to the sum of both is measured.
        duration: Option<Span> = DURATION.or("none"), default r#""none""#, source "none";
        /// How many I/Os are measured; with `precision` the least. `"none"` if `duration` says how long the run is; `"all"` if every
        /// workload comes to an end by itself, as a trace does, and all of it is measured.
        measured_ios: Option<u64> = MeasuredIos, follows "8000, or `\"none\"` with `duration`" |_context| if duration.is_some() { None } else { Some(8000) },
            source "ours: enough for an interval of a few percent in most systems";
        /// The number of I/Os that results leave out at the beginning of the run, and again at its end, for each outstanding I/O (drives
        /// times queue depth). As a time: the simulated time at which the measured interval begins. With `"auto"` the beginning is cut
        /// where the MSER-5 rule puts the end of the transient.
        warm_up: WarmUp = WarmUpRule, follows "`measured_ios`: 10, or 0 with `\"all\"`" |_context| WarmUp::IosPerSlot(if measured_ios == Some(ALL_IOS) { 0 } else { 10 }),
            source "Wang 2005, 6.2.2";
        /// Before simulated time begins, so many I/Os of the workloads are run through the system without time, each workload in turn, so
        /// that caches are not empty when it begins; with `"settled"` until the hit ratios of all caches have settled. The measured run
        /// continues after these I/Os.
        functional_warm_up: FunctionalWarmUp = FunctionalWarmUpRule, default r#""none""#, source "none";
        /// Goes on until the 95 % interval of the figure `precision_of` is so narrow that the figure is within this share of its true
        /// value. The precision is checked after `measured_ios` I/Os, and then each time that half as many more have been measured.
        precision: Option<Share> = PRECISION.or("off"), default r#""off""#, source "Law, Simulation Modeling and Analysis, 9.4.1; Heidelberger and Welch 1983";
        /// The figure that has to be precise.
        precision_of: PrecisionFigure = Choice::<PrecisionFigure>::ANY, default r#""response-time""#, source "ours: what most ask first";
        /// With `precision`: the most I/Os that are measured, whether or not the precision is reached.
        most_ios: u64 = Count::<u64>::between(1, 1_000_000_000), follows "100 times `measured_ios`, at most 1000000000" |_context| measured_ios.unwrap_or(8000).saturating_mul(100).min(1_000_000_000),
            source "ours: ten times as precise as the least number is";
    }
    checks(check_length)
    idle(without_precision)
    removed(
        "cross_check" since "2026-11-29": "every loop is simulated to the word, so there is no error to measure: leave it out"
    )
}

/// The length of the measured interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunLength {
    /// This many I/Os: the interval ends with the completion of the last of them.
    Ios(u64),
    /// The I/Os that complete within this simulated time.
    For(Span),
    /// All I/Os of the workloads, until these are at their end.
    All,
}

/// The value of `measured_ios` for `"all"`.
pub const ALL_IOS: u64 = u64::MAX;

impl RunSettings {
    /// Marks keys as unused that apply only to a run that continues until it is precise.
    fn without_precision(&self, idle: &mut IdleKeys) {
        let why = "the run does not go on until something is precise (`precision`)";
        idle.mark_idle_unless(self.precision.is_some(), &["precision_of", "most_ios"], why);
    }

    /// The length of the measured interval; with a precision, its least length.
    pub fn measured_length(&self) -> RunLength {
        match (self.duration, self.measured_ios) {
            (Some(duration), _) => RunLength::For(duration),
            (None, Some(ALL_IOS)) => RunLength::All,
            (None, ios) => RunLength::Ios(ios.unwrap_or(1)),
        }
    }

    /// The instant at which the run is over, if its end is given by times.
    pub fn end_time(&self) -> Option<Span> {
        match (self.duration, self.warm_up) {
            (Some(duration), WarmUp::Until(begins)) => Some(begins + duration),
            _ => None,
        }
    }

    /// Checks that a run has one length: a number of I/Os, a time, or, with a precision, as many I/Os as it needs.
    fn check_length(&self, keys: &mut Keys<'_, '_>) {
        let [duration, ios, precision, most, warm_up] =
            ["duration", "measured_ios", "precision", "most_ios", "warm_up"];
        if !keys.all_readable(&[duration, ios, precision, most, warm_up]) {
            return;
        }
        let contradiction = |keys: &Keys<'_, '_>, key: &str, message: String| {
            Diagnostic::new(codes::CONTRADICTION, keys.value_position(key), message)
        };
        let given_time = keys.written_position(duration).map(|place| (place, "the given time"));
        match (self.duration, self.measured_ios) {
            (Some(_), Some(ios_given)) => {
                let message = format!("the run is to last a given time and to measure {ios_given} I/Os");
                let fault = contradiction(keys, duration, message)
                    .with_label("one of the two says how long it is")
                    .with_help("leave one of them out, or set it to \"none\"");
                let related = keys.written_position(ios).map(|place| (place, "the number of I/Os"));
                keys.report_with(duration, fault, related);
            }
            (None, None) => {
                let fault = contradiction(keys, ios, "the run has no length".to_owned())
                    .with_label("no number of I/Os, and no duration")
                    .with_help("add duration = \"1 s\", or leave measured_ios out for 8000");
                keys.report(ios, fault);
            }
            _ => {}
        }
        if self.measured_length() == RunLength::All && self.precision.is_some() {
            let message = "the run is to measure all there is and to last until it is precise".to_owned();
            let fault = contradiction(keys, precision, message)
                .with_label("a run with a precision is as long as it takes")
                .with_help("set measured_ios to the least number of I/Os, or precision to \"off\"");
            keys.report(precision, fault);
            return;
        }
        if self.duration.is_some() && self.precision.is_some() {
            let message = "the run is to last a given time and until it is precise".to_owned();
            let fault = contradiction(keys, precision, message)
                .with_label("a run with a precision is as long as it takes")
                .with_help("leave out `duration` (measured_ios and most_ios bound the run), or set precision to \"off\"");
            keys.report_with(precision, fault, given_time);
        }
        if self.duration.is_some() && self.warm_up == WarmUp::Auto {
            let message = "where an automatic warm-up ends is known only after the run".to_owned();
            let fault = contradiction(keys, warm_up, message)
                .with_label("the measured interval could not last a given time")
                .with_help("set warm_up to a time, such as \"20 ms\", or to a number of I/Os per slot; or measured_ios instead of duration");
            keys.report_with(warm_up, fault, given_time);
        }
        let (Some(_), Some(least)) = (self.precision, self.measured_ios) else { return };
        if self.most_ios >= least {
            return;
        }
        let message = format!("at most {} I/Os, but {least} are measured at least", self.most_ios);
        let fault = contradiction(keys, most, message)
            .with_label(format!("must be at least measured_ios, which is {least}"));
        let related = keys.written_position(ios).map(|place| (place, "the least"));
        let help = related
            .is_none()
            .then(|| format!("set measured_ios to {} or less; {least} is its default", self.most_ios));
        keys.report_with(most, fault.with_help_if_given(help), related);
    }
}

/// The I/Os that are left out of the measurement: a number, a time, or a rule.
pub struct WarmUpRule;

impl WarmUpRule {
    const COUNT: Count<u64> = Count::between(0, 1_000_000_000);

    /// The range of the time: up to a day.
    const RANGE: (u64, u64) = (0, 24 * LONGEST);
}

impl Quantity for WarmUpRule {
    type Value = WarmUp;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<WarmUp, Vec<Diagnostic>> {
        match &node.value {
            Value::Text(text) if text.trim() == "auto" => Ok(WarmUp::Auto),
            Value::Text(text) if !text.trim().starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                Err(vec![
                    Diagnostic::new(
                        codes::UNKNOWN_WORD,
                        node.place,
                        format!("{} is not known here", shown_in_message(text)),
                    )
                    .with_label("needs a whole number, a time, such as \"20 ms\", or \"auto\"")
                    .with_help_if_given(
                        nearest(text, ["auto"]).map(|near| format!("did you mean \"{near}\"?")),
                    ),
                ])
            }
            Value::Text(text) if text.trim().parse::<u64>().is_err() => {
                read_time(node, "a whole number, or \"auto\"", WarmUpRule::RANGE)
                    .map(WarmUp::Until)
                    .map_err(|fault| vec![fault])
            }
            _ => WarmUpRule::COUNT
                .read_number(node, ", a time, or \"auto\",")
                .map(WarmUp::IosPerSlot)
                .map_err(|fault| vec![fault]),
        }
    }

    fn write(&self, value: &WarmUp, _: &Facts) -> String {
        match value {
            WarmUp::Auto => quoted("auto"),
            WarmUp::IosPerSlot(count) => count.to_string(),
            WarmUp::Until(span) => quoted(&write_time(span.ticks())),
        }
    }

    fn placeholder(&self) -> WarmUp {
        WarmUp::Auto
    }

    fn describe(&self) -> String {
        format!(
            "`\"auto\"`, a whole number, 0 to 1000000000, or a time, up to {}",
            write_time(WarmUpRule::RANGE.1)
        )
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [WarmUpRule::COUNT.schema(), schema_pattern(&[Dimension::Time], &["auto"])] })
    }
}

/// The functional warm-up: none, a number of I/Os, or a rule.
pub struct FunctionalWarmUpRule;

impl FunctionalWarmUpRule {
    const COUNT: Count<u64> = Count::between(1, 1_000_000_000_000);
}

impl Quantity for FunctionalWarmUpRule {
    type Value = FunctionalWarmUp;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<FunctionalWarmUp, Vec<Diagnostic>> {
        match node.text().map(str::trim) {
            Some("none") => return Ok(FunctionalWarmUp::None),
            Some("settled") => return Ok(FunctionalWarmUp::Settled),
            _ => {}
        }
        let count = Self::COUNT.read_number(node, ", \"none\" or \"settled\"");
        count.map(FunctionalWarmUp::Ios).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &FunctionalWarmUp, _: &Facts) -> String {
        match *value {
            FunctionalWarmUp::None => quoted("none"),
            FunctionalWarmUp::Settled => quoted("settled"),
            FunctionalWarmUp::Ios(count) => count.to_string(),
        }
    }

    fn placeholder(&self) -> FunctionalWarmUp {
        FunctionalWarmUp::None
    }

    fn describe(&self) -> String {
        format!("`\"none\"`, `\"settled\"` or a {}", Self::COUNT.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "enum": ["none", "settled"] }, Self::COUNT.schema()] })
    }
}

/// The number of I/Os to measure, or a word instead of a number.
pub struct MeasuredIos;

impl MeasuredIos {
    const COUNT: Count<u64> = Count::between(1, 1_000_000_000);
}

impl Quantity for MeasuredIos {
    type Value = Option<u64>;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Option<u64>, Vec<Diagnostic>> {
        match node.text().map(str::trim) {
            Some("none") => return Ok(None),
            Some("all") => return Ok(Some(ALL_IOS)),
            _ => {}
        }
        MeasuredIos::COUNT.read_number(node, "").map(Some).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Option<u64>, _: &Facts) -> String {
        match *value {
            None => quoted("none"),
            Some(ALL_IOS) => quoted("all"),
            Some(count) => count.to_string(),
        }
    }

    fn placeholder(&self) -> Option<u64> {
        Some(1)
    }

    fn describe(&self) -> String {
        format!("`\"none\"`, `\"all\"` or a {}", MeasuredIos::COUNT.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "enum": ["none", "all"] }, MeasuredIos::COUNT.schema()] })
    }
}
