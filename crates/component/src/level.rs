//! The level of a stock: the amount that has accumulated in a component.

/// The level of a stock of the catalogue ([`Stock`](sansim_schema::catalogue::Stock)), in its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StockLevel {
    /// The present level.
    pub level: f64,
    /// The total inflow, including what has left since. The stock drifts if a large part of the inflow stays. None for a stock of waiting
    /// requests: such a stock drifts if it ever grows.
    pub came: Option<f64>,
    /// The level at which the stock stops to shrink, if it is known.
    pub from: Option<f64>,
    /// The level at which the stock stops to grow: it is full, or another process begins there.
    pub to: Option<f64>,
}
