//! The fit of the arrival process: the process that is nearest to a trace.

use super::draw::draw_arrivals;
use crate::arrivals::{Coming, Timetable};
use sansim_kernel::functions::natural_logarithm;
use sansim_schema::context::Facts;
use sansim_schema::table;
use sansim_schema::table::Tabular;
use sansim_trace::{StatisticsGatherer, TraceInfo};

/// The most arrivals of each candidate that are drawn.
const DRAWN: u64 = 50_000;
/// The share by which a process with more parameters has to be nearer to be preferred.
const SIMPLER_BY: f64 = 0.02;
/// Factors for the measured coefficient of variation: a mix of streams is more regular than each of them.
const STRETCHES: [f64; 4] = [1.0, 1.5, 2.0, 3.0];
/// The values of the parameter b of a b-model that are tried besides the measured value.
const BS: [f64; 6] = [0.55, 0.6, 0.65, 0.7, 0.75, 0.8];
/// The ranges that the keys of processes allow.
const RATES: (f64, f64) = (1e-6, 1e9);
const CVS: (f64, f64) = (0.001, 100.0);
const LONGEST_SPAN_S: f64 = 3_600.0;
const MOST_LEVELS: f64 = 24.0;

table! {
    /// The arrivals of a stream, to read a candidate as a scenario is read.
    pub struct FittedArrivals {}
    tables {
        /// When requests come.
        arrivals: Coming;
    }
}

/// An arrival process except for its rate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape(String);

impl Shape {
    /// The shape of Poisson arrivals.
    pub(super) fn poisson() -> Shape {
        Shape("process = \"poisson\"".to_owned())
    }

    /// The arrival process as a scenario gives it, at this rate per second.
    pub(super) fn toml(&self, rate_per_s: f64) -> String {
        format!("{{ {}, rate = \"{:.6}/s\" }}", self.0, rate_per_s.clamp(RATES.0, RATES.1))
    }

    fn timetable(&self, rate_per_s: f64) -> Option<Timetable> {
        let text = format!("arrivals = {}\n", self.toml(rate_per_s));
        FittedArrivals::from_toml(&text, &Facts::default()).ok()?.arrivals.timetable()
    }
}

/// All shapes that are tried, the simplest first.
fn candidates(info: &TraceInfo, requests: f64, span_s: f64) -> Vec<Shape> {
    let mut shapes = vec![Shape::poisson(), Shape("process = \"deterministic\"".to_owned())];
    if let Some(cv) = info.inter_arrival_cv {
        for stretch in STRETCHES {
            let cv = (cv * stretch).clamp(CVS.0, CVS.1);
            shapes.push(Shape(format!("process = \"gamma\", cv = {cv:.3}")));
            if cv > 1.0 {
                shapes.push(Shape(format!("process = \"hyperexponential\", cv = {cv:.3}")));
            }
        }
    }
    // The finest b-model has as many levels as leave a request in each of the smallest parts; fewer levels are smoother.
    let span_s = span_s.clamp(1e-3, LONGEST_SPAN_S);
    let finest = natural_logarithm(requests.max(2.0)) / natural_logarithm(2.0);
    for b in BS.into_iter().chain(info.b_model.map(|b| b.min(0.99))) {
        for fewer in [0.0, 2.0, 4.0, 6.0] {
            let levels = (finest - fewer).floor().clamp(1.0, MOST_LEVELS);
            shapes.push(Shape(format!(
                "process = \"b-model\", b = {b:.3}, span = \"{} us\", levels = {levels}",
                (span_s * 1e6).ceil()
            )));
        }
    }
    shapes
}

/// The distance of two figures, 0 to 1, beyond the difference that two estimates from `values` values have by chance: the relative standard
/// error of a variance of n values is about the root of 2 / n, and two of these errors count as chance.
fn apart(a: f64, b: f64, values: f64) -> f64 {
    if a == b {
        return 0.0;
    }
    let chance = 2.0 * (2.0 * 2.0 / values).sqrt();
    ((a - b).abs() / a.abs().max(b.abs()) - chance).max(0.0)
}

/// The distance of two sequences of arrivals: by the coefficient of variation of gaps, and by the index of dispersion at every scale that
/// both have.
fn distance(trace: &TraceInfo, drawn: &TraceInfo) -> f64 {
    let span_s = trace.span_s.min(drawn.span_s);
    let requests = trace.requests.min(drawn.requests) as f64;
    let cv = trace.inter_arrival_cv.zip(drawn.inter_arrival_cv).map(|(a, b)| apart(a, b, requests));
    let indexes = trace.dispersion.iter().zip(&drawn.dispersion).map(|(a, b)| {
        a.index.zip(b.index).map(|(of_trace, of_drawn)| apart(of_trace, of_drawn, span_s / a.scale_s))
    });
    let all: Vec<f64> = indexes.chain([cv]).flatten().collect();
    if all.is_empty() { 0.0 } else { all.iter().sum::<f64>() / all.len() as f64 }
}

/// The process with which streams of these rates together are nearest to the measured arrivals.
pub(super) fn nearest(info: &TraceInfo, rates_per_s: &[f64]) -> Shape {
    let requests = info.requests;
    let rate: f64 = rates_per_s.iter().sum();
    let mut best: Option<(f64, Shape)> = None;
    for shape in candidates(info, requests as f64, requests as f64 / rate) {
        let timetables: Vec<Timetable> =
            rates_per_s.iter().filter_map(|rate| shape.timetable(*rate)).collect();
        if timetables.len() < rates_per_s.len() {
            continue;
        }
        let mut gathered = StatisticsGatherer::default();
        draw_arrivals(&timetables, requests.min(DRAWN), &mut |record| gathered.add_record(record));
        let distance = distance(info, &gathered.summarise_records(|_| String::new()));
        if best.as_ref().is_none_or(|(least, _)| distance + SIMPLER_BY < *least) {
            best = Some((distance, shape));
        }
    }
    best.map_or_else(Shape::poisson, |(_, shape)| shape)
}
