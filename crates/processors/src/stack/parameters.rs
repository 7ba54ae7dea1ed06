//! The keys of the processors of an appliance, and of the stack of software that they run.

use sansim_component::controller_side::Cluster;
use sansim_component::{ControllerSide, Module};
use sansim_kernel::{Span, TICKS_PER_NS};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{ByteRate, Count, Dimensioned, Percentage, Share, Size, Time};
use sansim_schema::{table, variants};

use crate::OtherLoad;

const COUNT: Count<u32> = Count::<u32>::between(1, 256);
const SPEED: Count<u64> = Count::<u64>::between(1, 100_000);
const CYCLES: Count<u64> = Count::<u64>::between(0, 1_000_000_000);
const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000_000) };

/// A poll lasts at least a cycle, so that it lasts some time at any speed.
const POLL: Count<u64> = Count::<u64>::between(1, 1_000_000_000);
const READS: Size = Size::between(0, 4096);
const SHARE: Percentage = Percentage { range: (0, 1_000_000) };
const PERIOD: Time = Time::between(Span::from_us(1), Span::LONGEST);

table! {
    /// The cost of a stage: a fixed number of cycles, and a number of cycles for each KiB of data.
    #[derive(Copy, Eq)]
    pub struct StageCost {
        /// Cycles of a processor each time.
        cycles: u64 = CYCLES, default "0", source "ours: what is left out takes no time";
        /// Cycles for each KiB of the data, on top of that.
        cycles_per_kib: u64 = CYCLES, default "0", source "ours: what is left out takes no time";
    }
}

table! {
    /// The stages of the software of an appliance, in the order in which a request passes them. No published number says what each costs,
    /// so without one of your own a stage takes no time.
    #[derive(Copy, Eq)]
    pub struct StackParameters {}
    tables {
        /// Taking a command and playing the disk that a host takes it for.
        target_emulation: StageCost;
        /// Finding out whether the host may do what it asks for.
        authentication: StageCost;
        /// Finding out where on which device a block of a virtual volume is; again for each array and each group of volumes inside.
        mapping: StageCost;
        /// Making room for the data of a write and asking a host for them. A poll of its own finds that this has been sent.
        set_up: StageCost;
        /// Copying data of hosts between buffers; with `cycles_per_kib`.
        host_copy: StageCost;
        /// Looking up in the cache and keeping account of it.
        cache: StageCost;
        /// Calculating checks for an array.
        checks: StageCost;
        /// Sending a write to the other node of a pair.
        fault_tolerance: StageCost;
        /// Handing a command to the driver of a device.
        device_io: StageCost;
        /// Copying data of devices into the memory or out of it; with `cycles_per_kib`.
        device_copy: StageCost;
        /// Taking the completion of a device.
        device_completion: StageCost;
        /// Answering a host.
        status: StageCost;
    }
}

table! {
    /// Kernel threads poll the adapters in turn, each on a processor of its own; there are more of them as more polls find something.
    #[derive(Copy, Eq)]
    pub struct PollingStack {
        /// Number of processors of a node; processors without a polling thread do other work.
        count: u32 = COUNT, default "4", source "Friedman, Benchmark environment";
        /// Clock rate of each processor in MHz, which converts the cycles of a stage to time.
        speed_mhz: u64 = SPEED, default "550", source "Friedman, Benchmark environment";
        /// Cycles of a poll: looking whether one adapter has anything. The work that it finds comes on top.
        poll_cycles: u64 = POLL, default "1463", source "Friedman, Processor consumption: 375,000 polls a second at 550 MHz";
        /// Bytes that a poll reads of its adapter over the bus of that: a register has 4. A poll waits for the bus, and its time begins
        /// when it has the bus. With none polls cross no bus.
        poll_reads: u64 = READS, default r#""0 B""#, source "ours: a poll looks at memory, not at the adapter";
        /// Threads that poll from the beginning.
        first_threads: u32 = COUNT, default "1", source "Friedman, SDS software architecture";
        /// Most threads that may poll.
        most_threads: u32 = COUNT, follows "`count`: all but one, and at least one" |_context| (count - 1).max(1), source "Friedman, SDS software architecture";
        /// A further thread begins to poll when at least this share of the polls since the last look found something.
        another_from: Share = SHARE, default r#""50 %""#, source "Friedman, Capacity planning";
        /// The last thread stops when less than this share did. The source has threads come and go with the load, and does not say when
        /// they go.
        fewer_below: Share = SHARE, default r#""0 %""#, source "ours: no thread stops, as the source does not say when one does";
        /// How often it is looked at.
        evaluated_every: Span = PERIOD, default r#""2 s""#, source "Friedman, Capacity planning: every few seconds";
    }
    checks(check_threads)
}

table! {
    /// Adapters interrupt processors.
    #[derive(Copy, Eq)]
    pub struct InterruptStack {
        /// How many processors a node has.
        count: u32 = COUNT, default "4", source "Friedman, Benchmark environment";
        /// Clock rate of each processor in MHz, which converts the cycles of a stage to time.
        speed_mhz: u64 = SPEED, default "550", source "Friedman, Benchmark environment";
        /// Cycles of an interrupt, which brings all that the adapter has by then.
        interrupt_cycles: u64 = CYCLES, default "0", source "ours: what is left out takes no time";
    }
    tables {
        /// Other load on the processors, beside requests.
        other_load: OtherLoad;
    }
}

