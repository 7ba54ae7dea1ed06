//! The comparison of a fit with its trace: the same figures of both.

use sansim_schema::{Json, json};
use sansim_trace::TraceInfo;

/// A figure of the trace and of the requests drawn from the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureComparison {
    /// The name of the figure, as in [`TraceInfo`].
    pub figure: String,
    /// Its label for people.
    pub label: String,
    /// The unit of the figure: `share`, `number`, `per_s`, `bytes`, `bytes_per_s`.
    pub unit: &'static str,
    /// The value for the trace; `None` if the trace is too short for it.
    pub trace: Option<f64>,
    /// The value for the drawn requests; `None` if they are too few for a comparison.
    pub fitted: Option<f64>,
}

impl FigureComparison {
    /// The comparison as JSON.
    pub fn json(&self) -> Json {
        let FigureComparison { figure, label, unit, trace, fitted } = self;
        json!({ "figure": figure, "label": label, "unit": unit, "trace": trace, "fitted": fitted })
    }
}

/// The width of a bin, as a text for people.
pub(super) fn width(seconds: f64) -> String {
    if seconds < 1.0 { format!("{} ms", seconds * 1e3) } else { format!("{seconds} s") }
}

/// All figures of the trace and of the fit.
pub(super) fn compared(trace: &TraceInfo, drawn: &TraceInfo) -> Vec<FigureComparison> {
    let mut found = Vec::new();
    let mut add = |figure: &str, label: &str, unit, of: &dyn Fn(&TraceInfo) -> Option<f64>| {
        found.push(FigureComparison {
            figure: figure.to_owned(),
            label: label.to_owned(),
            unit,
            trace: of(trace),
            fitted: of(drawn),
        });
    };
    let moved = |info: &TraceInfo| (info.reads + info.writes) as f64;
    add("moved_per_s", "reads and writes a second", "per_s", &|info| {
        (info.span_s > 0.0).then(|| moved(info) / info.span_s)
    });
    add("bytes_per_s", "bytes a second", "bytes_per_s", &|info| info.bytes_per_s);
    add("read_fraction", "reads among them", "share", &|info| {
        (moved(info) > 0.0).then(|| info.reads as f64 / moved(info))
    });
    add("mean_bytes", "mean size", "bytes", &|info| info.mean_bytes);
    add("sequential_share", "begin where the last one ended", "share", &|info| info.sequential_share);
    // A smaller number of drawn requests revisits fewer blocks.
    let whole = moved(drawn) >= moved(trace);
    add("touched_again_share", "blocks met again", "share", &|info| {
        info.touched_again_share.filter(|_| whole)
    });
    add("inter_arrival_cv", "cv of the gaps", "number", &|info| info.inter_arrival_cv);
    for (place, dispersion) in trace.dispersion.iter().enumerate() {
        let scale = width(dispersion.scale_s);
        let label = format!("index of dispersion at {scale}");
        add(&format!("dispersion_{}", scale.replace(' ', "_")), &label, "number", &|info| {
            info.dispersion.get(place).and_then(|dispersion| dispersion.index)
        });
    }
    add("b_model", "b of the b-model", "number", &|info| info.b_model.filter(|_| whole));
    add("hurst", "Hurst parameter", "number", &|info| info.hurst.filter(|_| whole));
    add("peak_requests_per_s", "most in one second", "per_s", &|info| {
        Some(info.peak_requests_per_s as f64).filter(|_| whole)
    });
    found
}

/// The share of requests that would need another size for both to have the same sizes: half of the sum of the differences of shares.
pub(super) fn distance_of_sizes(trace: &TraceInfo, drawn: &TraceInfo) -> Option<f64> {
    if trace.other_sizes > 0 || drawn.other_sizes > 0 {
        return None;
    }
    let share = |info: &TraceInfo, bytes: u64| {
        info.sizes.iter().find(|size| size.bytes == bytes).map_or(0.0, |size| size.share)
    };
    let of_trace: f64 = trace.sizes.iter().map(|size| (size.share - share(drawn, size.bytes)).abs()).sum();
    let others = drawn.sizes.iter().filter(|size| share(trace, size.bytes) == 0.0);
    Some((of_trace + others.map(|size| size.share).sum::<f64>()) / 2.0)
}
