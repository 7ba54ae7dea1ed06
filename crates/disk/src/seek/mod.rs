//! How long the arm takes from one cylinder to another.
//!
//! The seeks of a drive are described in one of three forms, each a file here: by [three points](three_point) of a data sheet, by [measured
//! points](measured), or by a [square root and a line](square_root) fitted to a drive. Whatever the form, the seek time is calculated once
//! for every distance, and a curve that falls anywhere is refused: a longer seek never lasts less.

pub mod measured;
pub mod square_root;
pub mod three_point;
mod written;

pub use measured::MeasuredSeek;
pub use square_root::SquareRoot;
pub use three_point::ThreePoint;
pub use written::SeekQuantity;

use sansim_kernel::{Span, TICKS_PER_NS};
use std::sync::Arc;

/// The form in which the seek times of a drive are given.
#[derive(Clone, Debug, PartialEq)]
pub enum Seek {
    /// The seeks are described by three points of a data sheet.
    ThreePoint(ThreePoint),
    /// The seeks are described by measured points.
    Measured(MeasuredSeek),
    /// The seeks are described by a square root for short distances and a line for long ones.
    SquareRoot(SquareRoot),
}

/// The time of a seek over each distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeekCurve {
    /// Times by distance in cylinders; drives of one kind share them.
    times: Arc<[Span]>,
}

impl Seek {
    /// The curve of a drive with this many cylinders.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the description and what to write instead.
    pub fn seek_curve(&self, cylinders: u32) -> Result<SeekCurve, String> {
        let times = match self {
            Self::ThreePoint(points) => points.times(cylinders)?,
            Self::Measured(points) => points.times(cylinders)?,
            Self::SquareRoot(curve) => curve.times(cylinders)?,
        };
        match times.windows(2).position(|pair| pair[1] < pair[0]) {
            Some(distance) => Err(format!(
                "a seek over {} cylinders would take less than one over {distance}: {} after {}; a curve must not fall",
                distance + 1,
                times[distance + 1],
                times[distance]
            )),
            None => Ok(SeekCurve { times: times.into() }),
        }
    }
}

impl SeekCurve {
    /// The time of a seek over this distance; a distance of more cylinders than the drive has counts as all cylinders.
    pub fn seek_time(&self, distance: u32) -> Span {
        self.times[(distance as usize).min(self.times.len() - 1)]
    }

    /// The mean seek time over all pairs of cylinders, each as likely as any other: the distance `d` has the share `2 (C - d) / C^2` of the
    /// pairs, and the distance 0 the share `1 / C`.
    pub fn mean_seek_time(&self) -> Span {
        let cylinders = self.times.len() as u128;
        let pairs = self
            .times
            .iter()
            .enumerate()
            .skip(1)
            .map(|(distance, time)| 2 * (cylinders - distance as u128) * u128::from(time.0));
        Span((pairs.sum::<u128>() / (cylinders * cylinders)) as u64)
    }
}

/// A number of nanoseconds as a span, or a sentence that says what is wrong with the number, which `what` names.
fn span(ns: f64, what: &str) -> Result<Span, String> {
    if ns < 0.0 {
        return Err(format!("{what} is negative: {:.3} us", ns / 1e3));
    }
    Ok(Span::from_ns_f64(ns))
}

/// The times of all distances below `cylinders`: zero for the distance 0, then the value of `of` for 1 and more.
fn times(cylinders: u32, of: impl Fn(u32) -> Result<Span, String>) -> Result<Vec<Span>, String> {
    std::iter::once(Ok(Span::ZERO)).chain((1..cylinders).map(of)).collect()
}

/// The nanoseconds of a span; exact for whole ticks up to 2^53 of them.
fn ns(span: Span) -> f64 {
    span.0 as f64 / TICKS_PER_NS as f64
}

#[cfg(test)]
mod tests;
