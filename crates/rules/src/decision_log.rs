//! The decision log: what each rule of a user saw, what it chose, and what came of it, where that can be said.
//!
//! A run and its components are on one thread, so the log is the thread's. Without [`begin`] nothing is recorded.

use crate::own_rule::OwnRule;
use crate::view::DecisionView;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// The most numbers of views that a log has: 256 MiB of them. Source: ours, a quarter of the memory of a small machine.
const MOST_VALUES: usize = 1 << 25;

/// A decision in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedDecision {
    /// The simulated time in nanoseconds.
    pub at_ns: u64,
    /// The component that decided, by its place in [`DecisionLog::components`].
    pub component: usize,
    /// The rule, by its place in [`DecisionLog::rules`].
    pub rule: usize,
    /// The number of candidates that the rule saw.
    pub candidates: usize,
    /// The index of the candidate that the rule chose; none if it named something else.
    pub chosen: Option<usize>,
    /// The number of what the rule named, if it named something.
    pub named: Option<u64>,
    /// The outcome of the choice, as the decision defines it; none if it has none, or if the outcome cannot be said.
    pub outcome: Option<u64>,
    /// Where the values of the decision begin in [`DecisionLog::values`]: first those of the decision, then those of each candidate.
    pub first_value: usize,
}

/// The decisions of a run.
#[derive(Clone, Debug, Default)]
pub struct DecisionLog {
    /// The names of the components that decided.
    pub components: Vec<Arc<str>>,
    /// The rules that decided.
    pub rules: Vec<OwnRule>,
    /// The decisions, in order.
    pub decisions: Vec<LoggedDecision>,
    /// The values of all decisions.
    pub values: Vec<i64>,
    /// Whether decisions are missing at the end, because the log was full.
    pub is_cut: bool,
}

/// A decision in the log, to which an outcome can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry(usize);

thread_local! {
    static LOG: RefCell<Option<DecisionLog>> = const { RefCell::new(None) };
    static IS_KEPT: Cell<bool> = const { Cell::new(false) };
    static COMPONENT: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Begins a log; one that there is already is dropped.
pub fn begin() {
    LOG.set(Some(DecisionLog::default()));
    IS_KEPT.set(true);
}

/// Ends the log and returns it.
pub fn end() -> Option<DecisionLog> {
    IS_KEPT.set(false);
    LOG.take()
}

/// Whether decisions are recorded.
#[inline]
pub fn is_kept() -> bool {
    IS_KEPT.get()
}

/// Rules that are set to work from now on belong to this component.
pub fn set_component(name: &str) {
    COMPONENT.set(Some(Arc::from(name)));
}

/// The component to which a rule belongs that is set to work now.
pub(crate) fn component() -> Option<Arc<str>> {
    COMPONENT.with_borrow(Clone::clone)
}

/// Records a decision.
#[cold]
pub(crate) fn record(
    at_ns: u64,
    component: Option<&Arc<str>>,
    rule: &OwnRule,
    view: &DecisionView,
    (chosen, named): (Option<usize>, Option<u64>),
) -> Option<LogEntry> {
    LOG.with_borrow_mut(|log| {
        let log = log.as_mut()?;
        let (common, each) = (view.common_values(), view.candidate_values());
        if log.values.len() + common.len() + each.len() > MOST_VALUES {
            log.is_cut = true;
            IS_KEPT.set(false);
            return None;
        }
        let empty: Arc<str> = Arc::from("");
        let component = place_of(&mut log.components, component.unwrap_or(&empty));
        let rule = place_of(&mut log.rules, rule);
        let (first_value, candidates) = (log.values.len(), view.candidate_count());
        log.values.extend_from_slice(common);
        log.values.extend_from_slice(each);
        log.decisions.push(LoggedDecision {
            at_ns,
            component,
            rule,
            candidates,
            chosen,
            named,
            outcome: None,
            first_value,
        });
        Some(LogEntry(log.decisions.len() - 1))
    })
}

/// Adds what came of a decision.
#[cold]
pub fn set_outcome(entry: LogEntry, outcome: u64) {
    LOG.with_borrow_mut(|log| {
        if let Some(decision) = log.as_mut().and_then(|log| log.decisions.get_mut(entry.0)) {
            decision.outcome = Some(outcome);
        }
    });
}

/// The place of a value in a list of distinct values, to which it is added if it is not there.
fn place_of<T: Clone + PartialEq>(list: &mut Vec<T>, value: &T) -> usize {
    list.iter().position(|known| known == value).unwrap_or_else(|| {
        list.push(value.clone());
        list.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decider, RuleTable};
    use sansim_schema::decision;
    use sansim_schema::quantity::Quantity;

    decision! {
        /// The choice of a lamp.
        pub static LAMP = "lamp";
        /// The time.
        common LampCircumstances {
            /// The time.
            now: "ns",
        }
        /// A lamp.
        each LampFeatures {
            /// Its number.
            number: "",
        }
    }

    fn decide(decider: &mut Decider, now: u64, numbers: &[i64]) -> usize {
        decider.view().begin(&[now as i64]);
        numbers.iter().for_each(|&number| decider.view().add_candidate(&[number]));
        decider.choose(now)
    }

    #[test]
    fn a_log_has_what_a_rule_saw_and_chose_and_is_empty_where_none_is_kept() {
        set_component("hall");
        let mut decider = Decider::from(RuleTable(&LAMP).placeholder());
        decide(&mut decider, 1, &[4]);
        assert!(end().is_none());
        begin();
        decide(&mut decider, 5, &[7, 8]);
        decide(&mut decider, 6, &[9]);
        set_outcome(decider.log_entry().unwrap_or(LogEntry(9)), 33);
        let log = end().unwrap_or_default();
        assert_eq!(log.values, [5, 7, 8, 6, 9]);
        let found: Vec<_> = log
            .decisions
            .iter()
            .map(|one| (one.at_ns, one.candidates, one.chosen, one.outcome, one.first_value))
            .collect();
        assert_eq!(found, [(5, 2, Some(0), None, 0), (6, 1, Some(0), Some(33), 3)]);
        assert_eq!(log.components.iter().map(|name| &**name).collect::<Vec<_>>(), ["hall"]);
        assert!(!log.is_cut);
    }
}
