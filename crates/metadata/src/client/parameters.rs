//! The keys of a client of a metadata controller.

use super::super::controller::{CYCLES, SPEED};
use super::super::time_of;
use sansim_kernel::Span;
use sansim_schema::quantities::{Choice, Percentage, Share, Size, Time};
use sansim_schema::{table, words};

const ANSWER: Time = Time::between(Span::from_us(1), Span::from_s(3_600));
/// The limits leave time for the answer before the lease ends.
const RENEW: Percentage = Percentage { range: (1_000, 990_000) };

words! {
    /// The level at which a client translates requests to places on devices: blocks or files.
    pub enum TranslationLevel {
        /// By blocks: the map of the whole volume comes with the session.
        Block = "block",
        /// By files: where each extent is has to be asked for, once.
        File = "file",
    }
}

table! {
    /// The software of a client: in the driver of a disk or an adapter if it translates blocks, in the file system if it translates files.
    #[derive(Copy, Eq)]
    pub struct MetadataClientParameters {
        /// At which level it translates.
        level: TranslationLevel = Choice::<TranslationLevel>::ANY, default r#""block""#, source "Friedman, SAN data management protocols";
        /// Speed of the processor that it runs on, in MHz.
        speed_mhz: u64 = SPEED, required "550", source "";
        /// Cycles of the translation of a request to its place on devices. One request is translated at a time. The source says: just a few
        /// microseconds.
        mapping_cycles: u64 = CYCLES, required "1650", source "Friedman, SAN data management protocols";
        /// Size of the data of an answer of the controller. A block is the least that a read has.
        message: u64 = Size { range: (512, 1 << 20), step: 512 }, default r#""512 B""#, source "SBC-3: reads are of whole blocks";
        /// Time that the client waits for an answer before it asks again, and before a retry after an error.
        answer_time: Span = ANSWER, required r#""2 s""#, source "";
        /// Share of a lease after which the client renews the lease.
        renew_at: Share = RENEW, default r#""50 %""#, source "RFC 2131, 4.4.5: T1";
    }
}

impl MetadataClientParameters {
    /// The time of a translation.
    pub fn mapping_time(&self) -> Span {
        time_of(self.mapping_cycles, self.speed_mhz)
    }

    /// The time after which a lease is renewed, counted from the call for it.
    pub(super) fn renewed_after(&self, lease: Span) -> Span {
        let ticks = u128::from(lease.ticks()) * u128::from(self.renew_at.millionths) / 1_000_000;
        Span(u64::try_from(ticks).unwrap_or(u64::MAX))
    }
}
