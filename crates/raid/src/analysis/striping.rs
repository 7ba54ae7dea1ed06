//! How wide to stripe: the closed model of Lee and Katz, "An analytic performance model of disk arrays", SIGMETRICS 1993, and the rule of
//! Chen and Patterson, "Maximizing performance in a striped disk array", ISCA 1990.

/// An array with a fixed number of outstanding requests, of which each needs some members for the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedArray {
    /// The number of outstanding requests.
    pub outstanding: f64,
    /// The number of members.
    pub members: f64,
    /// The number of members that a request needs.
    pub touched: f64,
    /// The time for which a request occupies each of these members, in seconds.
    pub service_s: f64,
}

impl ClosedArray {
    fn fraction(&self) -> f64 {
        self.touched / self.members
    }

    /// The utilisation of a member. The utilisation is exact if a request needs one member and service is exponential; for several members
    /// it is close for nearly constant service.
    pub fn utilisation(&self) -> f64 {
        1.0 / (1.0 + (1.0 / self.outstanding) * (1.0 / self.fraction() - 1.0))
    }

    /// Requests per second.
    pub fn throughput_per_s(&self) -> f64 {
        self.utilisation() * self.members / (self.touched * self.service_s)
    }

    /// The mean response time in seconds.
    pub fn response_s(&self) -> f64 {
        self.outstanding * self.fraction() * self.service_s / self.utilisation()
    }
}

/// The striping unit with the most throughput, in bytes (Lee and Katz): sqrt(P X (L - 1) Z / N).
pub fn best_unit_bytes(
    positioning_s: f64,
    rate_bytes_per_s: f64,
    outstanding: f64,
    request_bytes: f64,
    members: f64,
) -> f64 {
    (positioning_s * rate_bytes_per_s * (outstanding - 1.0) * request_bytes / members).sqrt()
}

/// The striping unit for a concurrency when nothing else is known, in bytes (Chen and Patterson): S P X (concurrency - 1) + one sector,
/// with the slope S of about 1/4 that they found.
pub fn rule_of_thumb_bytes(
    positioning_s: f64,
    rate_bytes_per_s: f64,
    concurrency: f64,
    sector_bytes: f64,
) -> f64 {
    const SLOPE: f64 = 0.25;
    SLOPE * positioning_s * rate_bytes_per_s * (concurrency - 1.0) + sector_bytes
}
