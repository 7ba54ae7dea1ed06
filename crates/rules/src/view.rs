//! The features of a decision at a moment.

use sansim_schema::decision::{Decision, Feature, FeaturePlace};

/// The features of a decision at a moment, in flat arrays that are filled again for each decision.
#[derive(Clone, Debug)]
pub struct DecisionView {
    decision: &'static Decision,
    /// The values of the features that all candidates have in common.
    common: Vec<i64>,
    /// The values of the features of each candidate, candidate after candidate.
    each: Vec<i64>,
    candidates: usize,
}

/// The most candidates that the text of a view shows.
const SHOWN: usize = 8;

impl DecisionView {
    /// The view of a decision, without candidates.
    pub fn new(decision: &'static Decision) -> Self {
        Self { decision, common: vec![0; decision.common.len()], each: Vec::new(), candidates: 0 }
    }

    /// The decision.
    pub fn decision(&self) -> &'static Decision {
        self.decision
    }

    /// Begins a view with the values of the common features.
    #[inline]
    pub fn begin(&mut self, common: &[i64]) {
        self.common.copy_from_slice(common);
        self.each.clear();
        self.candidates = 0;
    }

    /// Adds a candidate with the values of its features.
    #[inline]
    pub fn add_candidate(&mut self, each: &[i64]) {
        debug_assert_eq!(each.len(), self.decision.each.len());
        self.each.extend_from_slice(each);
        self.candidates += 1;
    }

    /// The number of candidates.
    #[inline]
    pub fn candidate_count(&self) -> usize {
        self.candidates
    }

    /// The values of the common features.
    pub fn common_values(&self) -> &[i64] {
        &self.common
    }

    /// The values of the features of all candidates, candidate after candidate.
    pub fn candidate_values(&self) -> &[i64] {
        &self.each
    }

    /// The value of a feature, for a candidate.
    #[inline]
    pub fn value(&self, candidate: usize, place: FeaturePlace) -> i64 {
        match place {
            FeaturePlace::Common(number) => self.common[number],
            FeaturePlace::Each(number) => self.each[candidate * self.decision.each.len() + number],
        }
    }

    /// The view as text, for a message: the common features, then the first candidates.
    pub fn shown(&self) -> String {
        let width = self.decision.each.len().max(1);
        let candidates = self.each.chunks(width).take(SHOWN);
        let candidates = candidates.map(|values| format!("[{}]", named(self.decision.each, values)));
        let mut parts = vec![named(self.decision.common, &self.common)];
        parts.extend(candidates);
        if self.candidates > SHOWN {
            parts.push(format!("and {} more", self.candidates - SHOWN));
        }
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }
}

/// Features with their values.
fn named(features: &[Feature], values: &[i64]) -> String {
    let one = |(feature, value): (&Feature, &i64)| format!("{} {value}", feature.name);
    features.iter().zip(values).map(one).collect::<Vec<_>>().join(", ")
}
