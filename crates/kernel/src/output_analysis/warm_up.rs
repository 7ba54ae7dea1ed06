//! The length of the warm-up of a series of observations.

/// The number of `values` at the beginning that are warm-up and better left out, by the rule MSER-5.
///
/// Means of five values each are formed, and the truncation is chosen that leaves the smallest standard error of
/// the mean of the remaining values. The answer is a multiple of five and at most half of the values; a value near
/// that half says that the run is too short.
pub fn mser5(values: &[f64]) -> usize {
    const SIZE: usize = 5;
    let means: Vec<f64> = values.chunks_exact(SIZE).map(average).collect();
    // The mean and the sum of squared deviations of the remaining values are computed from the end to the
    // front (Welford's update).
    let (mut mean, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for start in (0..means.len()).rev() {
        let left = (means.len() - start) as f64;
        let delta = means[start] - mean;
        mean += delta / left;
        squares += delta * (means[start] - mean);
        let statistic = squares / (left * left);
        // The comparison is `<=`, so that among equally good truncations the one that keeps more values is
        // chosen.
        if start <= means.len() / 2 && statistic <= best.0 {
            best = (statistic, start);
        }
    }
    best.1 * SIZE
}

fn average(values: &[f64]) -> f64 {
    // Using the differences from the first value keeps large, nearly equal values from losing digits in the
    // sum.
    let first = values[0];
    first + values.iter().map(|v| v - first).sum::<f64>() / values.len() as f64
}
