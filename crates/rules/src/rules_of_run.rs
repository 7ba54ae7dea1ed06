//! The rules of users in a run: their decisions, what they cost, and the first failure.
//!
//! A run and its components are on one thread, so the state is the thread's. [`RulesOfRun`] begins and ends it.

use crate::custom::make_custom_rule;
use crate::foreign::{ForeignAnswer, ForeignFault, ForeignRule, make_foreign_rule};
use crate::own_rule::{OwnRule, RuleForm};
use crate::view::DecisionView;
use sansim_kernel::RandomStream;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::{Duration, Instant};

/// The use of a rule in a run: all places of the system that have the same rule count together.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleUse {
    /// The rule.
    pub rule: OwnRule,
    /// Whether it is an expression, a class of Python or a rule in Rust: `expression`, `python` or `rust`.
    pub form: &'static str,
    /// The number of decisions.
    pub calls: u64,
    /// The number of events of which the rule was notified.
    pub events: u64,
    /// The reports of the objects of the rule at the end of the run, each of itself, as JSON.
    pub reports: Vec<String>,
    /// The decisions that were timed.
    decisions: TimedCalls,
    /// The events that were timed.
    notices: TimedCalls,
}

/// The readings of the clock of which the shortest is taken. Source: ours; a few are enough to find one that nothing interrupts.
const CLOCK_READINGS: usize = 32;

/// A call that took so many times as long as half of them was interrupted: something else had the processor. Source: ours; other programs take the
/// processor for a millisecond and more, which is ten thousand decisions.
const INTERRUPTED: u64 = 100;

/// The times of the calls that were timed.
#[derive(Clone, Debug, PartialEq)]
struct TimedCalls {
    /// Nanoseconds of each call, with a reading of the clock.
    times: Vec<u64>,
    /// Nanoseconds of a reading of the clock.
    clock: u64,
}

impl TimedCalls {
    /// Nothing has been timed yet.
    fn begin() -> Self {
        let reading = || Instant::now().elapsed().as_nanos() as u64;
        Self { times: Vec::new(), clock: (0..CLOCK_READINGS).map(|_| reading()).min().unwrap_or(0) }
    }

    fn add(&mut self, took: Option<Duration>) {
        self.times.extend(took.map(|took| took.as_nanos() as u64));
    }

    /// The mean of the calls that were not interrupted.
    fn mean_ns(&self) -> f64 {
        let mut times = self.times.clone();
        times.sort_unstable();
        let Some(&median) = times.get(times.len() / 2) else { return 0.0 };
        let whole = times.partition_point(|&time| time <= median.max(1).saturating_mul(INTERRUPTED));
        let sum: u64 = times[..whole].iter().sum();
        (sum as f64 / whole as f64 - self.clock as f64).max(0.0)
    }
}

impl RuleUse {
    /// The mean wall time of a decision in nanoseconds, of the decisions that were timed and not interrupted.
    pub fn ns_per_call(&self) -> f64 {
        self.decisions.mean_ns()
    }

    /// The wall time of all decisions and events in nanoseconds, by the mean of those that were timed.
    pub fn total_ns(&self) -> f64 {
        self.calls as f64 * self.decisions.mean_ns() + self.events as f64 * self.notices.mean_ns()
    }
}

/// The failure of a rule, which ends the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFailure {
    /// The name of the rule.
    pub rule: String,
    /// The name of the decision.
    pub decision: &'static str,
    /// The simulated time in nanoseconds.
    pub at_ns: u64,
    /// The reason, perhaps with lines of the rule's source.
    pub reason: String,
    /// The view of the rule at that time.
    pub saw: String,
    /// Whether the user interrupted the rule.
    pub interrupted: bool,
}

impl fmt::Display for RuleFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, decision, at_ns, reason, saw, .. } = self;
        write!(f, "the rule `{rule}` ({decision}) failed at {at_ns} ns: {reason}; it saw {saw}")
    }
}

impl std::error::Error for RuleFailure {}

/// The fault that a rule starts a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunWithinRun;

impl fmt::Display for RunWithinRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rule decides within a run, and cannot start another one")
    }
}

impl std::error::Error for RunWithinRun {}

