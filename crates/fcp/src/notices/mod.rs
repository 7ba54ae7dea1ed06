//! Reactions of an initiator's adapter to the notices of its fabric (FPIN).
//!
//! A notice of damaged frames goes on to the host, which may use the path last; congestion limits the commands in flight (`throttle.rs` has the
//! rule of one limit).
//!
//! Source: the driver of QLogic's adapters, `qla_scm.c` of qla2xxx by Marvell (2025), which is not in Linux: `qla2xxx_throttle_req`. A notice of peer
//! congestion limits the writes in flight to the port that it names, one of congestion the reads in flight of the adapter. Commands without
//! data are not limited. A command beyond the limit goes back to the host's queue there; here it waits in the adapter.

mod reactions;
mod throttle;

pub(crate) use reactions::CongestionThrottles;

sansim_schema::words! {
    /// How far an adapter limits its commands in flight when the fabric reports congestion.
    pub enum CongestionProfile {
        /// Not at all.
        Monitor = "monitor",
        /// At each notice to a half; up again by 8 at a time.
        Conservative = "conservative",
        /// To a quarter; up by 4.
        Moderate = "moderate",
        /// To an eighth; up by 2.
        Aggressive = "aggressive",
    }
}
