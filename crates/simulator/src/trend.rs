//! The test for an unstable stream: more requests arrive than complete, so its response times grow with the length of the run.
//!
//! The test divides the completions of the stream into 8 to 16 windows of equal counts, and takes the least response time of each window.
//! The queue of a stable stream empties now and then, so the least response time of any quarter of the run is less than the mean of the
//! run. In an unstable stream every response time of the last quarter exceeds the mean: by a factor of 1.5 if the queue grows steadily
//! from nothing. The test calls a stream unstable beyond a factor of 1.2. The rule is our own, not a published test; the tests below
//! measure how often it errs for an M/M/1 queue.

use sansim_kernel::Span;

/// The most windows; when there are more, every two become one.
const MOST: usize = 16;

/// The number of completions of a window at first.
const FIRST: u64 = 16;

/// The growth test of a stream.
#[derive(Clone, Debug)]
pub struct GrowthTest {
    /// The least response time of each complete window.
    windows: Vec<Span>,
    /// The number of completions of a window.
    length: u64,
    /// The number of completions in the present window, and the least response time among them.
    count: u64,
    least: Span,
    /// The sum of all response times, in ticks, and their number.
    sum: u128,
    all: u64,
}

impl Default for GrowthTest {
    fn default() -> Self {
        Self { windows: Vec::with_capacity(MOST), length: FIRST, count: 0, least: Span::MAX, sum: 0, all: 0 }
    }
}

impl GrowthTest {
    /// Adds a response time.
    pub fn add(&mut self, response: Span) {
        self.sum += u128::from(response.ticks());
        self.all += 1;
        self.least = self.least.min(response);
        self.count += 1;
        if self.count < self.length {
            return;
        }
        self.windows.push(self.least);
        (self.count, self.least) = (0, Span::MAX);
        if self.windows.len() == MOST {
            for pair in 0..MOST / 2 {
                self.windows[pair] = self.windows[2 * pair].min(self.windows[2 * pair + 1]);
            }
            self.windows.truncate(MOST / 2);
            self.length *= 2;
        }
    }

    /// Whether response times grow with the length of the run; false before there are half as many windows as the most.
    pub fn response_times_grow(&self) -> bool {
        let windows = &self.windows[..];
        if windows.len() < MOST / 2 {
            return false;
        }
        let last = windows[windows.len() - windows.len() / 4..].iter().min();
        last.is_some_and(|last| 5 * u128::from(last.ticks()) * u128::from(self.all) > 6 * self.sum)
    }
}

/// The trends of a stream; a stream whose reads and writes come at separate rates has one trend for each, because the reads may fall
/// behind while the writes do not.
#[derive(Clone, Debug, Default)]
pub struct GrowthTests {
    by_direction: bool,
    of: [GrowthTest; 2],
}

impl GrowthTests {
    /// A stream without completions.
    pub fn new(by_direction: bool) -> Self {
        Self { by_direction, ..Self::default() }
    }

    /// Adds a response time of a read (0), a write (1) or another operation, which counts as a write.
    #[inline]
    pub fn add(&mut self, direction: usize, response: Span) {
        self.of[if self.by_direction { direction.min(1) } else { 0 }].add(response);
    }

    /// Whether response times of either direction grow with the length of the run.
    pub fn response_times_grow(&self) -> bool {
        self.of.iter().any(GrowthTest::response_times_grow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::RandomStream;

    #[test]
    fn reads_that_fall_behind_are_seen_beside_writes_that_do_not_where_each_has_a_rate_of_its_own() {
        let (mut together, mut apart) = (GrowthTests::new(false), GrowthTests::new(true));
        for ms in 1..1_000 {
            for (direction, response) in [(0, Span::from_ms(ms)), (1, Span::from_ms(1))] {
                together.add(direction, response);
                apart.add(direction, response);
            }
        }
        assert!(apart.response_times_grow() && !together.response_times_grow());
    }

    /// Whether the waiting time of an M/M/1 queue at this load grows, by Lindley's recurrence.
    fn grows(load: f64, customers: u64, seed: u64) -> bool {
        let (mut gaps, mut services) = (RandomStream::new(seed, "gaps"), RandomStream::new(seed, "services"));
        let (mut trend, mut wait) = (GrowthTest::default(), 0.0_f64);
        for _ in 0..customers {
            let service = services.exponential(1e6 * load);
            trend.add(Span::from_ns_f64(wait + service));
            wait = (wait + service - gaps.exponential(1e6)).max(0.0);
        }
        trend.response_times_grow()
    }

    #[test]
    fn a_queue_that_gets_more_than_it_serves_grows() {
        for (load, customers) in [(1.05, 20_000), (1.2, 2_000), (2.0, 500)] {
            let found = (1..=200).filter(|&seed| grows(load, customers, seed)).count();
            assert!(found >= 190, "{load}: {found} of 200");
        }
    }

    #[test]
    fn a_queue_that_serves_all_that_comes_hardly_ever_seems_to_grow() {
        for (load, customers) in [(0.3, 500), (0.5, 2_000), (0.8, 2_000), (0.9, 20_000), (0.95, 100_000)] {
            let found = (1..=200).filter(|&seed| grows(load, customers, seed)).count();
            assert!(found <= 4, "{load}: {found} of 200");
        }
    }

    #[test]
    fn what_grows_beyond_the_longest_span_of_a_scenario_still_grows() {
        let mut trend = GrowthTest::default();
        (1..=250).for_each(|day| trend.add(Span::from_s(day * 86_400)));
        assert!(trend.response_times_grow());
    }

    #[test]
    fn a_few_response_times_say_nothing() {
        let mut trend = GrowthTest::default();
        (1..100).for_each(|ms| trend.add(Span::from_ms(ms)));
        assert!(!trend.response_times_grow());
        (100..1_000).for_each(|ms| trend.add(Span::from_ms(ms)));
        assert!(trend.response_times_grow());
    }
}
