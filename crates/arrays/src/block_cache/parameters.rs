//! The keys of a cache before devices: those of the cache itself, and its times.

use sansim_cache::{CacheParameters, WriteMode};
use sansim_kernel::Span;
use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{ByteRate, Count, Dimensioned, OrElse, Time};
use sansim_schema::table;

const SHORTEST_RETRY: Time =
    Time { range: (sansim_kernel::TICKS_PER_NS * 1_000, sansim_schema::quantities::LONGEST) };

table! {
    /// A cache of blocks before devices, with the times that it takes.
    pub struct BlockCacheParameters {
        /// Time of a look-up: which part of a request is in the cache. Look-ups of several requests do not wait for each other.
        look_up_time: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Rate of transfers into the cache memory and out of it, for one request at a time.
        memory_bandwidth: Option<u64> = ByteRate { range: (1, 1 << 50) }.or("unlimited"), default r#""unlimited""#, source "none";
        /// With `write.mirrored`: time from the arrival of the data of a write until the partner has a copy of them.
        partner_time: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Most destaging writes to devices that the cache has in flight. If the pace is a share of the full rate, the cache has that share
        /// of this number in flight. With `"devices"` as many as the devices behind take: the `queue_depth` of each drive behind, also
        /// through arrays and other devices between, over how many of them a write of an array is at; 8 of a drive that announces none,
        /// which is ours.
        destages_at_once: Option<u32> = OrElse { quantity: Count::<u32>::between(1, 1_000_000), word: "devices" }, default r#""devices""#, source "ours: what is behind sets the pace of destaging, not a number here";
        /// Pause of a device after it failed a destage, or a fetch for a block that is partly written; then the cache retries it.
        retry_time: Span = SHORTEST_RETRY, default r#""100 ms""#, source "ours: long beside an access, short beside a repair";
        /// Number of retries of a device in a row that may fail. Then the cache does not destage to it until it serves another request, and
        /// writes to it go through.
        retries: u32 = Count::<u32>::between(0, 1_000_000), default "10", source "ours: a second of trying at the default of `retry_time`";
    }
    parts {
        /// The capacity of the cache, its policies, and its treatment of writes.
        cache: CacheParameters;
    }
    idle(of_other_modes)
}

impl BlockCacheParameters {
    /// Marks times as unused that belong to other modes of the cache.
    fn of_other_modes(&self, idle: &mut IdleKeys) {
        let write = &self.cache.write;
        idle.mark_idle_unless(write.mirrored, &["partner_time"], "there is no partner (`write.mirrored`)");
        let writes_back = write.mode == WriteMode::Back;
        idle.mark_idle_unless(
            writes_back,
            &["destages_at_once"],
            "nothing is destaged (`write.mode = \"through\"`)",
        );
    }
}
