//! Bounds of the throughput of closed networks with one class.
//!
//! Sources: Denning and Buzen, ACM Computing Surveys 10(3), 1978, for the asymptotic bounds; Zahorjan, Sevcik, Eager and Galler, Balanced
//! Job Bound Analysis of Queueing Networks, Communications of the ACM 25(2), 1982, with think time as in Lazowska, Zahorjan, Graham and
//! Sevcik, Quantitative System Performance, 1984, table 5.2.

/// The least and the greatest throughput.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThroughputRange {
    /// The lower bound: no throughput is less.
    pub least: f64,
    /// The upper bound: no throughput is greater.
    pub most: f64,
}

/// Asymptotic bounds of the throughput of this number of jobs, given their demand at every station of one server, and their think time.
pub fn asymptotic_bounds(jobs: u32, demands: &[f64], think: f64) -> ThroughputRange {
    let (n, sum, largest) = of(jobs, demands);
    ThroughputRange { least: n / (n * sum + think), most: (1.0 / largest).min(n / (sum + think)) }
}

/// Balanced job bounds of the throughput, for networks with product form.
pub fn balanced_job_bounds(jobs: u32, demands: &[f64], think: f64) -> ThroughputRange {
    let (n, sum, largest) = of(jobs, demands);
    let mean = sum / demands.len().max(1) as f64;
    let least = n / (sum + think + (n - 1.0) * largest / (1.0 + think / (n * sum)));
    let most = n / (sum + think + (n - 1.0) * mean / (1.0 + think / sum));
    ThroughputRange { least, most: most.min(1.0 / largest) }
}

fn of(jobs: u32, demands: &[f64]) -> (f64, f64, f64) {
    (f64::from(jobs), demands.iter().sum(), demands.iter().copied().fold(0.0, f64::max))
}
