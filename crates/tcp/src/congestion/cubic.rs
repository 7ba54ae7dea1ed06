//! CUBIC (RFC 9438): the window is a cubic function of the time since the last reduction, and at least as large as that of Reno.

use super::NewAcknowledgement;
use sansim_kernel::Time;

/// The constant C of the cubic function, in segments for each second cubed (RFC 9438, 5).
const SCALE: f64 = 0.4;
/// The share of the window that a reduction leaves (RFC 9438, 4.6).
const BETA: f64 = 0.7;
/// The segments for each window by which the estimate of Reno grows while it is smaller than the window before the reduction (RFC 9438,
/// 4.3).
const RENO_ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// The state of CUBIC; windows are in segments.
#[derive(Clone, Debug, Default)]
pub struct Cubic {
    /// The window before the last reduction, or less if that was smaller than the one before it (fast convergence).
    largest: f64,
    /// The window at the last reduction.
    prior: f64,
    /// The present epoch of congestion avoidance; none before its first acknowledgement.
    epoch: Option<Epoch>,
}

#[derive(Clone, Copy, Debug)]
struct Epoch {
    begun: Time,
    /// The seconds after which the function reaches the largest window.
    until_largest_s: f64,
    /// The window with its fraction, and the window that Reno would have.
    window: f64,
    reno: f64,
}

impl Cubic {
    /// The window after an acknowledgement in congestion avoidance, in bytes.
    pub fn grown(&mut self, ack: &NewAcknowledgement, window: u64, segment: u64) -> u64 {
        let largest = &mut self.largest;
        let epoch = self.epoch.get_or_insert_with(|| {
            let window = window as f64 / segment as f64;
            if window >= *largest {
                *largest = window;
            }
            Epoch {
                begun: ack.now,
                until_largest_s: cube_root((*largest - window) / SCALE),
                window,
                reno: window,
            }
        });
        let segments = ack.bytes as f64 / segment as f64;
        let at = |s: f64| SCALE * (s - epoch.until_largest_s).powi(3) + *largest;
        let now_s = (ack.now - epoch.begun).as_s_f64();
        let alpha = if epoch.reno >= self.prior { 1.0 } else { RENO_ALPHA };
        epoch.reno += alpha * segments / epoch.window;
        if at(now_s) < epoch.reno {
            epoch.window = epoch.window.max(epoch.reno);
        } else {
            let target = at(now_s + ack.round_trip.as_s_f64()).clamp(epoch.window, 1.5 * epoch.window);
            epoch.window += (target - epoch.window) / epoch.window * segments;
        }
        (epoch.window * segment as f64) as u64
    }

    /// The bytes that a reduction leaves.
    pub fn reduced(&mut self, in_flight: u64, window: u64, segment: u64) -> u64 {
        let window = window as f64 / segment as f64;
        self.largest = if window < self.largest { window * (1.0 + BETA) / 2.0 } else { window };
        (self.prior, self.epoch) = (window, None);
        (in_flight as f64 * BETA) as u64
    }

    /// After a time-out the function begins at its largest window (RFC 9438, 4.8).
    pub fn timed_out(&mut self) {
        (self.largest, self.epoch) = (0.0, None);
    }
}

/// The cube root of a number that is not negative, by Newton's method: the same on every machine.
fn cube_root(of: f64) -> f64 {
    if of <= 0.0 {
        return 0.0;
    }
    let mut root = of.max(1.0);
    for _ in 0..200 {
        let next = (2.0 * root + of / (root * root)) / 3.0;
        if next >= root {
            break;
        }
        root = next;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::Span;

    #[test]
    fn a_cube_root_cubed_is_the_number() {
        for of in [1e-9, 0.001, 0.5, 1.0, 8.0, 27.0, 12_345.678, 1e12] {
            assert!((cube_root(of).powi(3) / of - 1.0).abs() < 1e-12, "{of}");
        }
        assert_eq!((cube_root(0.0), cube_root(-1.0)), (0.0, 0.0));
    }

    /// With a window acknowledged in each round trip the window follows W(t) = C (t - K)^3 + W_max, K = cbrt(W_max (1 - beta) / C).
    #[test]
    fn the_window_follows_the_cubic_function_of_time() {
        let (segment, round_trip) = (1_000_u64, Span::from_ms(50));
        let mut cubic = Cubic::default();
        let mut window = cubic.reduced(1_000 * segment, 1_000 * segment, segment);
        let k = (1_000.0_f64 * 0.3 / 0.4).cbrt();
        let begun = Time::ZERO + Span::from_s(1);
        let mut now = begun;
        while now < begun + Span::from_s(15) {
            let segments = window / segment;
            for number in 0..segments {
                let at = now + Span(round_trip.ticks() * number / segments);
                let ack = NewAcknowledgement {
                    now: at,
                    bytes: segment,
                    in_flight: window,
                    upto: 0,
                    sent_upto: 0,
                    round_trip,
                    echo: false,
                };
                window = cubic.grown(&ack, window, segment);
            }
            now += round_trip;
            let expected = 0.4 * ((now - begun).as_s_f64() - k).powi(3) + 1_000.0;
            let is = window as f64 / segment as f64;
            assert!((is / expected - 1.0).abs() < 0.01, "{is} for {expected} after {}", now - begun);
        }
    }
}
