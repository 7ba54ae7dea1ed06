//! Presets of drives with published parameters: each is a file that names its source, and a line in `presets!` below.

mod atlas_10k;
mod atlas_iii;
mod cheetah_15k5;
mod cheetah_15k7;
mod dnes_309170w;
mod hp_97560;
mod st19171fc;
mod st32171w;
mod st34501n;
mod st39102lw;

use crate::geometry::Zone;
use crate::overheads::AfterEither;
use crate::read_ahead::DriveReadAhead;
use crate::seek::{MeasuredSeek, Seek};
use sansim_kernel::Span;

/// The parameters of a drive; each has the meaning of the key of [`DiskParameters`](crate::DiskParameters).
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the keys say it")]
pub struct PresetData {
    pub rpm: u32,
    pub surfaces: u32,
    pub cylinders: u32,
    pub zones: Vec<Zone>,
    pub seek: Seek,
    pub head_switch: Span,
    pub write_settle: Span,
    pub zero_latency: bool,
    pub read_overhead: AfterEither,
    pub hit_overhead: AfterEither,
    pub write_overhead: AfterEither,
    pub write_hit_overhead: AfterEither,
    pub block_transfer: Span,
    pub read_ahead: DriveReadAhead,
    pub write_behind: Option<bool>,
    pub segments: u32,
    pub segment_blocks: u32,
    pub write_segments: u32,
    pub read_over: bool,
}

/// Declares the presets: for each the word, the source, and the file with its figures.
macro_rules! presets {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal from $source:literal: $module:ident,)+) => {
        sansim_schema::words! {
            /// A drive with published parameters.
            pub enum Preset {
                $($(#[doc = $doc])+ $name = $word from $source,)+
            }
        }

        impl Preset {
            /// All presets.
            pub const EVERY: [Self; [$($word),+].len()] = [$(Self::$name),+];

            /// The parameters of the preset.
            pub fn preset_data(self) -> PresetData {
                match self {
                    $(Self::$name => $module::data(),)+
                }
            }
        }
    };
}

presets! {
    /// Seagate Cheetah 9LP, 9.1 GB, 10,045 rpm.
    St39102lw = "st39102lw" from "DiskSim 2.01.016, valid/, Carnegie Mellon University": st39102lw,
    /// Seagate Cheetah 4LP, 4.5 GB, 10,033 rpm.
    St34501n = "st34501n" from "DiskSim 2.01.016, valid/, Carnegie Mellon University": st34501n,
    /// Seagate Barracuda 4, 2.1 GB, 7,200 rpm.
    St32171w = "st32171w" from "DiskSim 2.01.016, valid/, Carnegie Mellon University": st32171w,
    /// Quantum Atlas III, 9.1 GB, 7,200 rpm.
    AtlasIii = "atlas-iii" from "DiskSim 2.01.016, valid/, Carnegie Mellon University": atlas_iii,
    /// Quantum Atlas 10K, 9.1 GB, 10,025 rpm.
    Atlas10k = "atlas-10k" from "DiskSim 2.01.016, valid/, Carnegie Mellon University": atlas_10k,
    /// IBM Ultrastar 18ES, 9.1 GB, 7,200 rpm.
    Dnes309170w = "dnes-309170w" from "DiskSim 2.01.016, valid/, Carnegie Mellon University": dnes_309170w,
    /// HP 97560, 1.3 GB, 4,002 rpm.
    Hp97560 = "hp-97560" from "Ruemmler, Wilkes, An Introduction to Disk Drive Modeling, IEEE Computer 27(3), 1994": hp_97560,
    /// Seagate Cheetah 15K.5, 146 GB, 15,000 rpm, by its data sheet.
    Cheetah15k5 = "cheetah-15k5" from "Seagate, data sheet of the Cheetah 15K.5; zones of a published third-party model; the rest fitted to these": cheetah_15k5,
    /// Seagate Cheetah 15K.7, 600 GB, 15,000 rpm, by its data sheet.
    Cheetah15k7 = "cheetah-15k7" from "Seagate, manual of the Cheetah 15K.7; surfaces and what it does not say are assumed": cheetah_15k7,
    /// Seagate Barracuda 9 FC, 9.1 GB, 7,200 rpm, by its data sheet.
    St19171fc = "st19171fc" from "Seagate, product manual of the Barracuda 9; Ruwart 1999; what they do not say as of the Barracuda 4, or assumed": st19171fc,
}

/// This many whole microseconds.
fn us(us: u64) -> Span {
    Span::from_us(us)
}

/// Zones, each given as a row of five numbers.
fn zones(rows: &[[u32; 5]]) -> Vec<Zone> {
    let zone = |&[first_cylinder, sectors, track_skew, cylinder_skew, spare_sectors]: &[u32; 5]| Zone {
        first_cylinder,
        sectors,
        track_skew,
        cylinder_skew,
        spare_sectors,
    };
    rows.iter().map(zone).collect()
}

/// A seek curve of measured points, each a number of cylinders and a time in microseconds.
fn measured(points: &[(u32, u32)]) -> Seek {
    let points = points.iter().map(|&(distance, time)| (distance, us(time.into()))).collect();
    Seek::Measured(MeasuredSeek { points })
}

#[cfg(test)]
mod tests;
