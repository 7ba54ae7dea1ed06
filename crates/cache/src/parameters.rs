//! The keys of a cache.

use crate::admission::AdmissionPolicy;
use crate::content::CacheContent;
use crate::destage::{DestageOrder, DestagePace};
use crate::read_ahead::ReadAheadPolicy;
use crate::replacement::ReplacementPolicy;
use crate::slots::ListEnd;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Dimensioned, Flag, OrUnlimited, Percentage, Share, Size};
use sansim_schema::{codes, table, words};

words! {
    /// When a write is done.
    pub enum WriteMode {
        /// When the device has it.
        Through = "through",
        /// When it is in the cache.
        Back = "back",
    }
}

words! {
    /// The treatment of a write that finds no room.
    pub enum WhenFull {
        /// It goes through to the device.
        Through = "through",
        /// It waits until there is room.
        Wait = "wait",
    }
}

words! {
    /// The moment at which a mirrored write is acknowledged.
    pub enum Mirroring {
        /// When the partner has it.
        Synchronous = "synchronous",
        /// At once, as long as the partner lags behind by no more than `lag_writes` and `lag_bytes`.
        Asynchronous = "asynchronous",
    }
}

words! {
    /// The position in the replacement order of blocks that have been destaged.
    pub enum Destaged {
        /// As though they had been used just then.
        Young = "young",
        /// They go next: cache memory is for what is read.
        Old = "old",
    }
}

impl Destaged {
    /// The end of the list of a replacement policy that the word means.
    pub fn list_end(self) -> ListEnd {
        match self {
            Self::Young => ListEnd::Young,
            Self::Old => ListEnd::Old,
        }
    }
}

table! {
    /// The write side of a cache.
    pub struct WriteParameters {
        /// When a write is done. A write-back cache writes through while its battery or its partner is missing.
        mode: WriteMode = Choice::<WriteMode>::ANY, default r#""back""#, source "ours: most arrays are set up so";
        /// How much of the cache may be dirty.
        dirty_limit: Share = Percentage { range: (1, 1_000_000) }, default r#""100 %""#, source "ours: nothing of the cache is kept for reads";
        /// The treatment of a write when the number of dirty blocks is at its limit. A write that is larger than all that may be dirty is
        /// written through.
        when_full: WhenFull = Choice::<WhenFull>::ANY, default r#""through""#, source "ours: a write that can go to the device itself need not wait for a destage";
        /// Whether completely written blocks enter the cache when they are written through. If `false`, only blocks that are in the cache
        /// already are kept up to date.
        allocate: bool = Flag, default "true", source "ours: what was written is often read next";
        /// Whether a partner has a copy of the dirty blocks, so that they survive a failure of this cache.
        mirrored: bool = Flag, default "false", source "ours: a cache by itself has no partner";
        /// With `mirrored`: whether a write is answered before the partner has its copy. Copies arrive in the order of the writes, and what
        /// the partner does not have is not destaged: one that takes over goes on from a state that there was, without the last of the
        /// writes.
        mirroring: Mirroring = Choice::<Mirroring>::ANY, default r#""synchronous""#, source "Friedman, SDS software architecture: mirroring of both sorts";
        /// With `mirroring = "asynchronous"`: most answered writes of which the partner may lack the copy. A further write is answered when
        /// earlier copies, or its own copy, have arrived at the partner.
        lag_writes: Option<u64> = OrUnlimited::between(0, 1_000_000_000), default r#""unlimited""#, source "none";
        /// With `mirroring = "asynchronous"`: most bytes of answered writes of which the partner may lack the copy. The partner may never
        /// lack more bytes than may be dirty.
        lag_bytes: Option<u64> = Size { range: (0, 1 << 50), step: 512 }.or("unlimited"), default r#""unlimited""#, source "none";
        /// Whether what is dirty outlives the loss of power.
        battery: bool = Flag, default "false", source "ours: nothing outlives a loss of power unless it is said";
        /// Whether all dirty blocks are destaged at once when the battery or the partner fails.
        flush_on_failure: bool = Flag, default "true", source "ours: what could be lost is written as soon as it could";
        /// Size of a stripe: its dirty blocks are destaged together. Stripes begin at multiples of it.
        stripe_size: u64 = Size { range: (512, 1 << 30), step: 512 }, default r#""64 KiB""#, source "ours: the default of `stripe_unit` of an array";
        /// Where blocks stand in the order of the replacement policy once they have been destaged.
        destaged: Destaged = Choice::<Destaged>::ANY, default r#""young""#, source "ours: a destage says nothing of who will read it";
    }
    tables {
        /// When dirty blocks are destaged.
        destage: DestagePace;
        /// The order in which dirty blocks are destaged.
        order: DestageOrder;
    }
    idle(of_other_modes)
    renamed("stripe" to "stripe_size")
}

