//! The keys of the resources of a controller.

use sansim_component::Module;
use sansim_kernel::{Distribution, RandomStream, Span};
use sansim_schema::quantities::{ByteRate, Choice, Count, Dimensioned, Time, TimeOrDistribution};
use sansim_schema::table;

use super::queues::ProcessorQueues;

const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000_000) };

table! {
    /// The cost of a job: a fixed time, and a time for each of its bytes.
    pub struct JobCost {
        /// Time for each, however many bytes it is about. With a distribution it is drawn for each job.
        time: Distribution = TimeOrDistribution::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Bytes per second that the job moves; this time is added to the fixed time.
        bandwidth: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "none";
    }
}

table! {
    /// The resources that the modules of a controller share: its processors, the bridge between its I/O buses and its system bus, that bus
    /// and the memory at its end. Each works on one job at a time, the processors on one each, first come first served.
    ///
    /// Data between an adapter and the memory go over the bridge, the system bus and the memory; calculations go over the system bus and
    /// the memory; every job takes a processor by the cost of its module. No published controller gives all of these: without a number of
    /// your own a resource takes no time. Each controller of a pair has all of that; the link is between them.
    pub struct ResourceParameters {
        /// How many processors there are.
        processors: u32 = Count::<u32>::between(1, 1_024), default "1", source "Wang 2005, figure 3.3";
        /// How jobs wait for the processors: in one queue, or in a queue of each processor, to which a rule deals them out.
        processor_queues: ProcessorQueues = Choice::<ProcessorQueues>::ANY, default r#""shared""#, source "ours: each processor takes any job";
        /// Latency of a message on the link to the other controller, in addition to the time that `link` gives.
        link_latency: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
    }
    tables {
        /// The link between the two controllers of a pair: one job at a time, in whichever direction.
        link: JobCost;
        /// The bridge between the I/O buses and the system bus.
        bridge: JobCost;
        /// The system bus.
        system_bus: JobCost;
        /// The memory.
        memory: JobCost;
        /// A processor takes a command of a host.
        command: JobCost;
        /// A processor looks up what is in the cache.
        look_up: JobCost;
        /// A processor maps the request to members of an array.
        mapping: JobCost;
        /// A processor calculates checks or what was lost. The `xor_bandwidth` of the array comes on top.
        xor: JobCost;
        /// A processor hands a command for a drive to an adapter.
        internal_command: JobCost;
        /// A processor handles the completion of a drive.
        internal_completion: JobCost;
        /// A processor answers a host.
        completion: JobCost;
    }
}

impl JobCost {
    const FREE: Self = Self { time: Distribution::Fixed(Span::ZERO), bandwidth: None };

    /// The time of a job about so many bytes, drawn if it has a distribution.
    pub fn draw_job_time(&self, bytes: u64, random: &mut RandomStream) -> Span {
        Span(self.time.draw(random).ticks() + self.moved(bytes).ticks()).min(Span::LONGEST)
    }

    /// The mean of the time of a job about so many bytes, and its variance: in ns and ns^2.
    pub fn mean_and_variance_ns(&self, bytes: u64) -> (f64, f64) {
        (self.time.mean_ns() + self.moved(bytes).as_ns_f64(), self.time.variance_ns2())
    }

    /// The time in which so many bytes go through.
    fn moved(&self, bytes: u64) -> Span {
        self.bandwidth.map_or(Span::ZERO, |bandwidth| Span::to_move(bytes, bandwidth)).min(Span::LONGEST)
    }
}

impl ResourceParameters {
    /// Whether any job needs time at the resources.
    pub fn any_job_takes_time(&self) -> bool {
        let data = [&self.link, &self.bridge, &self.system_bus, &self.memory];
        let commands = [&self.command, &self.look_up, &self.mapping, &self.xor];
        let others = [&self.internal_command, &self.internal_completion, &self.completion];
        let mut all = data.into_iter().chain(commands).chain(others);
        self.link_latency > Span::ZERO || all.any(|cost| *cost != JobCost::FREE)
    }

    /// The processor cost of a job of a module.
    pub fn processor_cost(&self, module: Module) -> &JobCost {
        match module {
            Module::Command => &self.command,
            Module::LookUp => &self.look_up,
            Module::Mapping => &self.mapping,
            Module::Xor => &self.xor,
            Module::InternalCommand => &self.internal_command,
            Module::InternalCompletion => &self.internal_completion,
            Module::Completion => &self.completion,
            // Networks do not ask the resources of a controller for anything.
            Module::SetUp
            | Module::SetUpSent
            | Module::Data
            | Module::InternalData
            | Module::Link
            | Module::Network => &JobCost::FREE,
        }
    }
}
