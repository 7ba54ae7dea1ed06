//! A storage controller: it stands as a target on the network of the hosts and as an initiator on that of its drives.

use sansim_bus::BusParameters;
use sansim_component::announced::Announced;
use sansim_component::compound::{Compound, Joins, Reference, Side};
use sansim_component::policy::{AskingEnd, PathParameters, ServingEnd};
use sansim_describe::keys::Keys;
use sansim_describe::quantities::Names;
use sansim_describe::table;
use sansim_describe::table::Named;
use sansim_fc::loop_port::{Fairness, PortParameters, Schedule};
use sansim_fcp::adapter::AdapterParameters;
use sansim_storage::controller::ControllerParameters;

use crate::adapters::{Adapter, check_gathering, join, of_an_only};
use crate::buses::{check_buses, join_buses};
use crate::{Member, Part};

const TO: Names = Names { example: r#"["drives"]"# };

table! {
    /// An adapter of a controller on the network of the hosts.
    pub struct Front {}
    parts {
        /// The adapter.
        adapter: AdapterParameters;
        /// The ways that end at it.
        to: ServingEnd;
        /// How its port asks for the loop.
        fairness: Fairness;
    }
    tables {
        /// Its port on the loop.
        port: PortParameters;
    }
    checks(check_gathering)
}

table! {
    /// An adapter of a controller on the network of its drives.
    pub struct Back {}
    parts {
        /// The adapter.
        adapter: AdapterParameters;
        /// The ways that begin at it.
        from: AskingEnd;
        /// How its port asks for the loop.
        schedule: Schedule;
    }
    tables {
        /// Its port on the loop.
        port: PortParameters;
    }
    checks(check_gathering)
}

table! {
    /// A storage controller without a cache. It presents a device of its own for each device behind it, of the same capacity and
    /// in the same order.
    pub struct Controller {
        /// The devices behind it: those that stand on a loop it reaches by its `back` adapters, the others it asks with no network between.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
    }
    parts {
        /// How it chooses among several ways.
        path: PathParameters;
        /// What each of its logical units tells hosts.
        announced: Announced;
        /// Its processor. It has tables of its own, which stand behind all keys.
        controller: ControllerParameters;
    }
    tables {
        /// The adapter on the network of the hosts. In `stations` it is called `CONTROLLER.front`.
        front: Front;
        /// The adapter on the network of the drives. In `stations` it is called `CONTROLLER.back`.
        back: Back;
    }
    named {
        /// Where it has several adapters on networks of hosts: each of them, in place of `front`.
        fronts: Front;
        /// Where it has several adapters on networks of drives: each of them, in place of `back`.
        backs: Back;
        /// The buses by which its adapters get at its memory. Without one each moves data as if it were alone.
        buses: BusParameters;
    }
    checks(check_buses)
}

impl Front {
    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "");
    }

    pub(crate) fn as_adapter(&self, path: String) -> Adapter<'_> {
        let plain = Adapter::plain(path, &self.port, self.adapter, self.fairness.schedule());
        Adapter { to: self.to, ..plain }
    }
}

impl Back {
    fn check_gathering(&self, keys: &mut Keys<'_, '_>) {
        check_gathering(keys, &self.port, &self.adapter, "");
    }

    pub(crate) fn as_adapter(&self, path: String) -> Adapter<'_> {
        let plain = Adapter::plain(path, &self.port, self.adapter, self.schedule);
        Adapter { from: self.from, ..plain }
    }
}

/// The paths of adapters of one side, each with what was said of it.
pub(crate) fn paths<'a, T>(one: &'a T, name: &str, several: &'a [Named<T>]) -> Vec<(String, &'a T)> {
    if several.is_empty() {
        return vec![(name.to_owned(), one)];
    }
    several.iter().map(|several| (format!("{name}s.{}", several.name), &several.described)).collect()
}

impl Controller {
    fn check_buses(&self, keys: &mut Keys<'_, '_>) {
        check_buses(keys, &self.member(), &self.buses);
    }
}

impl Compound<Part> for Controller {
    fn member(&self) -> Member {
        let fronts = paths(&self.front, "front", &self.fronts);
        let processor = fronts.len();
        let mut member = Member { asks: Some(processor), serves: Some(processor), ..Member::default() };
        for (path, front) in fronts {
            join(&mut member, front.as_adapter(path), Side::Target, processor);
        }
        member.add::<sansim_storage::controller::Controller>(String::new(), (self.controller, self.path));
        for (path, back) in paths(&self.back, "back", &self.backs) {
            join(&mut member, back.as_adapter(path), Side::Initiator, processor);
        }
        member.unused.extend(of_an_only(vec!["front"], "fronts", &self.fronts));
        member.unused.extend(of_an_only(vec!["back"], "backs", &self.backs));
        join_buses(&mut member, &self.buses);
        member
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "to", names: &self.to, joins: Joins::Behind }]
    }

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }

    fn announces(&self) -> Announced {
        self.announced
    }
}
