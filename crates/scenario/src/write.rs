//! The resolved scenario as TOML: every default written out, ready to be stored beside a result and run again.

use std::fmt::Write as _;

use crate::quantity::quoted;
use crate::scenario::{Scenario, StationRef};
use crate::table::Writer;

impl Scenario {
    /// The scenario as TOML with every value that counts. Parsing it again gives an equal scenario.
    ///
    /// A value that only follows another key (a port's delay that is the loop's) is written as a comment, so that
    /// changing the other key in this text has the same effect as in the original one.
    pub fn to_toml(&self) -> String {
        let mut writer = Writer::new(self.context());
        writer.out.push_str("# Resolved scenario: every default is written out.\n");
        writer.field("title", &quoted(&self.title), None);
        writer.field("description", &quoted(&self.description), None);
        writer.table("run", None, &self.run);
        writer.table("fcp", None, &self.fcp);
        writer.table(&self.arbitrated_loop.name, Some("arbitrated-loop"), &self.arbitrated_loop);
        writer.out.push_str("# Addresses in the order of the loop:\n");
        for &station in &self.arbitrated_loop.order {
            let al_pas = match station {
                StationRef::Controller(index) => &self.controllers[index].port.al_pas,
                StationRef::Drives(index) => &self.drives[index].port.al_pas,
                StationRef::Passive(index) => &self.passives[index].port.al_pas,
            };
            let al_pas: Vec<String> = al_pas.iter().map(ToString::to_string).collect();
            let _ = writeln!(writer.out, "#   {}: {}", self.station_name(station), al_pas.join(" "));
        }
        for controller in &self.controllers {
            writer.table(&controller.name, Some("controller"), controller);
        }
        for group in &self.drives {
            writer.table(&group.name, Some("drives"), group);
        }
        for group in &self.passives {
            writer.table(&group.name, Some("passive"), group);
        }
        for workload in &self.workloads {
            writer.table(&workload.name, Some("closed"), workload);
        }
        writer.out
    }
}
