//! Class 2: the class of service in which the receiver acknowledges every frame.
//!
//! Source: FC-FS. A fabric adds the answers of its switches (`crates/fabric/src/class_2.rs`); a loop has none, and its rules are in
//! `crate::loop_port`.

use sansim_schema::quantities::Count;
use sansim_schema::{table, words};

words! {
    /// The class of service of frames.
    pub enum ServiceClass {
        /// Class 3: no node is notified of the fate of a frame.
        Class3 = "class-3",
        /// Class 2: the receiver acknowledges every frame, and a switch that discards one says so.
        Class2 = "class-2",
    }
}

table! {
    /// The parameters that ports of a loop agree on in class 2.
    #[derive(Copy, Eq)]
    pub struct LoopClass2Parameters {
        /// Frames that a port may have sent to another one without an ACK; 0 are as many as that has buffers.
        end_to_end_credit: u32 = Count::<u32>::between(0, 65_535), default "0", source "FC-FS: agreed at login";
    }
}

impl LoopClass2Parameters {
    /// The defaults of the parameters of class 2.
    pub const NOTHING_SAID: Self = Self { end_to_end_credit: 0 };
}
