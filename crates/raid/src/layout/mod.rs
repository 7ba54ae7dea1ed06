//! Layouts: which member holds which unit of a stripe.
//!
//! The members are cut into *rows* of one strip each. What is written is cut into strips as well, and so many of them with what
//! protects them are a *stripe*. A stripe has *positions*: first its data units in logical order, then its checks, which are copies,
//! or P, or P and Q. A level says in which *slot*, a row of a member, each position of each stripe lies, and the reverse.
//!
//! Each level is a file here with its keys, and a line in `levels!` below; scenarios name it by its word. Nesting needs nothing
//! of its own: a member of a layout may be another array.

mod declustered;
mod error;
mod level;
mod map;
mod raid0;
mod raid1;
mod raid10;
mod raid1_0;
mod raid4;
mod raid5;
mod raid6;

pub use declustered::{Declustered, DeclusteredParameters};
pub use error::LayoutError;
pub use level::{Code, Level, Slot, Unit};
pub use map::{Layout, Piece};
pub use raid0::{Raid0, Raid0Parameters};
pub use raid1::{Raid1, Raid1Parameters};
pub use raid1_0::{Raid1Then0, Raid1Then0Parameters};
pub use raid4::{ParityMember, Raid4, Raid4Parameters};
pub use raid5::{Raid5, Raid5Parameters, Rotation5};
pub use raid6::{Raid6, Raid6Parameters, Rotation6};
pub use raid10::{Raid10, Raid10Parameters};

/// Declares the levels: the word in scenarios, the keys, the type, and what it is.
macro_rules! levels {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal: $parameters:ty => $level:ty,)+) => {
        sansim_describe::variants! {
            /// How data and what protects them are spread over the members.
            pub enum LevelParameters by "level" {
                $($(#[doc = $doc])* $name($parameters) = $word,)+
            }
        }

        /// One of the levels, for a number of members.
        #[derive(Clone, Debug)]
        pub enum AnyLevel {
            $($(#[doc = $doc])+ $name($level),)+
        }

        impl LevelParameters {
            /// This level over so many members.
            ///
            /// # Errors
            /// If there are too few members, or a number of them that the level cannot have.
            pub fn over(&self, members: u32) -> Result<AnyLevel, LayoutError> {
                match self {
                    $(Self::$name(parameters) => <$level>::new(parameters, members).map(AnyLevel::$name),)+
                }
            }
        }

        impl Level for AnyLevel {
            #[inline]
            fn code(&self) -> Code {
                match self { $(Self::$name(level) => level.code(),)+ }
            }

            #[inline]
            fn data_units(&self) -> u32 {
                match self { $(Self::$name(level) => level.data_units(),)+ }
            }

            #[inline]
            fn slot(&self, stripe: u64, position: u32) -> Slot {
                match self { $(Self::$name(level) => level.slot(stripe, position),)+ }
            }

            #[inline]
            fn unit(&self, slot: Slot) -> Option<Unit> {
                match self { $(Self::$name(level) => level.unit(slot),)+ }
            }

            fn stripes(&self, rows: u64) -> u64 {
                match self { $(Self::$name(level) => level.stripes(rows),)+ }
            }

            fn spares(&self) -> u32 {
                match self { $(Self::$name(level) => level.spares(),)+ }
            }

            #[inline]
            fn spare_slot(&self, row: u64, spare: u32) -> Option<Slot> {
                match self { $(Self::$name(level) => level.spare_slot(row, spare),)+ }
            }

            #[inline]
            fn spare_of(&self, slot: Slot) -> Option<u32> {
                match self { $(Self::$name(level) => level.spare_of(slot),)+ }
            }
        }
    };
}

levels! {
    /// Striped, without redundancy.
    Raid0 = "0": raid0::Raid0Parameters => raid0::Raid0,
    /// Every member has a copy of everything.
    Raid1 = "1": raid1::Raid1Parameters => raid1::Raid1,
    /// Each unit has copies on members next to each other; their number need not divide that of the members (Linux md, near layout).
    Raid10 = "10": raid10::Raid10Parameters => raid10::Raid10,
    /// Mirrors of neighbouring members, striped.
    Raid1Then0 = "1+0": raid1_0::Raid1Then0Parameters => raid1_0::Raid1Then0,
    /// Striped, with parity on a member of its own.
    Raid4 = "4": raid4::Raid4Parameters => raid4::Raid4,
    /// Striped, with parity that goes round.
    Raid5 = "5": raid5::Raid5Parameters => raid5::Raid5,
    /// Striped, with two checks that go round: P is parity, Q a Reed-Solomon check over GF(256).
    Raid6 = "6": raid6::Raid6Parameters => raid6::Raid6,
    /// Stripes narrower than the array, spread over all members together with spare space.
    Declustered = "declustered": declustered::DeclusteredParameters => declustered::Declustered,
}
