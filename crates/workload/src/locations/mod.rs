//! Patterns of places: the offsets in a region to which requests go. Each pattern is a file in this directory, and a line in the list
//! below.
//!
//! A pattern is described by its keys ([`Pattern`]); its generator ([`Locations`]) belongs to a region of a given size in bytes. Every
//! offset is a multiple of 512 bytes, and a request that fits into the region ends within it.

pub mod bijection;
pub mod files;
mod grid;
pub mod hot_spot;
pub mod normal;
pub mod pareto;
pub mod permutation;
pub mod runs;
pub mod sequential;
pub mod strided;
pub mod uniform;
pub mod walk;
pub mod zipf;
pub mod zones;

use sansim_kernel::RandomStream;

/// Makes two enumerations from the list of all patterns: of their keys, and of their generators.
macro_rules! patterns {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal: $parameters:ty => $generator:ty,)*) => {
        sansim_schema::variants! {
            /// The pattern of the places in a region to which requests go.
            pub enum Pattern by "pattern", default "uniform", source "ours: every place is as likely as another" {
                $($(#[doc = $doc])* $name($parameters) = $word,)*
            }
        }

        /// The generator of a pattern in a region.
        #[derive(Clone, Debug)]
        pub enum Locations {
            $($(#[doc = $doc])* $name($generator),)*
        }

        impl Pattern {
            /// The generator of the pattern in a region of this many bytes. Values that are drawn once for the whole run are drawn here.
            pub fn generator(&self, region: u64, random: &mut RandomStream) -> Locations {
                match self {
                    $(Pattern::$name(parameters) => {
                        Locations::$name(<$generator>::new(parameters, region, random))
                    })*
                }
            }
        }

        impl Locations {
            /// The offset in bytes from the beginning of the region at which the next request goes.
            pub fn next(&mut self, bytes: u64, write: bool, random: &mut RandomStream) -> u64 {
                match self { $(Locations::$name(generator) => generator.next(bytes, write, random),)* }
            }
        }
    };
}

patterns! {
    /// Anywhere.
    Uniform = "uniform": uniform::UniformParameters => uniform::UniformLocations,
    /// One behind another.
    Sequential = "sequential": sequential::SequentialParameters => sequential::SequentialLocations,
    /// One behind another for a while, then elsewhere.
    Runs = "runs": runs::RunsParameters => runs::SequentialRuns,
    /// At a fixed distance.
    Strided = "strided": strided::StridedParameters => strided::StridedLocations,
    /// Some parts more often than others.
    Zones = "zones": zones::ZonesParameters => zones::Zones,
    /// One part more often than the rest.
    HotSpot = "hot-spot": hot_spot::HotSpotParameters => hot_spot::HotSpotLocations,
    /// Each block less often than the next popular one, by Zipf's law.
    Zipf = "zipf": zipf::ZipfParameters => zipf::ZipfLocations,
    /// Few blocks very often.
    Pareto = "pareto": pareto::ParetoParameters => pareto::ParetoLocations,
    /// About a middle.
    Normal = "normal": normal::NormalParameters => normal::NormalLocations,
    /// Every block once, then all again.
    Permutation = "permutation": permutation::PermutationParameters => permutation::PermutedLocations,
    /// Files that are read again and again.
    Files = "files": files::FilesParameters => files::Files,
    /// The hierarchical-reuse random walk.
    Walk = "walk": walk::WalkParameters => walk::RandomWalkLocations,
}

#[cfg(test)]
mod tests;
