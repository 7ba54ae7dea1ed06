//! What is allowed and probably not meant; a module for each.

use crate::left_out;
use crate::reach;
use crate::scenario::Scenario;

impl Scenario {
    /// What is allowed and probably not meant, a line each. The simulation is the same with it or without.
    pub fn warnings(&self) -> Vec<String> {
        let remarks = self.components.iter().flat_map(|component| {
            let remarks = component.compound().remarks().into_iter();
            remarks.map(|remark| format!("`{}`: {remark}", component.name))
        });
        left_out::warning(self).into_iter().chain(reach::warnings(self)).chain(remarks).collect()
    }
}
