//! The windows of simulated time in which observers record.

use sansim_kernel::Time;

/// Windows are spans of time, in order and without overlap. Times are passed to [`Windows::advance_to`] in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    spans: Vec<(Time, Time)>,
    current: usize,
    open: bool,
}

/// An effect of the passing of time on the windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowChange {
    /// A window ends at this time.
    Closes(Time),
    /// A window begins at this time.
    Opens(Time),
}

impl Windows {
    /// One window over the whole run.
    pub fn whole_run() -> Self {
        Self::new(vec![(Time::ZERO, Time::NEVER)])
    }

    /// Windows from these spans (beginning, end), in any order; overlapping spans become one.
    pub fn new(mut spans: Vec<(Time, Time)>) -> Self {
        spans.sort_unstable();
        let mut merged: Vec<(Time, Time)> = Vec::with_capacity(spans.len());
        for (from, to) in spans {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        Self { spans: merged, current: 0, open: false }
    }

    /// Advances to `now`. Call this function until it returns nothing; then [`Windows::is_open`] is valid for
    /// `now`.
    pub fn advance_to(&mut self, now: Time) -> Option<WindowChange> {
        let (from, to) = *self.spans.get(self.current)?;
        if self.open {
            if now < to {
                return None;
            }
            self.open = false;
            self.current += 1;
            return Some(WindowChange::Closes(to));
        }
        if now < from {
            return None;
        }
        self.open = true;
        Some(WindowChange::Opens(from))
    }

    /// Whether the time that was last passed lies in a window.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether a window contains a time, which may be ahead of the present.
    pub fn contains(&self, at: Time) -> bool {
        let index = self.spans.partition_point(|span| span.1 <= at);
        self.spans.get(index).is_some_and(|span| span.0 <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_open_and_close_in_order_and_overlapping_ones_are_one() {
        let mut windows =
            Windows::new(vec![(Time(50), Time(60)), (Time(10), Time(20)), (Time(15), Time(30))]);
        let mut seen = Vec::new();
        for now in [0, 10, 25, 30, 70, 80] {
            while let Some(pass) = windows.advance_to(Time(now)) {
                seen.push(pass);
            }
            assert_eq!(windows.is_open(), windows.contains(Time(now)), "{now}");
        }
        let expected = [
            WindowChange::Opens(Time(10)),
            WindowChange::Closes(Time(30)),
            WindowChange::Opens(Time(50)),
            WindowChange::Closes(Time(60)),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_whole_run_is_one_window_that_never_ends() {
        let mut windows = Windows::whole_run();
        assert_eq!(windows.advance_to(Time::ZERO), Some(WindowChange::Opens(Time::ZERO)));
        assert_eq!(windows.advance_to(Time(1 << 60)), None);
        assert!(windows.is_open() && windows.contains(Time(7)));
    }
}
