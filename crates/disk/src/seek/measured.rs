//! A seek curve of points that were measured on a drive, with a straight line from each point to the next; the last line is extended.
//!
//! Source: DiskSim 2.0 manual, extracted seek curves.

use super::{span, times};
use sansim_kernel::Span;

/// Distances in cylinders, each with the time of a seek over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredSeek {
    /// Points in ascending order of the distances, of which the first is 1.
    pub points: Vec<(u32, Span)>,
}

impl MeasuredSeek {
    /// The seek time of each distance.
    pub(super) fn times(&self, cylinders: u32) -> Result<Vec<Span>, String> {
        let points = &self.points;
        if points.len() < 2 {
            return Err("measured points are two at least".to_owned());
        }
        if points[0].0 != 1 {
            return Err(format!("the first point is that of one cylinder, not of {}", points[0].0));
        }
        if let Some(pair) = points.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
            return Err(format!(
                "the point of {} cylinders stands behind that of {}; distances ascend",
                pair[1].0, pair[0].0
            ));
        }
        if let Some(pair) = points.windows(2).find(|pair| pair[1].1 < pair[0].1) {
            let ((short, more), (long, less)) = (pair[0], pair[1]);
            return Err(format!(
                "a seek over {long} cylinders would take less than one over {short}: {less} after {more}; a curve must not fall"
            ));
        }
        times(cylinders, |distance| {
            let next = points.partition_point(|point| point.0 < distance).clamp(1, points.len() - 1);
            let ((from, short), (to, long)) = (points[next - 1], points[next]);
            let share = (f64::from(distance) - f64::from(from)) / f64::from(to - from);
            let ns = short.as_ns_f64() + share * (long.as_ns_f64() - short.as_ns_f64());
            span(ns, "the seek")
        })
    }
}
