//! Rules in Rust from a crate of the user. `./dev with CRATE` builds an extension of sansim that has them beside the built-in rules; a
//! scenario names one by `{ rust = "name", parameter = ... }`.
//!
//! The crate lists its rules, and each makes an object for every place of the system that has it:
//!
//! ```
//! use sansim_rules::DecisionView;
//! use sansim_rules::custom::{CustomRule, RuleParameters};
//! use sansim_rules::foreign::{ForeignAnswer, ForeignFault, ForeignRule};
//! use sansim_schema::decision::Decision;
//!
//! /// The rules of the crate.
//! pub const RULES: &[CustomRule] = &[CustomRule { name: "last", make: last }];
//!
//! #[derive(Debug)]
//! struct Last;
//!
//! impl ForeignRule for Last {
//!     fn decide(&mut self, view: &DecisionView) -> Result<ForeignAnswer, ForeignFault> {
//!         Ok(ForeignAnswer::Index(view.candidate_count() as i64 - 1))
//!     }
//! }
//!
//! fn last(_: &mut RuleParameters, _: &'static Decision, _seed: u64) -> Result<Box<dyn ForeignRule>, String> {
//!     Ok(Box::new(Last))
//! }
//! # sansim_rules::custom::register_custom_rules(RULES);
//! # assert!(sansim_rules::custom::custom_rule("last").is_some());
//! ```

use crate::foreign::{ForeignFault, ForeignRule};
use crate::rule_text::{CustomRuleText, ParameterValue};
use sansim_schema::context::Facts;
use sansim_schema::decision::Decision;
use sansim_schema::quantity::Quantity;
use sansim_schema::source::SourceRange;
use sansim_schema::tree::{Value, ValueNode};
use std::sync::OnceLock;

/// Makes the object of a rule for a decision, with its parameters and a seed for random numbers of its own. The error says in one sentence
/// without a full stop why the rule cannot be made.
pub type CustomRuleMaker =
    fn(&mut RuleParameters, &'static Decision, u64) -> Result<Box<dyn ForeignRule>, String>;

/// A rule in Rust by its name.
#[derive(Clone, Copy, Debug)]
pub struct CustomRule {
    /// The name of the rule in scenarios.
    pub name: &'static str,
    /// Makes its objects.
    pub make: CustomRuleMaker,
}

static RULES: OnceLock<&'static [CustomRule]> = OnceLock::new();

/// Registers the rules of the user's crate; a second registration has no effect.
pub fn register_custom_rules(rules: &'static [CustomRule]) {
    // The same program registers the same rules again.
    let _ = RULES.set(rules);
}

/// The rules in Rust of this program.
pub fn custom_rules() -> &'static [CustomRule] {
    RULES.get().copied().unwrap_or_default()
}

/// The rule in Rust with a name.
pub fn custom_rule(name: &str) -> Option<&'static CustomRule> {
    custom_rules().iter().find(|rule| rule.name == name)
}

/// Makes an object of a rule for a decision, with a seed for random numbers of its own.
///
/// # Errors
/// If this program has no such rule, a parameter does not fit or is unknown to the rule, or the rule cannot be made for the decision.
pub fn make_custom_rule(
    text: &CustomRuleText,
    decision: &'static Decision,
    seed: u64,
) -> Result<Box<dyn ForeignRule>, ForeignFault> {
    let fault = |reason| ForeignFault { reason, interrupted: false };
    let CustomRuleText { name, parameters } = text;
    let Some(rule) = custom_rule(name) else {
        let known: Vec<&str> = custom_rules().iter().map(|rule| rule.name).collect();
        return Err(fault(if known.is_empty() {
            format!(
                "this build of sansim has no rule `{name}`, nor any other in Rust; `./dev with CRATE` makes one that has"
            )
        } else {
            format!("this build of sansim has no rule `{name}` in Rust; it has {}", known.join(", "))
        }));
    };
    let mut parameters = RuleParameters { left: parameters.clone() };
    let made = (rule.make)(&mut parameters, decision, seed).map_err(fault)?;
    match parameters.left.first() {
        Some((unknown, _)) => Err(fault(format!("the rule `{name}` has no parameter `{unknown}`"))),
        None => Ok(made),
    }
}

/// The parameters of a rule, which takes those that it knows.
#[derive(Clone, Debug)]
pub struct RuleParameters {
    left: Vec<(String, ParameterValue)>,
}

impl RuleParameters {
    /// Takes a parameter, read as a quantity of keys: `parameters.take("window", &Time::ANY, Span::from_ms(2))?`. Without the parameter the result is the default.
    ///
    /// # Errors
    /// If the value does not fit the quantity.
    pub fn take<Q: Quantity>(
        &mut self,
        name: &str,
        quantity: &Q,
        default: Q::Value,
    ) -> Result<Q::Value, String> {
        let Some(place) = self.left.iter().position(|(known, _)| known == name) else { return Ok(default) };
        let (_, value) = self.left.remove(place);
        let value = match value {
            ParameterValue::Text(text) => Value::Text(text),
            ParameterValue::Whole(number) => Value::Integer(Some(number.into())),
            ParameterValue::Number(number) => Value::Float(format!("{number:?}")),
            ParameterValue::Flag(flag) => Value::Flag(flag),
        };
        let place = SourceRange { text: 0, start: 0, end: 0 };
        let node = ValueNode { value, place, typed: None };
        quantity.read(&node, &Facts::default()).map_err(|faults| {
            let why: Vec<String> = faults.into_iter().map(|fault| fault.message).collect();
            format!("parameter `{name}`: {}", why.join("; "))
        })
    }
}
