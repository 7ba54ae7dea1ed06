//! Presets that keys may follow: MQSim's reference device, and data sheets.
//!
//! A data sheet gives rates and latencies, but not the internal structure. The other keys of a preset are **fitted to** it, one key to one
//! figure, by the calculations below, and are no claim about the real drive:
//!
//! | key | fitted to |
//! |---|---|
//! | `command_interval` | 4 KiB random reads in a second: one over them |
//! | `link_rate` | sequential read rate |
//! | `command_overhead` | latency of a write at depth 1, less link and buffer |
//! | `read_time` | latency of a read at depth 1, less overhead, command, channel and link |
//! | `program_time` | sequential write rate: planes times page over it, less command and channel |
//! | `over_provisioning` | 4 KiB random writes in a second: by [`fifo_write_amplification`](crate::formulas::fifo_write_amplification), with what garbage collection keeps free |
//!
//! Other figures of a sheet (a mix of reads and writes, latencies in the order of addresses) set no key.
//!
//! A page of these presets is the quarter of a page of 16 KiB, which is programmed for 4 KiB of a host; planes work independently.

use sansim_schema::words;

words! {
    /// The drive that the keys of a flash drive follow.
    pub enum FlashPreset {
        /// The reference device of MQSim: 8 x 4 chips, 512 GiB of MLC flash.
        Mqsim = "mqsim" from "MQSim, ssdconfig.xml",
        /// Intel DC P4500 of 1 TB.
        P4500Of1Tb = "intel-p4500-1tb" from "Lenovo, product guide of the Intel P4500, table 2",
        /// Intel DC P4500 of 2 TB.
        P4500Of2Tb = "intel-p4500-2tb" from "Lenovo, product guide of the Intel P4500, table 2",
        /// Intel DC P4500 of 4 TB.
        P4500Of4Tb = "intel-p4500-4tb" from "Lenovo, product guide of the Intel P4500, table 2",
        /// Micron 9200.
        Micron9200 = "micron-9200" from "Micron, data sheet of the 9200, steady state: rates are \"up to\" over a line of capacities",
        /// Intel D7-P5500.
        P5500 = "intel-p5500" from "Intel, announcement of the D7-P5500, June 2020; latencies general knowledge",
        /// Micron 9550 MAX of 3.2 TB.
        Micron9550Of3Tb = "micron-9550-max-3.2tb" from "StorageReview, review of the Micron 9550 MAX, table of specifications",
        /// Micron 9550 MAX of 6.4 TB.
        Micron9550Of6Tb = "micron-9550-max-6.4tb" from "StorageReview, review of the Micron 9550 MAX, table of specifications",
        /// Micron 9550 MAX of 12.8 TB.
        Micron9550Of12Tb = "micron-9550-max-12.8tb" from "StorageReview, review of the Micron 9550 MAX, table of specifications",
        /// Samsung PM983 of 3.84 TB.
        Pm983 = "samsung-pm983-3.84tb" from "Samsung, specification of the PM983, revision 1.0, January 2018; its rates in order are \"up to\" over a line of capacities, from resellers",
        /// Intel D7-P5600.
        P5600 = "intel-p5600" from "Intel, announcement of the D7-P5600, June 2020; latencies general knowledge",
    }
}

words! {
    /// How many bits a flash cell holds; general knowledge of typical times.
    pub enum CellType {
        /// One: reads in 25 us, programs in 200 us.
        Slc = "slc",
        /// Two: reads in 60 us, programs in 750 us.
        Mlc = "mlc",
        /// Three: reads in 60 us, programs in 550 us, all three at once.
        Tlc = "tlc",
        /// Four: reads in 125 us, programs in 2 ms.
        Qlc = "qlc",
    }
}

/// The times of a page and a block in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellTimes {
    /// The time to read a page.
    pub read_ns: u64,
    /// The time to program a page.
    pub program_ns: u64,
    /// The time to erase a block.
    pub erase_ns: u64,
}

impl CellType {
    /// The bits of a cell.
    pub const fn bits(self) -> u32 {
        match self {
            CellType::Slc => 1,
            CellType::Mlc => 2,
            CellType::Tlc => 3,
            CellType::Qlc => 4,
        }
    }

