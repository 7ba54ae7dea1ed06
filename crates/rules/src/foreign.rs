//! Rules from outside: those in another language, which a program above this crate registers as the Python package does, and those of a
//! user's crate ([`crate::custom`]).

use crate::rule_text::ForeignRuleText;
use crate::view::DecisionView;
use sansim_schema::decision::Decision;
use std::fmt::Debug;
use std::sync::OnceLock;

/// The reason why a rule gave no decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignFault {
    /// The reason, in one sentence without a full stop, perhaps with the lines of the rule's source below it.
    pub reason: String,
    /// Whether the user interrupted the rule.
    pub interrupted: bool,
}

/// The answer of a rule from outside, which the caller checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignAnswer {
    /// The index of a candidate.
    Index(i64),
    /// The number of something that need not be among the candidates that the rule saw.
    Named(i64),
}

/// A rule from outside, with what it remembers.
pub trait ForeignRule: Send + Debug {
    /// The answer to a view.
    ///
    /// # Errors
    /// If the rule raises an error, or its answer is no whole number.
    fn decide(&mut self, view: &DecisionView) -> Result<ForeignAnswer, ForeignFault>;

    /// Whether the rule follows any event.
    fn follows_events(&self) -> bool {
        false
    }

    /// Notifies the rule of an event, by its number in the decision. A rule that does not follow the event does nothing.
    ///
    /// # Errors
    /// If the rule raises an error.
    fn notify(&mut self, _event: usize, _arguments: &[i64]) -> Result<(), ForeignFault> {
        Ok(())
    }

    /// The run is over. Returns what the rule reports of itself, as JSON.
    ///
    /// # Errors
    /// If the rule raises an error.
    fn end(&mut self) -> Result<Option<String>, ForeignFault> {
        Ok(None)
    }
}

/// Makes the rule of a text for a decision, with a seed for random numbers of its own.
pub type RuleMaker =
    fn(&ForeignRuleText, &'static Decision, u64) -> Result<Box<dyn ForeignRule>, ForeignFault>;

static MAKER: OnceLock<RuleMaker> = OnceLock::new();

/// Registers the language of foreign rules; a second registration has no effect.
pub fn register_rule_maker(maker: RuleMaker) {
    // The same program registers the same language again.
    let _ = MAKER.set(maker);
}

/// Makes the rule of a text.
///
/// # Errors
/// If no language is registered, or the rule cannot be made.
pub fn make_foreign_rule(
    text: &ForeignRuleText,
    decision: &'static Decision,
    seed: u64,
) -> Result<Box<dyn ForeignRule>, ForeignFault> {
    match MAKER.get() {
        Some(maker) => maker(text, decision, seed),
        None => Err(ForeignFault {
            reason: "rules in Python run only where sansim is used from Python".to_owned(),
            interrupted: false,
        }),
    }
}
