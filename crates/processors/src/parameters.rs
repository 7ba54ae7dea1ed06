//! The keys of processors.

use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Count, LONGEST, OrUnlimited, Percentage, Share, Time};
use sansim_schema::{codes, table, variants};

/// The range of the number of processors.
const COUNT: Count<u32> = Count::<u32>::between(1, 1_024);

/// The range of the time of a poll, which is above zero.
const POLL: Time = Time { range: (1, LONGEST) };

/// The ranges of slices, so that slices end, and of other load, which leaves a part of every processor.
const SLICE: Time = Time::between(Span(1), Span::from_s(60));
const OTHERS: Percentage = Percentage { range: (0, 950_000) };

table! {
    /// Other load on the processors. On each processor it comes in slices of one length at regular intervals, which begin at a time drawn
    /// at random for each, and has the processor for a whole slice: it is not interrupted, and it interrupts nothing but waits until the
    /// processor is done with its work. So a hypervisor gives a processor to others.
    #[derive(Copy, Eq)]
    pub struct OtherLoad {
        /// Share of the time of each processor that other load takes.
        share: Share = OTHERS, default r#""0 %""#, source "ours: no other load";
        /// Length of a slice.
        slice: Span = SLICE, default r#""1 ms""#, source "ours: some hundred requests long, shorter than the time slices of most operating systems";
    }
    idle(of_no_load)
}

impl OtherLoad {
    /// Marks the key `slice` as unused if there is no other load.
    fn of_no_load(&self, idle: &mut IdleKeys) {
        idle.mark_idle_unless(self.share.millionths > 0, &["slice"], "there is no other load (`share`)");
    }
}

table! {
    /// No processors: the arrival process and the completion process of the driver take one request at a time each.
    #[derive(Copy, Eq)]
    pub struct ProcessParameters {}
}

table! {
    /// Processors that are interrupted when there are completions.
    #[derive(Copy, Eq)]
    pub struct InterruptParameters {
        /// How many processors there are. Each takes any work.
        count: u32 = COUNT, default "1", source "ours: one, unless the file says otherwise";
        /// Time of a processor for each interrupt, beside that for the completions which it brings.
        interrupt_time: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Number of completions at which an adapter interrupts a processor, even if `coalescing_time` is not over.
        coalesced_completions: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "Mogul and Ramakrishnan, ACM TOCS 15(3), 1997; Linux, ethtool(8), rx-frames";
        /// Time after which an adapter with a completion interrupts a processor. With zero each completion interrupts.
        coalescing_time: Span = Time::ANY, default r#""0 ns""#, source "Linux, ethtool(8), rx-usecs";
    }
    tables {
        /// Other load on the processors, beside the requests.
        other_load: OtherLoad;
    }
    checks(check_coalescing)
}

table! {
    /// Processors on which threads poll: they look again and again whether there is anything to do, and never sleep.
    #[derive(Copy, Eq)]
    pub struct PollingParameters {
        /// Number of processors of the host; processors without a polling thread do other work.
        count: u32 = COUNT, default "1", source "ours: one, unless the file says otherwise";
        /// How many threads poll, each on a processor of its own.
        threads: u32 = COUNT, follows "`count`: all but one, and at least one" |_context| (count - 1).max(1), source "Friedman, Processor consumption";
        /// Time of a poll, whether or not the poll finds work. A successful poll finds one submission or completion; the time of that work
        /// is added.
        poll_time: Span = POLL, required r#""2.66 us""#, source "Friedman, Processor consumption: 375,000 polls a second";
    }
    checks(check_threads)
}

variants! {
    /// The processors of a host, and how they learn of completions. Each processor does the work of `driver.arrival_time` and
    /// `driver.completion_time` for one request at a time.
    #[derive(Copy, Eq)]
    pub enum ProcessorParameters by "model", default "processes", source "ours: the driver of Wang 2005, 4.3.3, which has two processes and no processors" {
        Processes(ProcessParameters) = "processes",
        Interrupts(InterruptParameters) = "interrupts",
        Polling(PollingParameters) = "polling",
    }
}

impl ProcessorParameters {
    /// Whether the host has processors that work is sent to.
    pub fn has_processors(&self) -> bool {
        !matches!(self, Self::Processes(_))
    }
}

impl InterruptParameters {
    /// A processor whose interrupts cost nothing.
    pub const FREE: Self = Self {
        count: 1,
        interrupt_time: Span::ZERO,
        coalesced_completions: None,
        coalescing_time: Span::ZERO,
        other_load: OtherLoad { share: Share { millionths: 0 }, slice: Span::from_ms(1) },
    };

    /// Checks coalescing: without a time the first completion interrupts, so there is nothing to count.
    fn check_coalescing(&self, keys: &mut Keys<'_, '_>) {
        let counts = self.coalesced_completions.is_some_and(|count| count > 1);
        if !counts
            || self.coalescing_time > Span::ZERO
            || !keys.all_readable(&["coalesced_completions", "coalescing_time"])
        {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("coalesced_completions"),
            "each completion interrupts at once, so there are never several",
        )
        .with_label("never reached")
        .with_help(format!(
            "say how long the first may wait for others: {} = \"50 us\"",
            keys.full_path("coalescing_time")
        ));
        keys.report("coalesced_completions", fault);
    }
}

impl PollingParameters {
    /// Checks that each thread has a processor.
    fn check_threads(&self, keys: &mut Keys<'_, '_>) {
        if self.threads <= self.count || !keys.all_readable(&["threads", "count"]) {
            return;
        }
        let message =
            format!("{} threads poll all the time, but there are not so many processors", self.threads);
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("threads"), message)
            .with_label("each needs a processor of its own")
            .with_help(format!("at most {}, or a larger {}", self.count, keys.full_path("count")));
        keys.report("threads", fault);
    }
}