#[derive(Debug, Default)]
struct RunState {
    seed: u64,
    uses: Vec<RuleUse>,
    /// The rules in other languages, each with the number of its use; a rule that decides at this moment is not there.
    foreign: Vec<(usize, Option<Box<dyn ForeignRule>>)>,
    failure: Option<RuleFailure>,
}

thread_local! {
    static STATE: RefCell<Option<RunState>> = const { RefCell::new(None) };
    static HAS_FAILED: Cell<bool> = const { Cell::new(false) };
    static NOW_NS: Cell<u64> = const { Cell::new(0) };
}

/// Sets the simulated time of decisions in rooms that have no time: a component that has a rule there calls it at each of its inputs.
#[inline]
pub fn set_now_ns(now_ns: u64) {
    NOW_NS.set(now_ns);
}

/// The simulated time of decisions in rooms that have no time.
#[inline]
pub fn now_ns() -> u64 {
    NOW_NS.get()
}

/// The rules of the run on this thread, from its beginning to its end.
#[derive(Debug)]
pub struct RulesOfRun(());

impl RulesOfRun {
    /// Begins a run with this seed.
    ///
    /// # Errors
    /// If this thread has a run already.
    pub fn begin(seed: u64) -> Result<Self, RunWithinRun> {
        STATE.with_borrow_mut(|state| {
            if state.is_some() {
                return Err(RunWithinRun);
            }
            *state = Some(RunState { seed, ..RunState::default() });
            HAS_FAILED.set(false);
            NOW_NS.set(0);
            Ok(Self(()))
        })
    }

    /// Whether a rule has failed.
    #[inline]
    pub fn has_failed(&self) -> bool {
        has_failed()
    }

    /// Whether a rule in another language has decided.
    pub fn call_python(&self) -> bool {
        STATE.with_borrow(|state| state.as_ref().is_some_and(|state| !state.foreign.is_empty()))
    }

    /// The first failure.
    pub fn failure(&self) -> Option<RuleFailure> {
        STATE.with_borrow(|state| state.as_ref().and_then(|state| state.failure.clone()))
    }

    /// Ends the rules, and returns the use of each, in the order of their first decisions.
    ///
    /// # Errors
    /// The failure of a rule at its end.
    pub fn end(&self, at_ns: u64) -> Result<Vec<RuleUse>, RuleFailure> {
        let (mut uses, foreign) = STATE.with_borrow_mut(|state| {
            state
                .as_mut()
                .map(|state| (state.uses.clone(), std::mem::take(&mut state.foreign)))
                .unwrap_or_default()
        });
        for (number, rule) in foreign {
            let Some((mut rule, of_use)) = rule.zip(uses.get_mut(number)) else { continue };
            match rule.end() {
                Ok(report) => of_use.reports.extend(report),
                Err(ForeignFault { reason, interrupted }) => {
                    return Err(RuleFailure {
                        rule: of_use.rule.name(),
                        decision: of_use.rule.decision.name,
                        at_ns,
                        reason,
                        saw: "the end of the run".to_owned(),
                        interrupted,
                    });
                }
            }
        }
        Ok(uses)
    }
}

impl Drop for RulesOfRun {
    fn drop(&mut self) {
        STATE.with_borrow_mut(|state| *state = None);
        crate::decision_log::end();
        HAS_FAILED.set(false);
    }
}

/// Whether a rule of the run on this thread has failed.
#[inline]
pub(crate) fn has_failed() -> bool {
    HAS_FAILED.get()
}

/// The number of a rule, from its first decision. Outside a run, as in a test of a component, nothing is counted.
pub(crate) fn register(rule: &OwnRule) -> usize {
    STATE.with_borrow_mut(|state| {
        let Some(RunState { uses, .. }) = state else { return usize::MAX };
        uses.iter().position(|known| known.rule == *rule).unwrap_or_else(|| {
            let form = match &*rule.form {
                RuleForm::Expression(_) => "expression",
                RuleForm::Python(_) => "python",
                RuleForm::Custom(_) => "rust",
            };
            uses.push(RuleUse {
                rule: rule.clone(),
                form,
                calls: 0,
                events: 0,
                reports: Vec::new(),
                decisions: TimedCalls::begin(),
                notices: TimedCalls::begin(),
            });
            uses.len() - 1
        })
    })
}

