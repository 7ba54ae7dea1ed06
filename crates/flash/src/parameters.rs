//! The keys of a flash drive.

use crate::allocation::{PageOrder, PageOrders};
use crate::presets::{CellTimes, CellType, FlashPreset};
use crate::victims::VictimChoice;
use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{ByteRate, Choice, Count, Dimensioned, Flag, Percentage, Share, Size, Time};
use sansim_schema::{codes, table, words};

words! {
    /// The joint operations of the planes of a die.
    pub enum PlaneParallelism {
        /// Nothing: a die does one operation, in one of its planes, at a time.
        Single = "single",
        /// The same operation on the same page of their blocks: as ONFI's multi-plane commands.
        MultiPlane = "multi-plane",
        /// Each works by itself.
        Independent = "independent",
    }
}

words! {
    /// The operations that are interrupted for a read.
    pub enum SuspendableOperations {
        /// Nothing.
        Nothing = "nothing",
        /// Erases.
        Erase = "erase",
        /// Erases and programs.
        EraseAndProgram = "erase-and-program",
    }
}

const COUNT: Count<u32> = Count::<u32>::between(1, 4_096);
const BYTES_PER_SECOND: ByteRate = ByteRate { range: (1_000_000, 1_000_000_000_000) };
/// Page times are at most a second, so that sums over all pages of a block do not overflow.
const TIME: Time = Time::between(Span::ZERO, Span::from_s(1));
/// The number of blocks for which there is always enough memory.
const MOST_BLOCKS: u64 = 1 << 24;
const SHARE: Percentage = Percentage { range: (0, 500_000) };

