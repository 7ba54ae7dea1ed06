//! Losses on single links, where they differ from the losses of the fabric.

use sansim_schema::quantities::{Count, Fraction, OrElse};
use sansim_schema::table;

const FABRIC: &str = "fabric";
const SHARE: OrElse<Fraction> = OrElse { quantity: Fraction, word: FABRIC };
const BB_SC_N: OrElse<Count<u8>> = OrElse { quantity: Count::<u8>::between(0, 15), word: FABRIC };

table! {
    /// Losses on some links; see the keys of the fabric of the same names.
    #[derive(Copy)]
    pub struct LinkLosses {
        /// `frame_loss` of these links.
        frame_loss: Option<f64> = SHARE, default r#""fabric""#, source "ours: links are alike unless one is said to be different";
        /// `ready_loss` of these links.
        ready_loss: Option<f64> = SHARE, default r#""fabric""#, source "ours: links are alike unless one is said to be different";
        /// `bb_sc_n` of these links.
        bb_sc_n: Option<u8> = BB_SC_N, default r#""fabric""#, source "ours: links are alike unless one is said to be different";
    }
}

impl LinkLosses {
    /// The losses of the fabric.
    pub const OF_FABRIC: Self = Self { frame_loss: None, ready_loss: None, bb_sc_n: None };
}