/// Counts a decision, with its wall time if it was timed.
#[inline]
pub(crate) fn count_decision(number: usize, took: Option<Duration>) {
    count(number, |one| {
        one.calls += 1;
        one.decisions.add(took);
    });
}

/// Counts an event of which a rule was notified, with its wall time if it was timed.
#[inline]
pub(crate) fn count_event(number: usize, took: Option<Duration>) {
    count(number, |one| {
        one.events += 1;
        one.notices.add(took);
    });
}

#[inline]
fn count(number: usize, counts: impl FnOnce(&mut RuleUse)) {
    STATE.with_borrow_mut(|state| {
        if let Some(one) = state.as_mut().and_then(|state| state.uses.get_mut(number)) {
            counts(one);
        }
    });
}

/// Makes a rule in another language, and returns its number: each object of a rule has random numbers of its own.
pub(crate) fn make(rule: &OwnRule) -> Result<usize, ForeignFault> {
    let (seed, number) = STATE.with_borrow(|state| match state {
        Some(state) => (state.seed, state.foreign.len()),
        None => (0, 0),
    });
    let seed = RandomStream::new(seed, &format!("rules.{}.{number}", rule.name())).next_u64();
    let made = match &*rule.form {
        RuleForm::Python(text) => make_foreign_rule(text, rule.decision, seed)?,
        RuleForm::Custom(text) => make_custom_rule(text, rule.decision, seed)?,
        RuleForm::Expression(_) => return Err(outside_run()),
    };
    let of_use = register(rule);
    STATE.with_borrow_mut(|state| {
        let Some(state) = state else { return Err(outside_run()) };
        state.foreign.push((of_use, Some(made)));
        Ok(number)
    })
}

fn outside_run() -> ForeignFault {
    ForeignFault { reason: "it decides outside a run".to_owned(), interrupted: false }
}

/// Calls a rule in another language. The rule may call anything meanwhile, so the state is not borrowed.
fn call<T>(
    number: usize,
    calls: impl FnOnce(&mut dyn ForeignRule) -> Result<T, ForeignFault>,
) -> Result<T, ForeignFault> {
    let slot = |state: &mut Option<RunState>, rule: Option<Box<dyn ForeignRule>>| {
        let place = &mut state.as_mut()?.foreign.get_mut(number)?.1;
        std::mem::replace(place, rule)
    };
    let taken = STATE.with_borrow_mut(|state| slot(state, None));
    let mut rule = taken.ok_or_else(outside_run)?;
    let answer = calls(&mut *rule);
    STATE.with_borrow_mut(|state| slot(state, Some(rule)));
    answer
}

/// Asks a rule in another language.
pub(crate) fn ask(number: usize, view: &DecisionView) -> Result<ForeignAnswer, ForeignFault> {
    call(number, |rule| rule.decide(view))
}

/// Whether a rule in another language follows any event.
pub(crate) fn follows_events(number: usize) -> bool {
    call(number, |rule| Ok(rule.follows_events())).unwrap_or(false)
}

/// Notifies a rule in another language of an event.
pub(crate) fn notify(number: usize, event: usize, arguments: &[i64]) -> Result<(), ForeignFault> {
    call(number, |rule| rule.notify(event, arguments))
}

/// Notes a failure; the first one counts.
pub(crate) fn fail(failure: RuleFailure) {
    STATE.with_borrow_mut(|state| {
        if let Some(state) = state {
            state.failure.get_or_insert(failure);
            HAS_FAILED.set(true);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_leaves_out_the_clock_and_calls_that_were_interrupted() {
        let mean = |times: &[u64]| TimedCalls { times: times.to_vec(), clock: 10 }.mean_ns();
        assert_eq!(mean(&[]), 0.0);
        assert_eq!(mean(&[60, 50, 70, 20_000_000]), 50.0);
        assert_eq!(mean(&[60, 6_000]), 3_020.0, "a call that takes longer is one");
        assert_eq!(mean(&[5]), 0.0, "a call takes no less than nothing");
    }
}
