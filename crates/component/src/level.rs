//! How much has piled up in a component.

/// How much there is of a stock of the catalogue ([`Stock`](sansim_schema::catalogue::Stock)), in its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StockLevel {
    /// How much there is.
    pub level: f64,
    /// How much has come of it in all, whatever has become of that. It drifts if a good part of what comes stays. None of what
    /// waits for somebody: that drifts if it is ever more.
    pub came: Option<f64>,
    /// Where it stops to shrink, if that is known.
    pub from: Option<f64>,
    /// Where it stops to grow: where it is full, or something else begins.
    pub to: Option<f64>,
}
