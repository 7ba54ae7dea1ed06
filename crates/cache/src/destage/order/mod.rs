//! What is destaged first. What is destaged together is a stripe, all of it that is dirty. Each policy is a file here with its
//! keys, and a line in `orders!` below.

mod c_look;
mod least_recently_written;
mod oldest;
mod whole_stripes;

/// The stripe of the least rank goes first.
pub type Rank = (u64, u64);

/// What a policy may know of a stripe of which a block may be destaged.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its number, which grows with addresses.
    pub number: u64,
    /// How many of its blocks can be destaged.
    pub ready: u32,
    /// How many blocks it has.
    pub blocks: u32,
    /// Grows with every write.
    pub now: u64,
    /// Its rank up to now; none if it is a candidate from now on.
    pub before: Option<Rank>,
}

/// Says what is destaged first.
pub trait Order {
    /// The rank of a stripe: asked when one of its blocks was written, or may be destaged, or may no longer.
    fn rank(&mut self, candidate: Candidate) -> Rank;

    /// The stripe of this number and rank is destaged.
    fn took(&mut self, _number: u64, _rank: Rank) {}
}

/// Declares the policies: the word in scenarios, the keys, the type, and what it does.
macro_rules! orders {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal: $parameters:ty => $order:ty,)+) => {
        sansim_describe::variants! {
            /// Which dirty blocks are destaged first.
            pub enum DestageOrder by "first", default "oldest", source "ours: the order in which data became dirty favours nobody" {
                $($(#[doc = $doc])* $name($parameters) = $word,)+
            }
        }

        /// One of the policies, with what it remembers.
        #[derive(Clone, Debug)]
        pub enum AnyOrder {
            $($(#[doc = $doc])+ $name($order),)+
        }

        impl DestageOrder {
            /// A policy of this kind that has seen nothing yet.
            pub fn order(&self) -> AnyOrder {
                match self {
                    $(Self::$name(parameters) => AnyOrder::$name(<$order>::from(parameters)),)+
                }
            }
        }

        impl Order for AnyOrder {
            fn rank(&mut self, candidate: Candidate) -> Rank {
                match self { $(Self::$name(order) => order.rank(candidate),)+ }
            }

            fn took(&mut self, number: u64, rank: Rank) {
                match self { $(Self::$name(order) => order.took(number, rank),)+ }
            }
        }
    };
}

orders! {
    /// The stripe that has been dirty for longest.
    Oldest = "oldest": oldest::OldestParameters => oldest::Oldest,
    /// The stripe that was written least recently.
    LeastRecentlyWritten = "least-recently-written": least_recently_written::LeastRecentlyWrittenParameters => least_recently_written::LeastRecentlyWritten,
    /// The next stripe upwards, and from the last one back to the first: C-LOOK.
    CLook = "c-look": c_look::CLookParameters => c_look::CLook,
    /// Stripes of which every block is dirty, then others; of equals the one that has been dirty for longest.
    WholeStripes = "whole-stripes": whole_stripes::WholeStripesParameters => whole_stripes::WholeStripes,
}
