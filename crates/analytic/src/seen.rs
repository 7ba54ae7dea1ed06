//! What was seen of workloads, kept for designs that differ in what it does not depend on: the speed of a link, the times of drives. Caches have to
//! become warm before their hit ratios are known, which takes a hundred times as long as all else.

use crate::asked::{AskedFor, asked, depends_on};
use sansim_assembly::plan::SystemPlan;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// What was seen, by all that it depends on.
#[derive(Debug, Default)]
pub(super) struct Seen {
    kept: Mutex<HashMap<String, Arc<OnceLock<AskedFor>>>>,
}

impl Seen {
    /// What the workloads of a plan ask for; looked at once for all plans that are alike in that.
    pub fn asked(&self, plan: &SystemPlan) -> AskedFor {
        let key = depends_on(plan);
        let place = match self.kept.lock() {
            Ok(mut kept) => kept.entry(key).or_default().clone(),
            // Somebody stopped in the middle of it; what is worked out anew is the same.
            Err(_) => return asked(plan),
        };
        place.get_or_init(|| asked(plan)).clone()
    }

    /// How often somebody looked.
    #[cfg(test)]
    pub fn looks(&self) -> usize {
        self.kept.lock().map_or(0, |kept| kept.values().filter(|place| place.get().is_some()).count())
    }
}