variants! {
    /// The processors of an appliance, and how they learn that there is something to do.
    #[derive(Copy, Eq)]
    pub enum ApplianceProcessors by "model", default "polling", source "Friedman, SDS software architecture: threads that poll" {
        Polling(PollingStack) = "polling",
        Interrupts(InterruptStack) = "interrupts",
    }
}

table! {
    /// The link between the nodes of a pair or a cluster, one for all of them.
    #[derive(Copy, Eq)]
    pub struct NodeLink {
        /// Time of each message on the link, which carries one message at a time.
        time: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Bytes per second that the link carries; this time is added to the time of a message.
        bandwidth: Option<u64> = RATE.or("unlimited"), default r#""unlimited""#, source "none";
        /// Latency of a message on the link after its transmission.
        latency: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
    }
}

/// All parameters of the processors of an appliance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackProcessorParameters {
    /// The number and speed of the processors, and how they detect work.
    pub model: ApplianceProcessors,
    /// The costs of the software stack.
    pub stack: StackParameters,
    /// The link between two nodes.
    pub link: NodeLink,
    /// The adapters, by the node that contains each.
    pub cards: Vec<ControllerSide>,
    /// The bus of each adapter, by its number among the buses that polls cross.
    pub buses: Vec<Option<usize>>,
    /// For each node the bus that a poll of "the devices" crosses.
    pub device_buses: Vec<Option<usize>>,
    /// The number of nodes, and the rule by which they take over from each other.
    pub cluster: Cluster,
}

impl PollingStack {
    /// Checks that each thread has a processor, and that there are no more threads at first than there may be.
    fn check_threads(&self, keys: &mut Keys<'_, '_>) {
        let pairs = [
            ("most_threads", self.most_threads, "count", self.count),
            ("first_threads", self.first_threads, "most_threads", self.most_threads),
        ];
        for (key, threads, other, most) in pairs {
            if threads > most && keys.all_readable(&[key, other]) {
                let message = format!("{threads} threads are more than `{other}`, which is {most}");
                let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(key), message)
                    .with_label("each needs a processor of its own")
                    .with_help(format!("at most {most}, or a larger {}", keys.full_path(other)));
                keys.report(key, fault);
            }
        }
    }
}

impl ApplianceProcessors {
    /// The number of processors of a node.
    pub fn processor_count(&self) -> u32 {
        match self {
            Self::Polling(polling) => polling.count,
            Self::Interrupts(interrupts) => interrupts.count,
        }
    }

    /// The speed of the processors.
    pub fn clock_rate_mhz(&self) -> u64 {
        match self {
            Self::Polling(polling) => polling.speed_mhz,
            Self::Interrupts(interrupts) => interrupts.speed_mhz,
        }
    }

    /// The time of this many cycles.
    pub fn time_of_cycles(&self, cycles: u64) -> Span {
        let speed_mhz = self.clock_rate_mhz();
        let ticks = u128::from(cycles) * u128::from(TICKS_PER_NS) * 1_000 / u128::from(speed_mhz.max(1));
        Span(u64::try_from(ticks).unwrap_or(u64::MAX)).min(Span::LONGEST)
    }
}

impl StageCost {
    /// The cycles for this many bytes.
    pub fn cycles_for_bytes(&self, bytes: u64) -> u64 {
        let of_data = u128::from(self.cycles_per_kib) * u128::from(bytes) / 1024;
        self.cycles.saturating_add(u64::try_from(of_data).unwrap_or(u64::MAX))
    }
}

/// The stages of the software, in the order of their segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Stage {
    TargetEmulation,
    Authentication,
    Mapping,
    SetUp,
    HostCopy,
    Cache,
    Checks,
    FaultTolerance,
    DeviceIo,
    DeviceCopy,
    DeviceCompletion,
    Status,
}

impl StackParameters {
    /// The stages of the software for a job of a module.
    pub(super) fn stages(module: Module) -> &'static [Stage] {
        match module {
            Module::Command => &[Stage::TargetEmulation, Stage::Authentication, Stage::Mapping],
            Module::SetUp => &[Stage::SetUp],
            Module::SetUpSent | Module::Network => &[],
            Module::Data => &[Stage::HostCopy],
            Module::LookUp => &[Stage::Cache],
            Module::Mapping => &[Stage::Mapping],
            Module::Xor => &[Stage::Checks],
            Module::Link => &[Stage::FaultTolerance],
            Module::InternalCommand => &[Stage::DeviceIo],
            Module::InternalData => &[Stage::DeviceCopy],
            Module::InternalCompletion => &[Stage::DeviceCompletion],
            Module::Completion => &[Stage::Status],
        }
    }

    /// The cost of a stage.
    pub(super) fn cost(&self, stage: Stage) -> StageCost {
        match stage {
            Stage::TargetEmulation => self.target_emulation,
            Stage::Authentication => self.authentication,
            Stage::Mapping => self.mapping,
            Stage::SetUp => self.set_up,
            Stage::HostCopy => self.host_copy,
            Stage::Cache => self.cache,
            Stage::Checks => self.checks,
            Stage::FaultTolerance => self.fault_tolerance,
            Stage::DeviceIo => self.device_io,
            Stage::DeviceCopy => self.device_copy,
            Stage::DeviceCompletion => self.device_completion,
            Stage::Status => self.status,
        }
    }
}

impl NodeLink {
    /// The time of a message of this many bytes on the link.
    pub(super) fn takes(&self, bytes: u64) -> Span {
        let moved = self.bandwidth.map_or(Span::ZERO, |bandwidth| Span::to_move(bytes, bandwidth));
        Span(self.time.ticks().saturating_add(moved.ticks())).min(Span::LONGEST)
    }
}
