//! When blocks are destaged: how urgent that is with so many dirty ones. Each policy is a file here with its keys, and a line
//! in `paces!` below.

mod at_once;
mod linear;
mod watermarks;

/// Says how urgent destaging is.
pub trait Pace {
    /// How urgent it is while `dirty` of at most `limit` blocks are: 0 if none need go, 1 if they have to go as fast as they
    /// can, between them the share of that rate at which they should.
    fn urgency(&mut self, dirty: u32, limit: u32) -> f64;

    /// The numbers of dirty blocks between which it keeps them while somebody writes: at the upper one destaging begins, or goes as fast as it can;
    /// at the lower one it rests.
    fn marks(&self, limit: u32) -> (u32, u32);

    /// How many blocks are dirty once it is settled, as far as that is known of a stream of writes without time.
    fn settled(&self, limit: u32) -> u32;
}

/// Declares the policies: the word in scenarios, the keys, the type, and what it does.
macro_rules! paces {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal: $parameters:ty => $pace:ty,)+) => {
        sansim_describe::variants! {
            /// When dirty blocks are destaged.
            pub enum DestagePace by "when", default "watermarks", source "ours: two marks, as most write-back caches have them" {
                $($(#[doc = $doc])* $name($parameters) = $word,)+
            }
        }

        /// One of the policies, with what it remembers.
        #[derive(Clone, Debug)]
        pub enum AnyPace {
            $($(#[doc = $doc])+ $name($pace),)+
        }

        impl DestagePace {
            /// A policy of this kind that has seen nothing yet.
            pub fn pace(&self) -> AnyPace {
                match self {
                    $(Self::$name(parameters) => AnyPace::$name(<$pace>::from(parameters)),)+
                }
            }
        }

        impl Pace for AnyPace {
            fn urgency(&mut self, dirty: u32, limit: u32) -> f64 {
                match self { $(Self::$name(pace) => pace.urgency(dirty, limit),)+ }
            }

            fn marks(&self, limit: u32) -> (u32, u32) {
                match self { $(Self::$name(pace) => pace.marks(limit),)+ }
            }

            fn settled(&self, limit: u32) -> u32 {
                match self { $(Self::$name(pace) => pace.settled(limit),)+ }
            }
        }
    };
}

paces! {
    /// As soon as there is one.
    AtOnce = "at-once": at_once::AtOnceParameters => at_once::AtOnce,
    /// From a high mark on, until a low one is reached.
    Watermarks = "watermarks": watermarks::WatermarkParameters => watermarks::Watermarks,
    /// Faster the more there are: the rate grows linearly between the marks.
    Linear = "linear": linear::LinearParameters => linear::Linear,
}

/// So many blocks are this share of the limit.
fn mark(share: sansim_describe::quantities::Share, limit: u32) -> u32 {
    (u64::from(limit) * share.millionths / 1_000_000) as u32
}

/// That the low mark lies below the high one.
fn check_marks(keys: &mut sansim_describe::keys::Keys<'_, '_>, sound: bool) {
    use sansim_describe::codes;
    use sansim_describe::fault::Fault;
    if sound || !keys.are_sound(&["low", "high"]) {
        return;
    }
    let fault = Fault::new(codes::OUT_OF_RANGE, keys.value("low"), "the low mark is not below the high mark")
        .label("must be less than `high`")
        .help(format!("lower {}, or raise {}", keys.full("low"), keys.full("high")));
    let high = keys.written("high").map(|place| (place, "the high mark"));
    keys.report_with("low", fault, high);
}
