//! The keys of the resources of a controller.

use sansim_component::Module;
use sansim_kernel::Span;
use sansim_schema::quantities::{ByteRate, Count, Dimensioned, Time};
use sansim_schema::table;

const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000_000) };

table! {
    /// The cost of a job: so much for each, and so much for each of its bytes.
    #[derive(Copy, Eq)]
    pub struct Cost {
        /// Time for each, however many bytes it is about.
        time: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Bytes that go through in a time, on top of that.
        bandwidth: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "none";
    }
}

table! {
    /// The resources that the modules of a controller share: its processors, the bridge between its I/O buses and its system bus, that bus and the
    /// memory at its end. Each works on one job at a time, the processors on one each, first come first served.
    ///
    /// Data between an adapter and the memory go over the bridge, the system bus and the memory; calculations go over the system bus and the memory;
    /// every job takes a processor by the cost of its module. No published controller gives all of these: without a number of your own a resource
    /// takes no time. Each controller of a pair has all of that; the link is between them.
    #[derive(Copy, Eq)]
    pub struct ResourceParameters {
        /// How many processors there are. Each takes any job.
        processors: u32 = Count::<u32>::between(1, 1_024), default "1", source "Wang 2005, figure 3.3";
        /// How long something is on its way over the link to the other controller, after what `link` takes.
        link_latency: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
    }
    tables {
        /// The link between the two controllers of a pair: one job at a time, in whichever direction.
        link: Cost;
        /// The bridge between the I/O buses and the system bus.
        bridge: Cost;
        /// The system bus.
        system_bus: Cost;
        /// The memory.
        memory: Cost;
        /// A processor takes a command of a host.
        command: Cost;
        /// A processor looks up what is in the cache.
        look_up: Cost;
        /// A processor maps the request to members of an array.
        mapping: Cost;
        /// A processor calculates checks or what was lost. The `xor_bandwidth` of the array comes on top.
        xor: Cost;
        /// A processor hands a command for a drive to an adapter.
        internal_command: Cost;
        /// A processor handles the completion of a drive.
        internal_completion: Cost;
        /// A processor answers a host.
        completion: Cost;
    }
}

impl Cost {
    const FREE: Self = Self { time: Span::ZERO, bandwidth: None };

    /// The time of a job for this many bytes.
    pub fn of(&self, bytes: u64) -> Span {
        let moved = self.bandwidth.map_or(Span::ZERO, |bandwidth| Span::to_move(bytes, bandwidth));
        Span(self.time.ticks() + moved.min(Span::LONGEST).ticks()).min(Span::LONGEST)
    }
}

impl ResourceParameters {
    /// Whether any job needs time at the resources.
    pub fn are_there(&self) -> bool {
        let resources = [self.bridge, self.system_bus, self.memory, self.command, self.look_up, self.mapping];
        let others = [self.link, self.xor, self.internal_command, self.internal_completion, self.completion];
        self.link_latency > Span::ZERO || resources.iter().chain(&others).any(|cost| *cost != Cost::FREE)
    }

    /// The processor cost of a job of a module.
    pub fn of_processor(&self, module: Module) -> Cost {
        match module {
            Module::Command => self.command,
            Module::LookUp => self.look_up,
            Module::Mapping => self.mapping,
            Module::Xor => self.xor,
            Module::InternalCommand => self.internal_command,
            Module::InternalCompletion => self.internal_completion,
            Module::Completion => self.completion,
            // Networks do not use the resources of a controller.
            Module::SetUp
            | Module::SetUpSent
            | Module::Data
            | Module::InternalData
            | Module::Link
            | Module::Network => Cost::FREE,
        }
    }
}
