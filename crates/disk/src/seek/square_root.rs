//! A square root for short seeks, in which the arm accelerates, and a line for long seeks, in which it coasts.
//!
//! `t(d) = near_0 + near_1 sqrt(d)` below a boundary, `far_0 + far_1 d` from the boundary on; the seek of one cylinder may be given
//! separately.
//!
//! Source: Ruemmler, Wilkes, "An Introduction to Disk Drive Modeling", IEEE Computer 27(3), 1994; DiskSim 2.0 manual, HPL seek
//! equation values.

use super::{ns, span, times};
use sansim_kernel::Span;

/// A seek curve with a square root for short seeks and a line for long seeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareRoot {
    /// The first distance to which the line applies.
    pub boundary: u32,
    /// The constant of the square root, and its factor.
    pub near: [Span; 2],
    /// The constant of the line, and the time that each cylinder adds.
    pub far: [Span; 2],
    /// The seek time over one cylinder, where the square root does not give it.
    pub single: Option<Span>,
}

impl SquareRoot {
    /// The seek time of each distance.
    pub(super) fn times(&self, cylinders: u32) -> Result<Vec<Span>, String> {
        let ([near, root], [far, line]) = (self.near.map(ns), self.far.map(ns));
        times(cylinders, |distance| match self.single {
            Some(single) if distance == 1 => Ok(single),
            _ if distance < self.boundary => span(near + root * f64::from(distance).sqrt(), "the short seek"),
            _ => span(far + line * f64::from(distance), "the long seek"),
        })
    }
}
