//! A rule in Rust: the path with the fewest commands in flight, beyond a number that each path may have.

use sansim_rules::DecisionView;
use sansim_rules::custom::{CustomRule, RuleParameters};
use sansim_rules::foreign::{ForeignAnswer, ForeignFault, ForeignRule};
use sansim_schema::decision::{Decision, FeaturePlace};
use sansim_schema::quantities::Count;

/// The rules of this crate.
pub const RULES: &[CustomRule] = &[CustomRule { name: "fewest", make: fewest }];

#[derive(Debug)]
struct Fewest {
    outstanding: FeaturePlace,
    free: i64,
}

fn fewest(
    parameters: &mut RuleParameters,
    decision: &'static Decision,
    _seed: u64,
) -> Result<Box<dyn ForeignRule>, String> {
    let free: u32 = parameters.take("free", &Count::<u32>::between(0, 1_000), 0)?;
    match decision.feature("outstanding") {
        Some(outstanding) => Ok(Box::new(Fewest { outstanding, free: free.into() })),
        None => Err(format!("`{}` has no feature `outstanding`", decision.name)),
    }
}

impl ForeignRule for Fewest {
    fn decide(&mut self, view: &DecisionView) -> Result<ForeignAnswer, ForeignFault> {
        let beyond = |at: &usize| (view.value(*at, self.outstanding) - self.free).max(0);
        let least = (0..view.candidate_count()).min_by_key(beyond).unwrap_or(0);
        Ok(ForeignAnswer::Index(least as i64))
    }
}
