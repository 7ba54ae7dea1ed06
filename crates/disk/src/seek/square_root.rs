//! A square root for short seeks, in which the arm gathers speed, and a line for long ones, in which it coasts.
//!
//! `t(d) = near_0 + near_1 sqrt(d)` below a boundary, `far_0 + far_1 d` from there on; the seek of one cylinder may be given apart.
//!
//! Source: Ruemmler, Wilkes, "An Introduction to Disk Drive Modeling", IEEE Computer 27(3), 1994; DiskSim 2.0 manual, HPL seek
//! equation values.

use super::{ns, span, times};
use sansim_kernel::Span;

/// See the text at the top of this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareRoot {
    /// The first distance of the line.
    pub boundary: u32,
    /// The constant of the root, and its factor.
    pub near: [Span; 2],
    /// The constant of the line, and how much each cylinder adds.
    pub far: [Span; 2],
    /// Over one cylinder, where it is not as the root says.
    pub single: Option<Span>,
}

impl SquareRoot {
    /// The time of each distance.
    pub(super) fn times(&self, cylinders: u32) -> Result<Vec<Span>, String> {
        let ([near, root], [far, line]) = (self.near.map(ns), self.far.map(ns));
        times(cylinders, |distance| match self.single {
            Some(single) if distance == 1 => Ok(single),
            _ if distance < self.boundary => span(near + root * f64::from(distance).sqrt(), "the short seek"),
            _ => span(far + line * f64::from(distance), "the long seek"),
        })
    }
}
