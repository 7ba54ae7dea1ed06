//! The rate of a sender under DCQCN.
//!
//! Source: Zhu and others, Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015. A report of congestion lowers the rate by half of
//! alpha; steps raise it again, by a timer and by a counter of bytes: in fast recovery half of the way to the target, then with a target
//! that rises by a constant (additive increase), or ever faster when both have made enough steps (hyper increase).

use crate::parameters::DcqcnParameters;
use sansim_kernel::{Span, Time};

/// The rate of a sender.
#[derive(Clone, Debug)]
pub struct DcqcnRate {
    /// The bytes per second of the link.
    line: f64,
    current: f64,
    target: f64,
    alpha: f64,
    /// The time at which alpha was last raised or lowered.
    alpha_at: Time,
    /// The steps by the timer and by the counter of bytes since the last report, and the bytes since the last step.
    timer_steps: u32,
    byte_steps: u32,
    bytes: u64,
}

impl DcqcnRate {
    /// A sender at the rate of its link, in bytes per second.
    pub fn at_line_rate(line: u64) -> Self {
        let line = line as f64;
        Self {
            line,
            current: line,
            target: line,
            alpha: 1.0,
            alpha_at: Time::ZERO,
            timer_steps: 0,
            byte_steps: 0,
            bytes: 0,
        }
    }

    /// The rate in bytes per second.
    pub fn bytes_per_second(&self) -> f64 {
        self.current
    }

    /// Whether the sender is limited, so that its timer runs.
    pub fn is_limited(&self) -> bool {
        self.current < self.line
    }

    /// The time that a packet takes at the rate.
    pub fn time_of(&self, bytes: u64) -> Span {
        Span::from_ns_f64(bytes as f64 / self.current * 1e9)
    }

    /// Alpha at a time: it falls after each interval without a report.
    fn alpha_now(&mut self, now: Time, keys: &DcqcnParameters) -> f64 {
        let intervals = now.saturating_since(self.alpha_at).ticks() / keys.alpha_interval.ticks();
        if intervals > 0 {
            self.alpha *= (1.0 - keys.gain).powi(intervals.min(1 << 20) as i32);
            self.alpha_at += keys.alpha_interval * intervals;
        }
        self.alpha
    }

    /// A report of congestion arrives.
    pub fn notice_arrives(&mut self, now: Time, keys: &DcqcnParameters) {
        // The first report of a sender finds the alpha with which it begins.
        let alpha = if self.alpha_at == Time::ZERO { self.alpha } else { self.alpha_now(now, keys) };
        self.target = self.current;
        self.current = (self.current * (1.0 - alpha / 2.0)).max(keys.least_rate as f64).min(self.line);
        self.alpha = (1.0 - keys.gain) * alpha + keys.gain;
        self.alpha_at = now;
        (self.timer_steps, self.byte_steps, self.bytes) = (0, 0, 0);
    }

    /// The sender has sent bytes.
    pub fn bytes_sent(&mut self, bytes: u64, keys: &DcqcnParameters) {
        if !self.is_limited() {
            return;
        }
        self.bytes += bytes;
        while self.bytes >= keys.byte_counter {
            self.bytes -= keys.byte_counter;
            self.byte_steps += 1;
            self.rise(keys);
        }
    }

    /// The interval of the timer has passed.
    pub fn timer_steps(&mut self, keys: &DcqcnParameters) {
        self.timer_steps += 1;
        self.rise(keys);
    }

    fn rise(&mut self, keys: &DcqcnParameters) {
        let (fewer, more) = (self.timer_steps.min(self.byte_steps), self.timer_steps.max(self.byte_steps));
        if fewer > keys.recovery_steps {
            self.target += f64::from(fewer - keys.recovery_steps) * keys.hyper_increase as f64;
        } else if more > keys.recovery_steps {
            self.target += keys.additive_increase as f64;
        }
        self.target = self.target.min(self.line);
        self.current = f64::midpoint(self.current, self.target);
        // The last thousandth of the way takes no more steps.
        if self.target == self.line && self.current > 0.999 * self.line {
            self.current = self.line;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_schema::context::Facts;
    use sansim_schema::table::Tabular;

    fn keys() -> DcqcnParameters {
        DcqcnParameters::from_toml("", &Facts::default()).expect("defaults")
    }

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    #[test]
    fn a_report_halves_the_first_time_and_fast_recovery_goes_half_of_the_way_back() {
        let mut rate = DcqcnRate::at_line_rate(1_000_000_000);
        rate.notice_arrives(at_us(100), &keys());
        assert_eq!(rate.bytes_per_second(), 500e6);
        let mut rates = Vec::new();
        for _ in 0..5 {
            rate.timer_steps(&keys());
            rates.push(rate.bytes_per_second());
        }
        assert_eq!(rates, [750e6, 875e6, 937.5e6, 968.75e6, 984.375e6]);
        // The target was the rate of the link, above which it does not rise.
        rate.timer_steps(&keys());
        assert_eq!(rate.bytes_per_second(), 992.1875e6);
    }

    #[test]
    fn the_target_rises_by_a_constant_and_then_ever_faster() {
        let mut rate = DcqcnRate::at_line_rate(10_000_000_000);
        for _ in 0..6 {
            rate.notice_arrives(at_us(100), &keys());
        }
        let before = rate.target;
        for _ in 0..7 {
            rate.timer_steps(&keys());
        }
        assert_eq!(rate.target - before, 2.0 * 5e6);
        for _ in 0..7 {
            rate.bytes_sent(10_000_000, &keys());
        }
        // Five more steps of the counter are additive, as the timer is beyond recovery; the last two are hyper steps of one and two.
        assert_eq!(rate.target - before, 7.0 * 5e6 + (1.0 + 2.0) * 50e6);
    }

    #[test]
    fn alpha_falls_by_its_gain_in_every_interval_without_a_report() {
        let keys = keys();
        let mut rate = DcqcnRate::at_line_rate(1_000_000_000);
        rate.notice_arrives(at_us(1), &keys);
        let intervals = 300;
        rate.notice_arrives(at_us(1 + 55 * intervals), &keys);
        let alpha = (1.0 - 1.0 / 256.0_f64).powi(intervals as i32);
        assert!((rate.bytes_per_second() - 500e6 * (1.0 - alpha / 2.0)).abs() < 1.0);
    }
}
