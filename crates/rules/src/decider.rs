//! A rule of a user at work in a component.

use crate::decision_log::{self, LogEntry};
use crate::foreign::{ForeignAnswer, ForeignFault};
use crate::own_rule::{OwnRule, RuleForm};
use crate::rules_of_run::{self, RuleFailure};
use crate::view::DecisionView;
use std::sync::Arc;
use std::time::Instant;

/// A rule of a user at work: it fills a view, asks the rule, and checks the answer.
#[derive(Debug)]
pub struct Decider {
    rule: OwnRule,
    view: DecisionView,
    /// The number of the rule in another language among those of the run, from its first decision.
    foreign: Option<usize>,
    /// The number of the rule among those of the run, from its first decision.
    number: Option<usize>,
    /// Whether the rule may follow events: a class does until it is loaded and turns out to have no method for one.
    may_follow: bool,
    calls: u64,
    events: u64,
    /// The memory of expressions, used again.
    stack: Vec<f64>,
    /// The component in which the rule works.
    component: Option<Arc<str>>,
    /// The last decision in the log, if one is kept.
    log_entry: Option<LogEntry>,
}

/// The choice of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleChoice {
    /// The candidate with this index.
    Candidate(usize),
    /// Something that the rule named by its number, whether or not it saw it among the candidates.
    Named(u64),
}

/// One of this many decisions is timed: reading the clock takes as long as an expression.
const TIMED: u64 = 64;

/// The clone of a decider has decided nothing yet.
impl Clone for Decider {
    fn clone(&self) -> Self {
        Self { component: self.component.clone(), ..Self::from(self.rule.clone()) }
    }
}

impl From<OwnRule> for Decider {
    fn from(rule: OwnRule) -> Self {
        let view = DecisionView::new(rule.decision);
        let may_follow = !matches!(&*rule.form, RuleForm::Expression(_)) && !rule.decision.events.is_empty();
        Self {
            rule,
            view,
            foreign: None,
            number: None,
            may_follow,
            calls: 0,
            events: 0,
            component: decision_log::component(),
            log_entry: None,
            stack: Vec::new(),
        }
    }
}

impl Decider {
    /// The view, to be filled with [`DecisionView::begin`] and [`DecisionView::add_candidate`].
    #[inline]
    pub fn view(&mut self) -> &mut DecisionView {
        &mut self.view
    }

    /// The most candidates that the rule sees.
    pub fn window(&self) -> usize {
        self.rule.candidates as usize
    }

    /// The index of the candidate that the rule chooses. `now_ns` is the simulated time, for messages.
    ///
    /// If the rule fails the index is 0, and the run ends with the failure; then no rule of the run is asked any more.
    #[inline]
    pub fn choose(&mut self, now_ns: u64) -> usize {
        match self.choose_or_name(now_ns) {
            RuleChoice::Candidate(index) => index,
            RuleChoice::Named(_) => 0,
        }
    }

    /// The candidate that the rule chooses or, where the decision permits it, the number that the rule names instead.
    pub fn choose_or_name(&mut self, now_ns: u64) -> RuleChoice {
        let number = self.number();
        if rules_of_run::has_failed() {
            return RuleChoice::Candidate(0);
        }
        // A rule in another language is loaded at its first decision, which is not part of its cost.
        let loaded = self.load();
        let timed = self.calls.is_multiple_of(TIMED).then(Instant::now);
        self.calls += 1;
        let answer = loaded.and_then(|()| self.answer());
        rules_of_run::count_decision(number, timed.map(|since| since.elapsed()));
        if decision_log::is_kept() {
            self.record(now_ns, answer.as_ref().ok());
        }
        answer.unwrap_or_else(|fault| {
            self.fail(now_ns, fault, self.view.shown());
            RuleChoice::Candidate(0)
        })
    }

    #[cold]
    fn record(&mut self, now_ns: u64, choice: Option<&RuleChoice>) {
        let choice = match choice {
            Some(&RuleChoice::Candidate(index)) => (Some(index), None),
            Some(&RuleChoice::Named(number)) => (None, Some(number)),
            None => (None, None),
        };
        self.log_entry =
            decision_log::record(now_ns, self.component.as_ref(), &self.rule, &self.view, choice);
    }

