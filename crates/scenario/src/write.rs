//! The resolved scenario: every default written out as TOML, ready to be stored beside a result and run again, or as data.

use std::fmt::Write as _;

use sansim_describe::quantity::quoted;
use sansim_describe::table::Tabular;
use sansim_describe::writer::{Setting, Writer};

use crate::scenario::{OnLoop, Scenario};

impl Scenario {
    /// The scenario as TOML with every value that counts. Parsing it again gives an equal scenario.
    ///
    /// A value that only follows another key (a port's delay that is the loop's) is written as a comment, so that
    /// changing the other key in this text has the same effect as in the original one.
    pub fn to_toml(&self) -> String {
        self.written().out
    }

    /// Every key of [`Scenario::to_toml`] in its order, those that only follow another one included.
    pub fn settings(&self) -> Vec<Setting> {
        self.written().settings
    }

    fn written(&self) -> Writer {
        let mut writer = Writer::new(self.arbitrated_loop.context());
        writer.out.push_str("# Resolved scenario: every default is written out.\n");
        writer.field("title", &quoted(&self.title), None);
        writer.field("description", &quoted(&self.description), None);
        writer.table("run", None, |out| self.run.write(out));
        writer.table("fcp", None, |out| self.fcp.write(out));
        let network = &self.arbitrated_loop;
        writer.table(&network.name, Some("arbitrated-loop"), |out| network.write(out));
        writer.out.push_str("# Addresses in the order of the loop:\n");
        for OnLoop { group, al_pas } in &self.on_loop {
            let al_pas: Vec<String> = al_pas.iter().map(ToString::to_string).collect();
            let _ = writeln!(writer.out, "#   {}: {}", self.group_name(*group), al_pas.join(" "));
        }
        for host in &self.hosts {
            writer.table(&host.name, Some("host"), |out| host.write(out));
        }
        for group in &self.drives {
            writer.table(&group.name, Some("drives"), |out| group.write(out));
        }
        for group in &self.passives {
            writer.table(&group.name, Some("passive"), |out| group.write(out));
        }
        for workload in &self.workloads {
            writer.table(&workload.name, Some("closed"), |out| workload.write(out));
        }
        writer
    }
}
