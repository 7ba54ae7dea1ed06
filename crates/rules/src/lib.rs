//! Rules that users write: which of several candidates is next, by an expression in a scenario or by a class in a file beside it.
//!
//! A component asks a [`Decider`] as it asks a built-in rule. The decider fills a [`DecisionView`] with the features that the
//! [decision](sansim_schema::decision) declares, and asks the rule, which returns the index of a candidate.
//!
//! * [`own_rule`] - the rule as a value of a scenario, and the quantities that read it;
//! * [`rule_text`] - a rule outside the scenario as the scenario names it;
//! * [`expression`] - the language of expressions: tokens, syntax, evaluation;
//! * [`foreign`] - rules from outside, such as those in another language, which a program above registers;
//! * [`custom`] - rules in Rust from a crate of the user;
//! * [`view`] - the features of a decision at a moment;
//! * [`decider`] - a rule at work in a component;
//! * [`decision_log`] - what the rules of a run saw and chose, where a log is wanted;
//! * [`rules_of_run`] - the decisions of the rules of a run, what they cost, and the first failure, which ends the run.
//!
//! A system without rules of users has no decider.

#![forbid(unsafe_code)]

pub mod custom;
pub mod decider;
pub mod decision_log;
pub mod expression;
pub mod foreign;
pub mod own_rule;
pub mod rule_text;
pub mod rules_of_run;
pub mod view;

pub use decider::{Decider, RuleChoice};
pub use decision_log::DecisionLog;
pub use own_rule::{FlagOrRule, OwnRule, RuleName, RuleOf, RuleTable};
pub use rules_of_run::{RuleFailure, RuleUse, RulesOfRun};
pub use view::DecisionView;