    /// The last decision in the log, if one is kept, for [`decision_log::set_outcome`].
    pub fn log_entry(&self) -> Option<LogEntry> {
        self.log_entry
    }

    /// Ends the run because the rule named what cannot be chosen.
    #[cold]
    pub fn refuse(&self, now_ns: u64, reason: String) {
        self.fail(now_ns, ForeignFault { reason, interrupted: false }, self.view.shown());
    }

    /// Notifies the rule of an event, by its place in the enumeration of the events of the decision. Only a rule from outside that follows
    /// it takes notice.
    #[inline]
    pub fn notify(&mut self, now_ns: u64, event: usize, arguments: &[i64]) {
        if self.may_follow {
            self.notify_class(now_ns, event, arguments);
        }
    }

    fn notify_class(&mut self, now_ns: u64, event: usize, arguments: &[i64]) {
        let number = self.number();
        if rules_of_run::has_failed() {
            return;
        }
        let notified = self.load().and_then(|()| {
            let foreign = self.foreign.unwrap_or(usize::MAX);
            if self.events == 0 && !rules_of_run::follows_events(foreign) {
                self.may_follow = false;
                return Ok(());
            }
            let timed = self.events.is_multiple_of(TIMED).then(Instant::now);
            self.events += 1;
            let notified = rules_of_run::notify(foreign, event, arguments);
            rules_of_run::count_event(number, timed.map(|since| since.elapsed()));
            notified
        });
        if let Err(fault) = notified {
            let of = self.rule.decision.events.get(event);
            let values = arguments.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            self.fail(now_ns, fault, of.map_or(values.clone(), |of| format!("`{}({values})`", of.name)));
        }
    }

    #[cold]
    fn fail(&self, at_ns: u64, ForeignFault { reason, interrupted }: ForeignFault, saw: String) {
        let decision = self.rule.decision.name;
        rules_of_run::fail(RuleFailure { rule: self.rule.name(), decision, at_ns, reason, saw, interrupted });
    }

    #[inline]
    fn number(&mut self) -> usize {
        match self.number {
            Some(number) => number,
            None => *self.number.insert(rules_of_run::register(&self.rule)),
        }
    }

    /// Loads a rule in another language, unless it is there.
    #[inline]
    fn load(&mut self) -> Result<(), ForeignFault> {
        if self.foreign.is_none() && !matches!(&*self.rule.form, RuleForm::Expression(_)) {
            self.foreign = Some(rules_of_run::make(&self.rule)?);
        }
        Ok(())
    }

    fn answer(&mut self) -> Result<RuleChoice, ForeignFault> {
        let fault = |reason: String| ForeignFault { reason, interrupted: false };
        let candidates = self.view.candidate_count();
        match &*self.rule.form {
            RuleForm::Expression(expression) => expression
                .lowest(&self.view, &mut self.stack)
                .map(RuleChoice::Candidate)
                .map_err(|candidate| fault(format!("it has no value for candidate {candidate}"))),
            RuleForm::Python(_) | RuleForm::Custom(_) => {
                match rules_of_run::ask(self.foreign.unwrap_or(usize::MAX), &self.view)? {
                    ForeignAnswer::Index(answer) => {
                        let index = usize::try_from(answer).ok().filter(|&index| index < candidates);
                        index.map(RuleChoice::Candidate).ok_or_else(|| {
                            fault(format!(
                                "it answered {answer}, and the candidates are 0 to {}",
                                candidates - 1
                            ))
                        })
                    }
                    ForeignAnswer::Named(named) => match self.rule.decision.named {
                        Some(_) => Ok(RuleChoice::Named(named as u64)),
                        None => {
                            let reason =
                                format!("it named {named}, and this decision takes the index of a candidate");
                            Err(fault(reason))
                        }
                    },
                }
            }
        }
    }
}
