//! Keys that are given another value than their default and mean nothing as things are.
//!
//! Tables say so of their own keys (`idle` of [`sansim_describe::table!`]); of those that mean nothing because of how a component is joined, the
//! graph says so.

use std::collections::BTreeMap;

use sansim_describe::idle::{Idle, IdleKey};
use sansim_describe::table::Tabular;
use sansim_describe::writer::Writer;

use crate::graph::GraphStation;
use crate::scenario::Scenario;
use sansim_fc::loop_port::PortParameters;
use sansim_kinds::{Described, Side, of_the_other_side};

/// The keys of adapters that mean nothing on their side: a host answers no commands, a drive sends none.
fn of_adapters(component: &Described, idle: &mut Idle) {
    for port in component.compound().member().ports {
        // The port by itself has a table of its own where there is one adapter only.
        let Some(table) = port.owns.iter().rfind(|table| *table != "port") else { continue };
        let why = if port.side == Side::Initiator {
            "this adapter sends commands"
        } else {
            "this adapter receives commands"
        };
        idle.table(table, |idle| idle.unless(false, of_the_other_side(port.side), why));
    }
}

impl Scenario {
    /// The keys that are given another value than their default and mean nothing, in the order of the resolved scenario, with the reason.
    pub fn idle(&self) -> Vec<IdleKey> {
        let mut idle = Idle::default();
        let is_coarse = self.graph.parts.iter().any(|part| part.part.at_words().is_some());
        idle.table("run", |idle| {
            self.run.idle(idle);
            idle.unless(is_coarse, &["cross_check"], "every network is simulated to the word (`fidelity`)");
        });
        idle.table("fcp", |idle| self.fcp.idle(idle));
        for (number, component) in self.components.iter().enumerate() {
            idle.table(&component.name, |idle| {
                component.idle(idle);
                of_adapters(component, idle);
                for (key, why) in self.meaningless(number) {
                    idle.unless(false, &[&key], why);
                }
            });
        }
        let mut idle_keys = idle.into_keys();
        idle_keys.extend(self.idle_of_ports());
        let whys: BTreeMap<String, String> = idle_keys.into_iter().map(|idle| (idle.key, idle.why)).collect();
        let why = |key: &str| {
            let mut paths = key.match_indices('.').map(|(dot, _)| &key[..dot]).chain([key]);
            paths.find_map(|path| whys.get(path)).cloned()
        };
        let given = self.given().into_iter().filter_map(|key| Some(IdleKey { why: why(&key)?, key }));
        given.chain(self.idle_of_events()).collect()
    }

    /// The keys of ports that mean nothing where they stand: those of a loop on a fabric, and what only two ports can do together.
    fn idle_of_ports(&self) -> Vec<IdleKey> {
        let mut found = Vec::new();
        for on_loop in &self.graph.loops {
            let Some(network) = self.graph.parts[on_loop.part].part.network() else { continue };
            let mut listed: Vec<&GraphStation> = on_loop.stations.iter().collect();
            listed.dedup_by(|one, other| one.listed == other.listed);
            for station in &listed {
                let mut idle = |key: &str, why: &str| {
                    found
                        .push(IdleKey { key: format!("{}.port.{key}", station.listed), why: why.to_owned() });
                };
                if network.is_fabric {
                    PortParameters::keys()
                        .into_iter()
                        .filter(|key| !PortParameters::OF_FABRICS.contains(key))
                        .for_each(|key| idle(key, "it stands on a fabric, and no loop"));
                    continue;
                }
                let has_other = |of: fn(&PortParameters) -> bool| {
                    listed.iter().any(|other| other.side != station.side && of(&other.port))
                };
                if !has_other(|port| port.full_duplex) {
                    idle("full_duplex", "no port that it talks to is in full duplex");
                }
                if !has_other(|port| port.dynamic_half_duplex) {
                    idle("dynamic_half_duplex", "no port that it talks to supports DHD");
                }
            }
        }
        found
    }

    /// The keys of components and of the run that are given another value than their default.
    fn given(&self) -> Vec<String> {
        let settings = self.all_settings().into_iter();
        settings.filter(|setting| !setting.is_default).map(|setting| setting.key).collect()
    }

    /// The same of events, by their numbers.
    fn idle_of_events(&self) -> Vec<IdleKey> {
        let of_event = |(number, event): (usize, &crate::event::Event)| {
            let mut writer = Writer::new(sansim_describe::context::Context::default());
            event.write(&mut writer);
            let mut idle = Idle::default();
            event.idle(&mut idle);
            let is_given = |idle: &IdleKey| {
                writer.settings.iter().any(|setting| setting.key == idle.key && !setting.is_default)
            };
            let found: Vec<IdleKey> = idle.into_keys().into_iter().filter(is_given).collect();
            found
                .into_iter()
                .map(move |idle| IdleKey { key: format!("event[{number}].{}", idle.key), ..idle })
        };
        self.events.iter().enumerate().flat_map(of_event).collect()
    }
}