    /// Typical times within the ranges of general knowledge: 25 / 200 us, 50-75 / 600-900 us, 45-80 / 400-700 us and 100-150 / 2000 us,
    /// erase 3 to 10 ms; the values are not from a document.
    pub const fn times(self) -> CellTimes {
        let (read_us, program_us, erase_us) = match self {
            CellType::Slc => (25, 200, 3_000),
            CellType::Mlc => (60, 750, 3_800),
            CellType::Tlc => (60, 550, 5_000),
            CellType::Qlc => (125, 2_000, 10_000),
        };
        CellTimes { read_ns: read_us * 1_000, program_ns: program_us * 1_000, erase_ns: erase_us * 1_000 }
    }
}

/// The values of a preset.
#[derive(Clone, Copy, Debug)]
pub struct FlashPresetValues {
    /// The number of channels, chips of each, dies of each, and planes of each.
    pub counts: [u32; 4],
    /// The blocks of a plane.
    pub blocks: u32,
    /// The pages of a block.
    pub pages: u32,
    /// The bytes of a page.
    pub page: u64,
    /// The bytes per second of a channel.
    pub channel_rate: u64,
    /// The bits of a cell.
    pub cell: CellType,
    /// The times of a page and a block.
    pub times: CellTimes,
    /// Over-provisioning in millionths.
    pub spare: u64,
    /// The free blocks at which garbage collection starts, in millionths of all blocks.
    pub gc_start: u64,
    /// The free blocks below which hosts get none, in millionths of all blocks.
    pub gc_reserve: u64,
    /// Whether the dies of a chip work at the same time.
    pub interleaving: bool,
    /// Whether commands precede data on a channel.
    pub commands_first: bool,
    /// Whether the planes of a die work independently.
    pub independent_planes: bool,
    /// The time of the controller for each command, in nanoseconds.
    pub overhead_ns: u64,
    /// The least time between two commands, in nanoseconds.
    pub interval_ns: u64,
    /// The bytes per second of the link to the host.
    pub link_rate: u64,
    /// The time of the buffer to acknowledge, in nanoseconds.
    pub buffer_latency_ns: u64,
}

/// The values of MQSim's `ssdconfig.xml`. MQSim has 7 % of the physical capacity as spare, which is 7.5269 % of the logical capacity; and a
/// chip gets a command only when none of its dies has one (`TSU_Base`).
const MQSIM: FlashPresetValues = FlashPresetValues {
    counts: [8, 4, 2, 2],
    blocks: 2_048,
    pages: 256,
    page: 8_192,
    channel_rate: 333_000_000,
    cell: CellType::Mlc,
    times: CellTimes { read_ns: 75_000, program_ns: 750_000, erase_ns: 3_800_000 },
    spare: 75_269,
    gc_start: 50_000,
    gc_reserve: 5_000,
    interleaving: false,
    commands_first: false,
    independent_planes: false,
    overhead_ns: 0,
    interval_ns: 0,
    link_rate: 4_000_000_000,
    buffer_latency_ns: 1_000,
};

/// The figures of a data sheet.
#[derive(Clone, Copy, Debug)]
pub struct FlashDataSheet {
    /// The bytes that hosts see.
    pub capacity: u64,
    /// The 4 KiB random reads per second.
    pub reads: u64,
    /// The 4 KiB random writes per second.
    pub writes: u64,
    /// The latency of a 4 KiB read at depth 1.
    pub read_ns: u64,
    /// The latency of a 4 KiB write at depth 1.
    pub write_ns: u64,
    /// The sequential read rate, in bytes per second.
    pub read_rate: u64,
    /// The sequential write rate, in bytes per second.
    pub write_rate: u64,
}

/// Values of all presets with a data sheet: the bytes of a page, the pages of a block, the bytes per second of a channel, the time of a
/// command on the channel, the time of the buffer.
const PAGE: u64 = 4_096;
const PAGES: u32 = 4_096;
const CHANNEL_RATE: u64 = 1_200_000_000;
const COMMAND_NS: u64 = 290;
const BUFFER_NS: u64 = 1_000;