table! {
    /// A flash drive.
    pub struct FlashParameters {
        /// The drive that other keys follow.
        preset: FlashPreset = Choice::<FlashPreset>::ANY, default r#""mqsim""#, source "MQSim, ssdconfig.xml; data sheets";
        /// How many bits a flash cell holds; it says the times of pages and blocks.
        cell: CellType = Choice::<CellType>::ANY, follows "`preset`" |_context| preset.figures().cell, source "general knowledge";
        /// Channels.
        channels: u32 = COUNT, follows "`preset`: 8 for mqsim" |_context| preset.figures().counts[0], source "MQSim, ssdconfig.xml";
        /// Chips of a channel.
        chips: u32 = COUNT, follows "`preset`: 4 for mqsim" |_context| preset.figures().counts[1], source "MQSim, ssdconfig.xml";
        /// Dies of a chip.
        dies: u32 = COUNT, follows "`preset`: 2" |_context| preset.figures().counts[2], source "MQSim, ssdconfig.xml";
        /// Planes of a die.
        planes: u32 = COUNT, follows "`preset`: 2 for mqsim" |_context| preset.figures().counts[3], source "MQSim, ssdconfig.xml";
        /// Blocks of a plane.
        blocks: u32 = Count::<u32>::between(4, 1 << 24), follows "`preset`: 2048 for mqsim" |_context| preset.figures().blocks, source "MQSim, ssdconfig.xml";
        /// Pages of a block.
        pages: u32 = Count::<u32>::between(1, 1 << 16), follows "`preset`: 256 for mqsim" |_context| preset.figures().pages, source "MQSim, ssdconfig.xml";
        /// Size of a page.
        page: u64 = Size { range: (512, 1 << 20), step: 512 }, follows "`preset`: 8 KiB for mqsim" |_context| preset.figures().page, source "MQSim, ssdconfig.xml";
        /// Size of a mapping entry's unit: a page, or a multiple. A smaller write reads the rest first.
        mapping_unit: u64 = Size { range: (512, 1 << 26), step: 512 }, follows "`page`" |_context| page, source "ours: one entry for a page, as page-level mapping has it";
        /// Order in which consecutive pages use channel (C), way (W: the chip), die (D) and plane (P): the first letter changes first.
        page_order: PageOrder = PageOrders, default r#""CWDP""#, source "MQSim, Plane_Allocation_Scheme";
        /// Rate of a channel in bytes per second.
        channel_rate: u64 = BYTES_PER_SECOND, follows "`preset`: 333 MB/s for mqsim" |_context| preset.figures().channel_rate, source "MQSim, Channel_Transfer_Rate, one byte wide";
        /// Time of a command and its address on the channel.
        command_time: Span = TIME, default r#""290 ns""#, source "ONFI NV-DDR2 as in MQSim, a read: tCS 20 + 6 tWC 25 + tWB 100 + tRR 20 ns";
        /// Time in which a page is read.
        read_time: Span = TIME, follows "`cell`, or `preset` if its cells are those: 75 us for mqsim" |_context| Span::from_ns(times(preset, cell).read_ns), source "MQSim, Page_Read_Latency";
        /// Time in which a page is programmed.
        program_time: Span = TIME, follows "`cell`, or `preset` if its cells are those: 750 us for mqsim" |_context| Span::from_ns(times(preset, cell).program_ns), source "MQSim, Page_Program_Latency";
        /// Time in which a block is erased.
        erase_time: Span = TIME, follows "`cell`, or `preset` if its cells are those: 3.8 ms for mqsim" |_context| Span::from_ns(times(preset, cell).erase_ns), source "MQSim, Block_Erase_Latency";
        /// Whether dies of a chip work at a time. Otherwise a chip gets a command only when none of its dies has a command.
        interleaving: bool = Flag, follows "`preset`: false for mqsim, else true" |_context| preset.figures().interleaving, source "MQSim, TSU_Base; ONFI, interleaved die operations";
        /// The joint operations of the planes of a die.
        plane_operations: PlaneParallelism = Choice::<PlaneParallelism>::ANY, follows "`preset`: multi-plane for mqsim, else independent" |_context| if preset.figures().independent_planes { PlaneParallelism::Independent } else { PlaneParallelism::MultiPlane }, source "ONFI, multi-plane commands";
        /// Whether on a channel a die that would begin something goes before one that has data. Commands are short and dies idle without
        /// them; with data first they wait until no data are left.
        commands_first: bool = Flag, follows "`preset`: false for mqsim, else true" |_context| preset.figures().commands_first, source "MQSim, NVM_PHY_ONFI_NVDDR2: data first";
        /// The operations that are interrupted when a read waits for their die.
        suspend: SuspendableOperations = Choice::<SuspendableOperations>::ANY, default r#""erase""#, source "MQSim, CMD_Suspension_Support";
        /// Time that the interruption of a program operation takes. An operation that would end sooner is not interrupted.
        suspend_program_time: Span = TIME, default r#""100 us""#, source "MQSim, Suspend_Program_Time";
        /// Time that the interruption of an erase takes. An operation that would end sooner is not interrupted.
        suspend_erase_time: Span = TIME, default r#""700 us""#, source "MQSim, Suspend_Erase_Time";
        /// Over-provisioning: physical over logical capacity, minus 1.
        over_provisioning: Share = Percentage { range: (1_000, 100_000_000) }, follows "`preset`: 7.5269 % for mqsim, 7 % of the physical capacity" |_context| Share { millionths: preset.figures().spare }, source "MQSim, Overprovisioning_Ratio";
        /// Garbage collection of a plane works while no more than this share of its blocks is free, and at least while one is. Free blocks
        /// have no stale pages, so they are lost for what over-provisioning is good for.
        gc_start: Share = SHARE, follows "`preset`: 5 % for mqsim, else 1 %" |_context| Share { millionths: preset.figures().gc_start }, source "MQSim, GC_Exec_Threshold";
        /// Whether reads and programs of hosts go between the page moves and the erase of a collection, as long as enough blocks are free.
        /// If not, a host waits for the whole of every collection at its die.
        preemptible_gc: bool = Flag, default "true", source "MQSim, Preemptible_GC_Enabled";
        /// While less than this share of the blocks of a plane is free, and at least while none is, hosts wait for the whole of a
        /// collection even if it is preemptible.
        gc_hard_limit: Share = SHARE, default r#""0.5 %""#, source "MQSim, GC_Hard_Threshold";
        /// Hosts get a new block of a plane only while no less than this share of its blocks is free, and at least two are: what they write
        /// waits. If it is not above `gc_hard_limit`, hosts that write as fast as they can bring planes below that limit, and reads wait
        /// for whole collections.
        gc_reserve: Share = SHARE, follows "`preset`: 0.5 % for mqsim, else 1 %" |_context| Share { millionths: preset.figures().gc_reserve }, source "MQSim, 10 blocks of 2048 (Stop_servicing_writes); else chosen, so that collection stays preemptible";
        /// Whether pages that garbage collection copies go to blocks of their own, so that what is rarely written is not mixed with what
        /// often is.
        separate_copies: bool = Flag, default "false", source "ours: the simplest drive";
        /// Size of the buffer in which writes are acknowledged. It holds whole pages. A write larger than that waits until it is empty.
        buffer: Option<u64> = Size::between(512, 1 << 40).or("none"), default r#""256 MiB""#, source "MQSim, Data_Cache_Capacity";
        /// Whether the buffer survives a loss of power: then a flush has nothing to wait for. If not, a flush waits until the writes that
        /// were acknowledged before it are programmed, and a write with forced unit access until it is programmed itself.
        power_loss_protection: bool = Flag, default "true", source "ours: drives for servers have it";
        /// How much of the buffer may wait to be programmed: the dirty limit.
        dirty_limit: Share = Percentage { range: (1, 1_000_000) }, default r#""100 %""#, source "ours: the whole buffer is there for writes";
        /// Time in which the buffer takes or gives data.
        buffer_latency: Span = TIME, follows "`preset`: 1 us" |_context| Span::from_ns(preset.figures().buffer_latency_ns), source "chosen; with a data sheet the sum of it, command_overhead and link_rate is what that says";
        /// Size of the SLC cache: blocks beside `blocks`, in equal parts in each plane, whose cells hold one bit. Hosts write into them first,
        /// and into other blocks while they have no room. Its content is moved to other blocks when a die has nothing else to do.
        slc_cache: Option<u64> = Size::between(512, 1 << 44).or("none"), default r#""none""#, source "ours: drives for servers have none";
        /// Time in which a page of the SLC cache is read.
        slc_read_time: Span = TIME, default r#""25 us""#, source "general knowledge";
        /// Time in which a page of the SLC cache is programmed.
        slc_program_time: Span = TIME, default r#""200 us""#, source "general knowledge";
        /// Time in which a block of the SLC cache is erased.
        slc_erase_time: Span = TIME, default r#""3 ms""#, source "general knowledge";
        /// Time without a command after which the drive begins to empty its SLC cache; a command interrupts that.
        slc_idle_time: Span = TIME, default r#""0 ns""#, source "ours: each die as soon as it has nothing else to do; firmware differs";
        /// Size of the cache of the mapping. Missing entries are read from flash, a page of entries at a time; a changed page is programmed
        /// when it leaves.
        mapping_cache: Option<u64> = Size::between(512, 1 << 40).or("ideal"), default r#""ideal""#, source "MQSim, Ideal_Mapping_Table; 2 MiB in its ssdconfig.xml";
        /// Time of the controller for each command; commands overlap in it.
        command_overhead: Span = TIME, follows "`preset`: 0 for mqsim" |_context| Span::from_ns(preset.figures().overhead_ns), source "data sheets";
        /// Least time between the beginnings of two commands in the controller.
        command_interval: Span = TIME, follows "`preset`: 0 for mqsim" |_context| Span::from_ns(preset.figures().interval_ns), source "data sheets";
        /// Rate of the link to the host in bytes per second, in each direction.
        link_rate: Option<u64> = BYTES_PER_SECOND.or("unlimited"), follows "`preset`: 4 GB/s for mqsim" |_context| Some(preset.figures().link_rate), source "MQSim, 4 lanes of PCI Express of 1 GB/s; data sheets";
    }
    parts {
        /// The block that garbage collection takes next.
        victim: VictimChoice;
    }
    checks(check_sums)
    idle(of_slc_cache)
}

