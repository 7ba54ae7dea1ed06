//! Cables: length, medium, propagation delay and reach.

use crate::speed::Speed;
use sansim_kernel::{Span, TICKS_PER_NS};
use sansim_schema::Json;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::quantities::{in_largest_unit, parse_in_base_units, range_words, schema_pattern};
use sansim_schema::quantity::{Quantity, quoted};
use sansim_schema::tree::ValueNode;
use sansim_schema::units::{Dimension, decimal_in, decimal_in_scaled_unit, unit_named};

/// A kilometre, in metres.
pub const KM: u64 = 1_000;

/// The length of a cable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CableLength(u64);

impl CableLength {
    /// A length in micrometres.
    pub const fn from_um(um: u64) -> CableLength {
        CableLength(um)
    }

    /// The length in micrometres.
    pub const fn um(self) -> u64 {
        self.0
    }

    /// The length in metres.
    pub fn as_m_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// The propagation delay of a length of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Propagation {
    /// Picoseconds per metre.
    pub ps_per_m: u64,
}

impl Propagation {
    /// The time a signal takes along a cable, rounded to the nearest tick.
    pub fn propagation_time(self, length: CableLength) -> Span {
        // um x ps/m = 1e-6 ps; a tick is 1000/561 ps.
        let product = u128::from(length.um()) * u128::from(self.ps_per_m) * u128::from(TICKS_PER_NS);
        Span(u64::try_from((product + 500_000_000) / 1_000_000_000).unwrap_or(u64::MAX))
    }
}

sansim_schema::words! {
    /// The material of the cables of the loop.
    pub enum CableMedium {
        /// Glass fibre of an unspecified kind, 5 ns/m; warned of beyond 10 km.
        Fibre = "fibre",
        /// Copper, 4.3 ns/m; warned of beyond 25 m.
        Copper = "copper",
        /// Multi-mode fibre of 50 um, 5 ns/m; warned of beyond 500, 300, 150 and 50 m at 1, 2, 4 and 8GFC.
        MultiMode = "multi-mode",
        /// Single-mode fibre, 5 ns/m; warned of beyond 10 km.
        SingleMode = "single-mode",
        /// Fibre with something between that carries the signal on, or better than the others, 5 ns/m; of any length.
        Extended = "extended",
    }
}

impl CableMedium {
    /// The usual figure for the medium: 5 ns/m for fibre (Wang 2005, 4.3.1.1), 4.3 ns/m for copper.
    pub const fn propagation(self) -> Propagation {
        match self {
            CableMedium::Fibre | CableMedium::MultiMode | CableMedium::SingleMode | CableMedium::Extended => {
                Propagation { ps_per_m: 5_000 }
            }
            CableMedium::Copper => Propagation { ps_per_m: 4_300 },
        }
    }

    /// The longest cable of a medium between two ports, in metres; `None` if there is no limit.
    ///
    /// At 1GFC Ruwart (1999) gives 25 m for copper, 500 m for multi-mode and 10 km for single-mode fibre. The reach of
    /// multi-mode fibre shrinks with the rate: 300, 150 and 50 m for fibre of 50 um (OM2) at 2, 4 and 8GFC in FC-PI. Copper
    /// is left at its 25 m at all speeds, because no equally general source gives other values.
    pub fn reach_m(self, speed: Speed) -> Option<u64> {
        match self {
            CableMedium::Copper => Some(25),
            CableMedium::MultiMode => Some(match speed {
                Speed::G1 => 500,
                Speed::G2 => 300,
                Speed::G4 => 150,
                _ => 50,
            }),
            CableMedium::Fibre | CableMedium::SingleMode => Some(10 * KM),
            CableMedium::Extended => None,
        }
    }

    /// The name of a medium in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            CableMedium::Copper => "copper",
            CableMedium::MultiMode => "multi-mode fibre (50 um)",
            CableMedium::Fibre | CableMedium::SingleMode => "single-mode fibre",
            CableMedium::Extended => "fibre",
        }
    }
}

fn write_length(um: u64) -> String {
    in_largest_unit(um, &["km", "m"], 0)
        .or_else(|| {
            unit_named("m").and_then(|metre| decimal_in(um, metre, 6, true)).map(|text| format!("{text} m"))
        })
        .unwrap_or_else(|| "0 m".to_owned())
}

fn write_propagation(ps_per_m: u64) -> String {
    let text = decimal_in_scaled_unit(ps_per_m, 1_000, 1, 3, true).unwrap_or_else(|| "0".to_owned());
    format!("{text} ns/m")
}

/// The length of a cable, rounded to the nearest micrometre.
pub struct Cable;

impl Cable {
    /// Longest cable: a quarter of the circumference of the Earth.
    const RANGE: (u64, u64) = (0, 10_000_000_000_000);
}

impl Quantity for Cable {
    type Value = CableLength;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<CableLength, Vec<Diagnostic>> {
        let read = parse_in_base_units(node, &[Dimension::Length], "", Cable::RANGE, write_length);
        read.map(|(um, _, _)| CableLength::from_um(um)).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &CableLength, _: &Facts) -> String {
        quoted(&write_length(value.um()))
    }

    fn placeholder(&self) -> CableLength {
        CableLength::from_um(0)
    }

    fn describe(&self) -> String {
        range_words("length", Cable::RANGE, write_length)
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Dimension::Length], &[])
    }
}

/// The propagation delay of a medium, rounded to the nearest picosecond per metre.
pub struct FibreDelay;

impl FibreDelay {
    /// The least delay per metre is that of light in vacuum (3.336 ns/m).
    const RANGE: (u64, u64) = (3_336, 100_000);
}

impl Quantity for FibreDelay {
    type Value = Propagation;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<Propagation, Vec<Diagnostic>> {
        let read =
            parse_in_base_units(node, &[Dimension::Propagation], "", FibreDelay::RANGE, write_propagation);
        read.map(|(ps_per_m, _, _)| Propagation { ps_per_m }).map_err(|fault| vec![fault])
    }

    fn write(&self, value: &Propagation, _: &Facts) -> String {
        quoted(&write_propagation(value.ps_per_m))
    }

    fn placeholder(&self) -> Propagation {
        Propagation { ps_per_m: FibreDelay::RANGE.1 }
    }

    fn describe(&self) -> String {
        range_words("propagation delay", FibreDelay::RANGE, write_propagation)
    }

    fn schema(&self) -> Json {
        schema_pattern(&[Dimension::Propagation], &[])
    }
}
