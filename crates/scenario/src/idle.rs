//! Keys that are given another value than their default and mean nothing as things are.
//!
//! Tables say so of their own keys (`idle` of [`sansim_describe::table!`]); of those that mean nothing because of how a component is joined, the
//! graph says so.

use std::collections::BTreeMap;

use sansim_describe::idle::{Idle, IdleKey};
use sansim_describe::table::Tabular;
use sansim_describe::writer::Writer;

use crate::scenario::Scenario;

impl Scenario {
    /// The keys that are given another value than their default and mean nothing, in the order of the resolved scenario, with the reason.
    pub fn idle(&self) -> Vec<IdleKey> {
        let mut idle = Idle::default();
        idle.table("run", |idle| self.run.idle(idle));
        idle.table("fcp", |idle| self.fcp.idle(idle));
        for (number, component) in self.components.iter().enumerate() {
            idle.table(&component.name, |idle| {
                component.idle(idle);
                for (key, why) in self.meaningless(number) {
                    idle.unless(false, &[&key], why);
                }
            });
        }
        let whys: BTreeMap<String, String> =
            idle.into_keys().into_iter().map(|idle| (idle.key, idle.why)).collect();
        let why = |key: &str| {
            let mut paths = key.match_indices('.').map(|(dot, _)| &key[..dot]).chain([key]);
            paths.find_map(|path| whys.get(path)).cloned()
        };
        let given = self.given().into_iter().filter_map(|key| Some(IdleKey { why: why(&key)?, key }));
        given.chain(self.idle_of_events()).collect()
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