/// The times of pages and blocks.
fn times(preset: FlashPreset, cell: CellType) -> CellTimes {
    let figures = preset.figures();
    if figures.cell == cell { figures.times } else { cell.times() }
}

/// A contradiction between keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyContradiction {
    /// The key to change.
    pub key: &'static str,
    /// The error.
    pub message: String,
    /// The correction.
    pub help: String,
}

impl std::fmt::Display for KeyContradiction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}; {}", self.key, self.message, self.help)
    }
}

impl std::error::Error for KeyContradiction {}

/// A share of the blocks of a plane, rounded up or down to whole blocks.
fn blocks_of(share: Share, blocks: u32, up: bool) -> u32 {
    let product = u64::from(blocks) * share.millionths;
    let whole = if up { product.div_ceil(1_000_000) } else { product / 1_000_000 };
    whole.min(u64::from(blocks)) as u32
}

impl FlashParameters {
    /// The physical mapping units of a plane.
    fn units_of_plane(&self) -> u64 {
        u64::from(self.blocks) * u64::from(self.pages) / (self.mapping_unit / self.page).max(1)
    }

    /// The logical units that belong to a plane.
    pub fn logical_units_per_plane(&self) -> u32 {
        let units = self.units_of_plane() * 1_000_000 / (1_000_000 + self.over_provisioning.millionths);
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    /// The number of planes of the drive.
    fn all_planes(&self) -> u64 {
        [self.channels, self.chips, self.dies, self.planes].into_iter().map(u64::from).product()
    }

    /// The mapping units of a block of the SLC cache, whose cells hold one bit.
    pub fn units_of_slc_block(&self) -> u32 {
        self.pages / (self.mapping_unit / self.page).max(1) as u32 / self.cell.bits()
    }

    /// The blocks of the SLC cache in each plane.
    pub fn slc_blocks_per_plane(&self) -> u32 {
        let block = u64::from(self.units_of_slc_block()).max(1) * self.mapping_unit;
        let blocks = self.slc_cache.map_or(0, |bytes| bytes.div_ceil(self.all_planes()).div_ceil(block));
        u32::try_from(blocks).unwrap_or(u32::MAX)
    }

    /// Marks keys as unused that apply to an SLC cache, if there is none.
    fn of_slc_cache(&self, idle: &mut IdleKeys) {
        let keys = ["slc_read_time", "slc_program_time", "slc_erase_time", "slc_idle_time"];
        idle.mark_idle_unless(
            self.slc_cache.is_some(),
            &keys,
            "there is no SLC cache (`slc_cache = \"none\"`)",
        );
    }

    /// The bytes that hosts see.
    pub fn capacity(&self) -> u64 {
        u64::from(self.logical_units_per_plane()) * self.all_planes() * self.mapping_unit
    }

    /// The number of free blocks of a plane at which garbage collection starts.
    pub fn collection_start_blocks(&self) -> u32 {
        blocks_of(self.gc_start, self.blocks, true).max(self.reserved_blocks())
    }

    /// The number of free blocks of a plane that hosts cannot get: one, with which garbage collection finishes a victim, or more.
    pub fn reserved_blocks(&self) -> u32 {
        (blocks_of(self.gc_reserve, self.blocks, false).max(2) - 1).min(self.blocks)
    }

    /// The number of free blocks of a plane below which garbage collection is not interrupted; without preemptible collection more than
    /// there are.
    pub fn urgent_free_blocks(&self) -> u32 {
        if self.preemptible_gc { blocks_of(self.gc_hard_limit, self.blocks, false).max(1) } else { u32::MAX }
    }

    /// The contradiction between keys, the same that is reported for a scenario.
    pub fn contradiction(&self) -> Option<KeyContradiction> {
        let wrong =
            |key, message: String, help: &str| Some(KeyContradiction { key, message, help: help.to_owned() });
        if self.page == 0 || self.mapping_unit == 0 || !self.mapping_unit.is_multiple_of(self.page) {
            let message = format!("{} B is not a multiple of pages of {} B", self.mapping_unit, self.page);
            return wrong("mapping_unit", message, "leave it out for one page");
        }
        let pages = self.mapping_unit / self.page;
        if !u64::from(self.pages).is_multiple_of(pages) {
            let message = format!("{pages} pages do not go into a block of {}", self.pages);
            return wrong("mapping_unit", message, "give a size that divides a block");
        }
        let planes = self.all_planes();
        let blocks = planes.saturating_mul(u64::from(self.blocks));
        if blocks > MOST_BLOCKS {
            let message = format!("the drive has {blocks} blocks, and at most {MOST_BLOCKS} are built");
            return wrong("blocks", message, "give fewer blocks, or fewer channels, chips, dies or planes");
        }
        if self.units_of_plane().saturating_mul(planes) >= u64::from(u32::MAX) {
            let message = "the drive has more than 2^32 - 2 mapping units".to_owned();
            return wrong("mapping_unit", message, "give a larger one, or fewer blocks");
        }
        if self.slc_cache.is_some() {
            let what_fits = "leave it out, or give cells of several bits, or more pages in a block";
            if self.cell == CellType::Slc {
                return wrong("slc_cache", "all cells of the drive hold one bit".to_owned(), what_fits);
            }
            let of_block = self.units_of_slc_block();
            if of_block == 0 {
                let message = "a block has too few pages for a mapping unit in cells of one bit".to_owned();
                return wrong("slc_cache", message, what_fits);
            }
            let cached = u64::from(self.slc_blocks_per_plane()).saturating_mul(planes);
            let units_of_block = u64::from(self.pages) / pages;
            let units = cached.saturating_add(blocks).saturating_mul(units_of_block);
            if cached.saturating_add(blocks) > MOST_BLOCKS || units >= u64::from(u32::MAX) {
                let message = format!(
                    "the drive has {blocks} blocks and {cached} of the SLC cache, which are too many"
                );
                return wrong("slc_cache", message, "give a smaller SLC cache, or fewer blocks");
            }
        }
        let units_of_block = u64::from(self.pages) / pages;
        let spare = self.units_of_plane() - u64::from(self.logical_units_per_plane());
        let open = 1 + u64::from(self.separate_copies);
        let needed = (u64::from(self.collection_start_blocks()) + open) * units_of_block + 1;
        if spare < needed || self.logical_units_per_plane() == 0 {
            let message = format!(
                "of a plane {spare} mapping units are spare, and garbage collection needs {needed}: {open} open and {} free blocks, and a stale unit",
                self.collection_start_blocks()
            );
            return wrong("over_provisioning", message, "give more, or more blocks, or a lower gc_start");
        }
        None
    }

    fn check_sums(&self, keys: &mut Keys<'_, '_>) {
        let read = [
            "page",
            "mapping_unit",
            "pages",
            "blocks",
            "over_provisioning",
            "gc_start",
            "gc_reserve",
            "channels",
            "cell",
            "slc_cache",
        ];
        if !keys.all_readable(&read) {
            return;
        }
        if let Some(KeyContradiction { key, message, help }) = self.contradiction() {
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(key), message)
                .with_label("does not fit")
                .with_help(help);
            keys.report(key, fault);
        }
    }
}
