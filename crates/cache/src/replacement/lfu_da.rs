//! LFU with dynamic ageing: the worth of a block is the number of its uses plus the worth of the block that was evicted last before its
//! last use. With ageing, a block that was used often long ago is in time worth less than a block that is used now.
//!
//! Source: Arlitt, Cherkasova, Dilley, Friedrich, Jin: Evaluating content management techniques for Web proxy caches, ACM
//! SIGMETRICS Performance Evaluation Review 27(4), 2000.

use super::lfu::LeastOftenUsed;
use sansim_schema::table;

table! {
    /// LFU with dynamic ageing: a block that was used often long ago is evicted, too.
    #[derive(Copy, Eq)]
    pub struct LfuDaParameters {}
}

/// The replacement policy LFU with dynamic ageing evicts the block of the least worth, which falls with the age of its last use.
pub type LfuDa = LeastOftenUsed<true>;
