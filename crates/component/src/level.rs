//! How much has piled up in a component.

/// How much there is of a stock of the catalogue ([`Stock`](sansim_schema::catalogue::Stock)), in its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StockLevel {
    /// How much there is.
    pub level: f64,
    /// Total inflow, whatever has become of it. The stock drifts if a large part of the inflow stays. None for a stock of waiting requests:
    /// that drifts if it ever grows.
    pub came: Option<f64>,
    /// Where it stops to shrink, if that is known.
    pub from: Option<f64>,
    /// Where it stops to grow: where it is full, or something else begins.
    pub to: Option<f64>,
}
