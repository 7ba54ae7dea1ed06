//! The board of gauges and meters read at each station, in the order in which they are shown.

use sansim_component::ComponentId;

/// A gauge of a component at one of its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedGauge {
    /// The component.
    pub component: ComponentId,
    /// The gauge, by its number in the catalogue.
    pub gauge: usize,
    /// The number of the place within the component.
    pub place: u16,
}

/// A meter that is sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledMeter {
    /// The station at which the meter is shown, or the network.
    pub owner: String,
    /// The name of the meter's share of the time.
    pub name: &'static str,
    /// The component.
    pub component: ComponentId,
    /// The meter, by its number in the catalogue.
    pub number: usize,
    /// The index of the meter among all meters of the system.
    pub meter: usize,
}

/// A meter of a component at one of its places, which is sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledPlaceMeter {
    /// The station of the place.
    pub station: usize,
    /// The name of the meter's share of the time.
    pub name: &'static str,
    /// The component.
    pub component: ComponentId,
    /// The meter, by its number among the place meters.
    pub number: usize,
    /// The number of the place within the component.
    pub place: u16,
}

/// The gauges and meters that are read at each station, in the order in which they are shown.
#[derive(Clone, Debug, Default)]
pub struct MeasurementBoard {
    /// The gauges, station by station.
    pub gauges: Vec<PlacedGauge>,
    /// The index of the first gauge of each station; one more entry for the end.
    pub first_gauge: Vec<usize>,
    /// The first station of each component; the stations of the ports of a network follow it.
    pub station_of: Vec<usize>,
    /// The meters that are sampled.
    pub meters: Vec<SampledMeter>,
    /// The meters of places, station by station.
    pub place_meters: Vec<SampledPlaceMeter>,
    /// The index of the first meter of each component; one more entry for the end.
    pub first_meter: Vec<usize>,
}

impl MeasurementBoard {
    /// The gauges of a station, as a range of indices among all gauges.
    pub fn station_gauges(&self, station: usize) -> std::ops::Range<usize> {
        self.first_gauge[station]..self.first_gauge[station + 1]
    }
}
