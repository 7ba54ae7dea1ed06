//! Class 2: the agreement of two nodes in addition to the credit of links.
//!
//! Source: FC-FS. The receiver answers every frame by ACK_1 when it has emptied its buffer. A node sends another node no more frames
//! without an ACK than its end-to-end credit at that node. F_BSY and F_RJT are answers of switches that discard a frame; they give the
//! credit back as an ACK does. If a frame has no answer when E_D_TOV has passed since it began, the sender expects no answer any more, and
//! gets its end-to-end credit back as well.

pub use sansim_fc::class_2::ServiceClass;
use sansim_kernel::Span;
use sansim_schema::quantities::{Count, Time};
use sansim_schema::table;

/// The answer time may be up to ten seconds, which is R_A_TOV.
const TIME_OUT: Time = Time::between(Span::from_us(1), Span::from_s(10));

table! {
    /// The parameters that nodes agree on in class 2.
    #[derive(Copy, Eq)]
    pub struct Class2Parameters {
        /// Frames that a node may have in flight to another one without an answer; 0 are as many as that has buffers.
        end_to_end_credit: u32 = Count::<u32>::between(0, 65_535), default "0", source "FC-FS: agreed at login";
        /// Time within which the answer to a frame must arrive. After that it counts as lost, and its end-to-end credit comes back:
        /// E_D_TOV.
        answer_time: Span = TIME_OUT, default r#""2 s""#, source "FC-FS: E_D_TOV";
    }
}

impl Class2Parameters {
    /// The defaults of the parameters of class 2.
    pub const NOTHING_SAID: Self = Self { end_to_end_credit: 0, answer_time: Span::from_s(2) };
}
