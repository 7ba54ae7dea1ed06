//! The trigger of a trace: the line at which recording begins, as at a protocol analyzer, with some lines before it and some after.
//!
//! Wang 2005, 5.1, describes an analyzer that records until a time is reached or its memory is full. A trigger is common to such
//! analyzers; which lines are kept before it is ours.

use super::filter::LineFilter;
use super::runs::LineRun;
use std::collections::VecDeque;

/// The line at which recording begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The condition that the line fits.
    pub on: LineFilter,
    /// The number of fitting lines up to the one that begins the recording, at least 1.
    pub count: u64,
    /// The number of lines before it that are written as well.
    pub lines_before: usize,
    /// The number of lines behind it after which the trace ends; with `None`, it goes on.
    pub lines_after: Option<u64>,
}

/// A remark in the file above the line of the trigger.
pub const TRIGGER_LINE: &[u8] = b"# trigger\n";

/// The gate through which the lines of a trace go to its file.
#[derive(Debug, Default)]
pub struct TriggerGate {
    trigger: Option<Trigger>,
    /// The number of lines that fitted the condition before recording began, or ever.
    seen: u64,
    /// The last lines while recording has not begun.
    before: VecDeque<Vec<u8>>,
    has_begun: bool,
    left: Option<u64>,
}

impl TriggerGate {
    /// A gate that opens at a trigger, or is open without one.
    pub fn new(trigger: Option<Trigger>) -> Self {
        let has_begun = trigger.is_none();
        let left = trigger.as_ref().and_then(|trigger| trigger.lines_after);
        Self { trigger, has_begun, left, ..Self::default() }
    }

    /// Whether the trace has all lines that it is to have.
    pub fn is_done(&self) -> bool {
        self.has_begun && self.left == Some(0)
    }

    /// Whether the trigger came; always without a trigger.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Passes the line of a run on to `out`, or keeps it. `is_shown` says whether the filter of the trace shows it, and `line` appends it
    /// to a text. Returns how many lines were passed on.
    pub fn pass(
        &mut self,
        run: &LineRun,
        is_shown: bool,
        line: impl FnOnce(&mut Vec<u8>),
        out: &mut Vec<u8>,
    ) -> u64 {
        if self.has_begun {
            let passes = is_shown && self.left != Some(0);
            if passes {
                line(out);
                self.left = self.left.map(|left| left - 1);
            }
            return u64::from(passes);
        }
        let Some(trigger) = &self.trigger else { return 0 };
        if trigger.on.fits(run) {
            self.seen += 1;
            if self.seen == trigger.count {
                self.has_begun = true;
                let before = self.before.len() as u64;
                self.before.drain(..).for_each(|kept| out.extend_from_slice(&kept));
                out.extend_from_slice(TRIGGER_LINE);
                // The line of the trigger is written even if the trace shows no others of its kind.
                line(out);
                return before + 1;
            }
        }
        if is_shown && trigger.lines_before > 0 {
            let mut kept = if self.before.len() == trigger.lines_before {
                self.before.pop_front().unwrap_or_default()
            } else {
                Vec::new()
            };
            kept.clear();
            line(&mut kept);
            self.before.push_back(kept);
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::edge::{LineKinds, PortChange};
    use sansim_fc::word::{FillWord, PrimitiveSignal};
    use sansim_kernel::Time;

    fn on(open: bool) -> Trigger {
        let kinds = LineKinds { open, close: !open, ..LineKinds::NONE };
        Trigger { on: LineFilter { kinds, ..LineFilter::ALL }, count: 1, lines_before: 0, lines_after: None }
    }

    /// The lines that a gate passes on of IDLE and CLS in turn: `f0`, `s1`, `f2`, ...
    fn passed(trigger: Option<Trigger>, shown: impl Fn(&LineRun) -> bool) -> (String, u64, bool) {
        let mut gate = TriggerGate::new(trigger);
        let (mut out, mut count) = (Vec::new(), 0);
        for at in 0..10 {
            let what = if at % 2 == 0 {
                PortChange::Fill(FillWord::Idle)
            } else {
                PortChange::Signal(PrimitiveSignal::Close)
            };
            let run = LineRun { start: Time(at), station: 0, what, count: 1 };
            let line = |text: &mut Vec<u8>| {
                let letter = if at % 2 == 0 { 'f' } else { 's' };
                text.extend_from_slice(format!("{letter}{at} ").as_bytes());
            };
            count += gate.pass(&run, shown(&run), line, &mut out);
        }
        (String::from_utf8(out).expect("text").replace("# trigger\n", "T "), count, gate.is_done())
    }

    #[test]
    fn without_a_trigger_all_that_is_shown_passes() {
        assert_eq!(passed(None, |_| true), ("f0 s1 f2 s3 f4 s5 f6 s7 f8 s9 ".to_owned(), 10, false));
    }

    #[test]
    fn recording_begins_at_the_nth_fitting_line_with_some_lines_before_and_ends_after_some() {
        let trigger = Trigger { count: 3, lines_before: 2, lines_after: Some(3), ..on(false) };
        assert_eq!(passed(Some(trigger.clone()), |_| true), ("s3 f4 T s5 f6 s7 f8 ".to_owned(), 6, true));
        // More lines before than there are.
        let early = Trigger { count: 1, lines_before: 100, lines_after: Some(0), ..trigger };
        assert_eq!(passed(Some(early), |_| true), ("f0 T s1 ".to_owned(), 2, true));
    }

    #[test]
    fn the_line_of_the_trigger_is_written_though_the_filter_shows_no_others_of_its_kind() {
        let only_fill = |run: &LineRun| matches!(run.what, PortChange::Fill(_));
        let trigger = Trigger { count: 2, lines_before: 1, lines_after: Some(2), ..on(false) };
        assert_eq!(passed(Some(trigger), only_fill), ("f2 T s3 f4 f6 ".to_owned(), 4, true));
    }

    #[test]
    fn a_trigger_that_does_not_come_writes_nothing() {
        assert_eq!(passed(Some(on(true)), |_| true), (String::new(), 0, false));
    }
}