impl FlashDataSheet {
    /// The preset with the figures of a data sheet, with this many channels and chips of each, each with 2 dies of 4 planes. `spare` is the over-provisioning that random writes need, in millionths; garbage collection keeps one block of a hundred free in addition.
    const fn figures(self, channels: u32, chips: u32, spare: u64) -> FlashPresetValues {
        let planes = channels as u64 * chips as u64 * 2 * 4;
        let link_ns = PAGE * 1_000_000_000 / self.read_rate;
        let channel_ns = PAGE * 1_000_000_000 / CHANNEL_RATE;
        let overhead_ns = self.write_ns - BUFFER_NS - link_ns;
        let spare = spare + (1_000_000 + spare) / 100;
        let units = self.capacity / PAGE * (1_000_000 + spare) / 1_000_000;
        FlashPresetValues {
            counts: [channels, chips, 2, 4],
            blocks: units.div_ceil(planes * PAGES as u64) as u32,
            pages: PAGES,
            page: PAGE,
            channel_rate: CHANNEL_RATE,
            cell: CellType::Tlc,
            times: CellTimes {
                read_ns: self.read_ns - overhead_ns - COMMAND_NS - channel_ns - link_ns,
                program_ns: planes * PAGE * 1_000_000_000 / self.write_rate - COMMAND_NS - channel_ns,
                erase_ns: CellType::Tlc.times().erase_ns,
            },
            spare,
            gc_start: 10_000,
            gc_reserve: 10_000,
            interleaving: true,
            commands_first: true,
            independent_planes: true,
            overhead_ns,
            interval_ns: 1_000_000_000 / self.reads,
            link_rate: self.read_rate,
            buffer_latency_ns: BUFFER_NS,
        }
    }
}

impl FlashPreset {
    /// The data sheet of the preset, if it has one: Lenovo, product guide of the Intel P4500, table 2; Micron, data sheet of the 9200,
    /// steady state, whose rates are "up to" over a line of capacities; StorageReview, review of the Micron 9550 MAX; Samsung, specification
    /// of the PM983; Intel, announcement of the D7-P5500 and P5600, June 2020, whose latencies are general knowledge. For a line with several capacities, the data sheet of a middle capacity is used.
    pub const fn data_sheet(self) -> Option<FlashDataSheet> {
        const TB: u64 = 1_000_000_000_000;
        let (capacity, reads, writes, read_us, write_us, read_rate, write_rate) = match self {
            FlashPreset::Mqsim => return None,
            FlashPreset::P4500Of1Tb => (TB, 279_500, 30_500, 85, 20, 3_200, 600),
            FlashPreset::P4500Of2Tb => (2 * TB, 490_000, 38_000, 85, 20, 3_200, 1_050),
            FlashPreset::P4500Of4Tb => (4 * TB, 645_000, 62_500, 115, 20, 3_200, 1_800),
            FlashPreset::Micron9200 => (3_200 * (TB / 1_000), 840_000, 285_000, 92, 21, 3_500, 3_500),
            FlashPreset::Micron9550Of3Tb => {
                (3_200 * (TB / 1_000), 3_000_000, 540_000, 60, 15, 14_000, 10_000)
            }
            FlashPreset::Micron9550Of6Tb => {
                (6_400 * (TB / 1_000), 3_300_000, 640_000, 60, 15, 14_000, 10_000)
            }
            FlashPreset::Micron9550Of12Tb => {
                (12_800 * (TB / 1_000), 3_300_000, 820_000, 60, 15, 14_000, 10_000)
            }
            FlashPreset::Pm983 => (3_840 * (TB / 1_000), 540_000, 50_000, 85, 50, 3_200, 2_100),
            FlashPreset::P5500 => (3_840 * (TB / 1_000), 1_000_000, 130_000, 78, 15, 7_000, 4_300),
            FlashPreset::P5600 => (3_200 * (TB / 1_000), 1_000_000, 260_000, 78, 15, 7_000, 4_300),
        };
        Some(FlashDataSheet {
            capacity,
            reads,
            writes,
            read_ns: read_us * 1_000,
            write_ns: write_us * 1_000,
            read_rate: read_rate * 1_000_000,
            write_rate: write_rate * 1_000_000,
        })
    }

    /// The values of the preset.
    pub const fn figures(self) -> FlashPresetValues {
        // Sixteen channels carry what the fastest drives read in order.
        let (channels, chips, spare) = match self {
            FlashPreset::Mqsim => return MQSIM,
            FlashPreset::P4500Of1Tb => (8, 1, 145_000),
            FlashPreset::P4500Of2Tb => (8, 2, 96_800),
            FlashPreset::P4500Of4Tb => (8, 4, 94_500),
            FlashPreset::Micron9200 => (8, 8, 249_000),
            FlashPreset::Micron9550Of3Tb => (16, 8, 153_500),
            FlashPreset::Micron9550Of6Tb => (16, 8, 180_200),
            FlashPreset::Micron9550Of12Tb => (16, 8, 242_400),
            FlashPreset::Pm983 => (8, 4, 57_700),
            FlashPreset::P5500 => (8, 8, 79_000),
            FlashPreset::P5600 => (8, 8, 174_000),
        };
        match self.data_sheet() {
            Some(sheet) => sheet.figures(channels, chips, spare),
            None => MQSIM,
        }
    }
}
