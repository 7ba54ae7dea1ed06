//! The observations of workloads, kept for designs that differ only in parameters that do not affect them: the speed of a link, the times
//! of drives. Caches have to become warm before their hit ratios are known, which takes a hundred times as long as all other work.

use crate::asked::{AskedFor, asked, depends_on};
use sansim_assembly::plan::SystemPlan;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// The observations, by the text of all settings on which they depend.
#[derive(Debug, Default)]
pub(super) struct Seen {
    kept: Mutex<HashMap<String, Arc<OnceLock<AskedFor>>>>,
}

impl Seen {
    /// The requests of the workloads of a plan; they are observed once for all plans with equal settings.
    pub fn observed_requests(&self, plan: &SystemPlan) -> AskedFor {
        let key = depends_on(plan);
        let place = match self.kept.lock() {
            Ok(mut kept) => kept.entry(key).or_default().clone(),
            // A thread stopped during the observation; observing again gives the same result.
            Err(_) => return asked(plan),
        };
        place.get_or_init(|| asked(plan)).clone()
    }

    /// The number of observations made.
    #[cfg(test)]
    pub fn observation_count(&self) -> usize {
        self.kept.lock().map_or(0, |kept| kept.values().filter(|place| place.get().is_some()).count())
    }
}
