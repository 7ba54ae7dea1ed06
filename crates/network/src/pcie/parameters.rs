//! The keys of PCI Express between a host and its NVMe drives.

use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, Flag, NameList, OrUnlimited, Size, Time};
use sansim_schema::{codes, table, words};

/// The components at the links.
const STATIONS: NameList = NameList { example: r#"["host", "drives"]"# };
const PACKET: Size = Size { range: (128, 4096), step: 128 };
const WEIGHT: Count<u32> = Count::<u32>::between(1, 256);

words! {
    /// The generation of a link: its transfers per second on each lane and their line coding.
    pub enum PcieGeneration {
        /// 2.5 GT/s, 8b/10b.
        Gen1 = "gen1",
        /// 5 GT/s, 8b/10b.
        Gen2 = "gen2",
        /// 8 GT/s, 128b/130b.
        Gen3 = "gen3",
        /// 16 GT/s, 128b/130b.
        Gen4 = "gen4",
        /// 32 GT/s, 128b/130b.
        Gen5 = "gen5",
    }
}

impl PcieGeneration {
    /// The bytes per second of a link of this many lanes in each direction, after line coding.
    pub fn bytes_per_second(self, lanes: u32) -> u64 {
        let (mega_transfers, data_bits, coded_bits) = match self {
            Self::Gen1 => (2_500, 8, 10),
            Self::Gen2 => (5_000, 8, 10),
            Self::Gen3 => (8_000, 128, 130),
            Self::Gen4 => (16_000, 128, 130),
            Self::Gen5 => (32_000, 128, 130),
        };
        u64::from(lanes) * mega_transfers * 1_000_000 * data_bits / coded_bits / 8
    }
}

words! {
    /// The queue pair of a command.
    pub enum QueueChoice {
        /// That of its stream: each stream of each workload runs on a core with a queue pair of its own, as far as there are so many.
        Stream = "stream",
        /// That of its slot: the requests of a stream that are outstanding together are spread over the queue pairs.
        Slot = "slot",
        /// That of its priority: the most urgent have the first queue pair, the least urgent the last.
        Priority = "priority",
    }
}

words! {
    /// The order in which a controller fetches commands from submission queues.
    pub enum QueueArbitration {
        /// Each queue in turn.
        RoundRobin = "round-robin",
        /// Queues of class urgent first, then by weights those of class high, medium and low. The classes are those of the queues 0, 1, 2
        /// and 3, and again of the queues behind.
        Weighted = "weighted",
    }
}

table! {
    /// PCI Express between a host and NVMe drives, each of which has a link of its own. Adapters have the protocol `"nvme"`.
    pub struct PcieParameters {
        /// The host, or the back end of a controller, and the drives, by the paths of their adapters.
        stations: Vec<String> = STATIONS, required r#"["host", "drives"]"#, source "";
        /// Generation of the links.
        generation: PcieGeneration = Choice::<PcieGeneration>::ANY, default r#""gen4""#, source "PCI Express Base 4.0";
        /// Lanes of each link.
        lanes: u32 = Count::<u32>::between(1, 16), default "4", source "U.2 and M.2 of NVMe drives";
        /// Most data of a packet (Max_Payload_Size), a power of two.
        max_payload: u64 = PACKET, default r#""256 B""#, source "lspci of a Samsung PM983: MaxPayload 256 bytes";
        /// Most data that one packet asks for (Max_Read_Request_Size), a power of two.
        max_read_request: u64 = PACKET, default r#""512 B""#, source "PCI Express Base 1.0a; lspci of a Samsung PM983: MaxReadReq 512 bytes";
        /// Time from the end of a packet at one end of a link until the other end acts on it: physical layers, switches, the root complex.
        latency: Span = Time::ANY, default r#""0 ns""#, source "ours: links take only the time of their bytes; no value is generally valid";
        /// Time in which the memory of the host answers a read of a controller.
        memory_latency: Span = Time::ANY, default r#""0 ns""#, source "ours: memory answers at once; no value is generally valid";
        /// Pairs of a submission and a completion queue of the host for each drive; each pair has an interrupt vector.
        queues: u32 = Count::<u32>::between(1, 65_535), default "1", source "ours: one core; Linux has a pair for each core";
        /// Entries of a queue; one fewer commands are in it.
        queue_size: u32 = Count::<u32>::between(2, 65_536), default "1024", source "Linux, drivers/nvme/host/pci.c, io_queue_depth";
        /// The queue pair of a command.
        queue_of: QueueChoice = Choice::<QueueChoice>::ANY, default r#""stream""#, source "Linux: the queue pair of the core that submits";
        /// The order in which a controller fetches commands from submission queues.
        arbitration: QueueArbitration = Choice::<QueueArbitration>::ANY, default r#""round-robin""#, source "NVMe, CC.AMS 0";
        /// Commands of a queue that a controller fetches in turn before it turns to another queue.
        arbitration_burst: Option<u64> = OrUnlimited::between(1, 128), default "1", source "NVMe, feature 01h, 2^AB; ours: the least";
        /// Commands of class high in a round of weighted arbitration.
        high_weight: u32 = WEIGHT, default "1", source "NVMe, feature 01h; ours: the least";
        /// Commands of class medium in a round of weighted arbitration.
        medium_weight: u32 = WEIGHT, default "1", source "NVMe, feature 01h; ours: the least";
        /// Commands of class low in a round of weighted arbitration.
        low_weight: u32 = WEIGHT, default "1", source "NVMe, feature 01h; ours: the least";
        /// Most commands that a controller has fetched and not completed; the others wait in their submission queues.
        controller_commands: Option<u64> = OrUnlimited::between(1, 65_536), default r#""unlimited""#, source "ours: a controller fetches each command when it learns of it";
        /// Completions for which a controller sends one interrupt.
        coalescing_threshold: u32 = Count::<u32>::between(1, 256), default "1", source "NVMe, feature 08h: off by default";
        /// Time after the first completion without an interrupt after which a controller interrupts all the same.
        coalescing_time: Span = Time::ANY, default r#""100 us""#, source "NVMe, feature 08h: the unit of its time";
        /// Whether the host polls completion queues, and controllers send no interrupts.
        polled: bool = Flag, default "false", source "Linux, drivers/nvme/host/pci.c: poll_queues=0";
    }
    checks(check_packets)
    idle(of_others)
}

impl PcieParameters {
    /// The bytes per second of a link in each direction, after line coding.
    pub fn link_rate(&self) -> u64 {
        self.generation.bytes_per_second(self.lanes)
    }

    /// Checks that sizes of packets are powers of two.
    fn check_packets(&self, keys: &mut Keys<'_, '_>) {
        for (key, bytes) in [("max_payload", self.max_payload), ("max_read_request", self.max_read_request)] {
            if bytes.is_power_of_two() || !keys.all_readable(&[key]) {
                continue;
            }
            let fault = Diagnostic::new(
                codes::OUT_OF_RANGE,
                keys.value_position(key),
                format!("{bytes} B is no size of packets of PCI Express"),
            )
            .with_label("needs a power of two")
            .with_help("write 128 B, 256 B, 512 B, 1 KiB, 2 KiB or 4 KiB");
            keys.report(key, fault);
        }
    }

    /// Marks keys as unused that apply to other choices.
    fn of_others(&self, idle: &mut IdleKeys) {
        let weights = ["high_weight", "medium_weight", "low_weight"];
        let is_weighted = self.arbitration == QueueArbitration::Weighted;
        idle.mark_idle_unless(
            is_weighted,
            &weights,
            "arbitration has no weights (`arbitration = \"round-robin\"`)",
        );
        idle.mark_idle_unless(!self.polled, &["coalescing_threshold"], "the host polls (`polled = true`)");
        let coalesces = !self.polled && self.coalescing_threshold > 1;
        idle.mark_idle_unless(
            coalesces,
            &["coalescing_time"],
            "each completion has an interrupt, or none has",
        );
        let several = ["queue_of", "arbitration", "arbitration_burst"];
        idle.mark_idle_unless(self.queues > 1, &several, "there is one queue pair (`queues = 1`)");
    }
}