table! {
    /// A cache of blocks.
    pub struct CacheParameters {
        /// How much it holds.
        capacity: u64 = Size { range: (512, 1 << 50), step: 512 }, required r#""1 GiB""#, source "";
        /// Size of a block, the unit that is fetched and evicted.
        block: u64 = Size { range: (512, 1 << 26), step: 512 }, default r#""4 KiB""#, source "ours: a page of most operating systems";
    }
    tables {
        /// The policy that chooses the block to evict when there is no room.
        replacement: ReplacementPolicy;
        /// The blocks that come into the cache when they were missing. Blocks of a write that is answered from the cache come in whatever the
        /// policy, and so do blocks that are fetched ahead.
        admission: AdmissionPolicy;
        /// The blocks that are fetched before they are read.
        read_ahead: ReadAheadPolicy;
        /// The write side.
        write: WriteParameters;
    }
    checks(check_capacity, check_stripe)
}

impl WriteParameters {
    /// Marks keys as unused that apply only to a cache that writes back, or to a cache with a partner.
    fn of_other_modes(&self, idle: &mut IdleKeys) {
        let back = [
            "dirty_limit",
            "when_full",
            "mirrored",
            "battery",
            "flush_on_failure",
            "stripe_size",
            "destaged",
        ];
        let writes_back = self.mode == WriteMode::Back;
        idle.mark_idle_unless(writes_back, &back, "nothing in the cache is dirty (`mode = \"through\"`)");
        idle.mark_idle_unless(
            writes_back,
            &["destage", "order"],
            "nothing is destaged (`mode = \"through\"`)",
        );
        idle.mark_idle_unless(self.mirrored, &["mirroring"], "there is no partner (`mirrored`)");
        let why = "no write is answered before the partner has it (`mirroring = \"asynchronous\"`)";
        idle.mark_idle_unless(self.is_asynchronous(), &["lag_writes", "lag_bytes"], why);
    }

    /// Whether writes are acknowledged before the partner has them.
    pub fn is_asynchronous(&self) -> bool {
        self.mirrored && self.mirroring == Mirroring::Asynchronous
    }
}

impl CacheParameters {
    /// Whether a rule of the user decides anything in the cache.
    pub fn has_own_rules(&self) -> bool {
        self.replacement.is_own()
            || self.admission.is_own()
            || self.read_ahead.is_own()
            || self.write.order.is_own()
    }

    /// The number of blocks that the cache holds.
    pub fn blocks(&self) -> u32 {
        (self.capacity / self.block).clamp(1, u64::from(CacheContent::MOST)) as u32
    }

    fn check_capacity(&self, keys: &mut Keys<'_, '_>) {
        let blocks = self.capacity / self.block;
        if (1..=u64::from(CacheContent::MOST)).contains(&blocks) || !keys.all_readable(&["capacity", "block"])
        {
            return;
        }
        let message =
            format!("a cache of {} B in blocks of {} B has {blocks} blocks", self.capacity, self.block);
        let help = if blocks == 0 { "smaller" } else { "larger" };
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, keys.value_position("capacity"), message)
            .with_label(format!("must have between 1 and {} blocks", CacheContent::MOST))
            .with_help(format!("give a {help} {}", keys.full_path("block")));
        let block = keys.written_position("block").map(|place| (place, "the size of a block"));
        keys.report_with("capacity", fault, block);
    }

    fn check_stripe(&self, keys: &mut Keys<'_, '_>) {
        let stripe = self.write.stripe_size;
        let within = keys.keys_of_inner_table("write");
        let sound = within.all_readable(&["stripe_size"]);
        let (name, place) = (within.full_path("stripe_size"), within.value_position("stripe_size"));
        if stripe.is_multiple_of(self.block) || !sound || !keys.all_readable(&["block"]) {
            return;
        }
        let message = format!("a stripe of {stripe} B has no whole number of blocks of {} B", self.block);
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, place, message)
            .with_label("must be a multiple of `block`")
            .with_help(format!("give a {name} of {} B", stripe.next_multiple_of(self.block)));
        let block = keys.written_position("block").map(|place| (place, "the size of a block"));
        keys.keys_of_inner_table("write").report_with("stripe_size", fault, block);
    }
}
