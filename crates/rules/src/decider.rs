//! A rule of a user at work in a component.

use crate::foreign::ForeignFault;
use crate::own_rule::{OwnRule, RuleForm};
use crate::rules_of_run::{self, RuleFailure};
use crate::view::DecisionView;
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
    calls: u64,
}

/// One of this many decisions is timed: reading the clock takes as long as an expression.
const TIMED: u64 = 64;

/// The clone of a decider has decided nothing yet.
impl Clone for Decider {
    fn clone(&self) -> Self {
        Self::from(self.rule.clone())
    }
}

impl From<OwnRule> for Decider {
    fn from(rule: OwnRule) -> Self {
        let view = DecisionView::new(rule.decision);
        Self { rule, view, foreign: None, number: None, calls: 0 }
    }
}

impl Decider {
    /// The view, to be filled with [`DecisionView::begin`] and [`DecisionView::add_candidate`].
    #[inline]
    pub fn view(&mut self) -> &mut DecisionView {
        &mut self.view
    }

    /// The index of the candidate that the rule chooses. `now_ns` is the simulated time, for messages.
    ///
    /// If the rule fails the index is 0, and the run ends with the failure; then no rule of the run is asked any more.
    pub fn choose(&mut self, now_ns: u64) -> usize {
        let number = match self.number {
            Some(number) => number,
            None => *self.number.insert(rules_of_run::register(&self.rule)),
        };
        if rules_of_run::has_failed() {
            return 0;
        }
        // A rule in another language is loaded at its first decision, which is not part of its cost.
        let loaded = self.load();
        let timed = self.calls.is_multiple_of(TIMED).then(Instant::now);
        self.calls += 1;
        let answer = loaded.and_then(|()| self.answer());
        rules_of_run::count(number, timed.map(|since| since.elapsed()));
        match answer {
            Ok(index) => index,
            Err(ForeignFault { reason, interrupted }) => {
                rules_of_run::fail(RuleFailure {
                    rule: self.rule.name(),
                    decision: self.rule.decision.name,
                    at_ns: now_ns,
                    reason,
                    saw: self.view.shown(),
                    interrupted,
                });
                0
            }
        }
    }

    /// Loads a rule in another language, unless it is there.
    #[inline]
    fn load(&mut self) -> Result<(), ForeignFault> {
        if let (RuleForm::Python(text), None) = (&*self.rule.form, self.foreign) {
            self.foreign = Some(rules_of_run::make(text, &self.rule)?);
        }
        Ok(())
    }

    fn answer(&mut self) -> Result<usize, ForeignFault> {
        let fault = |reason: String| ForeignFault { reason, interrupted: false };
        let candidates = self.view.candidate_count();
        match &*self.rule.form {
            RuleForm::Expression(expression) => expression
                .lowest(&self.view)
                .map_err(|candidate| fault(format!("it has no value for candidate {candidate}"))),
            RuleForm::Python(_) => {
                let answer = rules_of_run::ask(self.foreign.unwrap_or(usize::MAX), &self.view)?;
                usize::try_from(answer).ok().filter(|&index| index < candidates).ok_or_else(|| {
                    fault(format!("it answered {answer}, and the candidates are 0 to {}", candidates - 1))
                })
            }
        }
    }
}
