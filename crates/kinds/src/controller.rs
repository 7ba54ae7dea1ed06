//! A storage controller: it stands as a target on the network of the hosts and as an initiator on that of its drives.

use sansim_bus::BusParameters;
use sansim_component::Half;
use sansim_component::announced::Announced;
use sansim_component::compound::{Compound, Falls, Joins, Outage, Reference, Side};
use sansim_component::half::Cluster;
use sansim_component::policy::{Access, AskingEnd, PathParameters, ServingEnd};
use sansim_describe::codes;
use sansim_describe::fault::Fault;
use sansim_describe::keys::Keys;
use sansim_describe::quantities::{Choice, Names, NamesIfAny};
use sansim_describe::table;
use sansim_describe::table::Named;
use sansim_describe::words::Word;
use sansim_fc::loop_port::{Fairness, PortParameters, Schedule};
use sansim_fcp::adapter::AdapterParameters;
use sansim_storage::controller::{ControllerParameters, PairParameters, Stands};
use sansim_storage::resources::{ResourceParameters, Resources};

use crate::adapters::{Adapter, check_gathering, join, of_an_only};
use crate::buses::{check_buses, join_buses};
use crate::{Member, Part};

pub(crate) const INSIDE: NamesIfAny = NamesIfAny(Names { example: r#"["controller"]"# });
const TO: Names = Names { example: r#"["drives"]"# };

table! {
    /// An adapter of a controller on the network of the hosts.
    pub struct Front {
        /// The one of a pair of controllers to which it belongs.
        half: Half = Choice::<Half>::ANY, default r#""a""#, source "ours: the first";
    }
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
    pub struct Back {
        /// The one of a pair of controllers to which it belongs.
        half: Half = Choice::<Half>::ANY, default r#""a""#, source "ours: the first";
    }
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
    /// A storage controller. It presents a device of its own for each device behind it, of the same capacity and in the same order. A cache, an
    /// array or volumes behind it are its modules if they are `inside` it; so is a controller behind these, whose `back` adapters reach the
    /// drives.
    pub struct Controller {
        /// The devices behind it: those that stand on a loop it reaches by its `back` adapters, the others it asks with no network between.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The controller of which it is a module, and whose resources it uses: then its requests are internal I/Os.
        inside: Vec<String> = INSIDE, default "[]", source "Wang 2005, figure 3.3";
        /// Inside a pair of controllers, the one in which it is while that works.
        half: Half = Choice::<Half>::ANY, default r#""a""#, source "ours: the first";
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
        /// What its modules share: processors, bridge, system bus, memory. It uses them itself, and so does what is `inside` it.
        resources: ResourceParameters;
        /// Whether it is two controllers that stand in for each other.
        pair: PairParameters;
    }
    named {
        /// Where it has several adapters on networks of hosts: each of them, in place of `front`.
        fronts: Front;
        /// Where it has several adapters on networks of drives: each of them, in place of `back`.
        backs: Back;
        /// The buses by which its adapters get at its memory. Without one each moves data as if it were alone.
        buses: BusParameters;
    }
    checks(check_buses, check_resources, check_halves)
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

/// What fails at random of a pair.
pub(crate) fn outages_of(pair: &PairParameters) -> Vec<Outage> {
    let Some(every) = pair.fails_every.filter(|_| pair.is_pair()) else { return Vec::new() };
    let of =
        |half: Half| Outage { key: "pair.fails_every", thing: half.index(), every, lasts: pair.fails_for };
    Half::EACH.into_iter().take(pair.controllers as usize).map(of).collect()
}

/// The adapters of a half of a pair of controllers.
pub(crate) fn adapters_of<T>(thing: usize, all: &[(String, &T)], half: impl Fn(&T) -> Half) -> Vec<Falls> {
    let of_it = all.iter().filter(|(_, adapter)| half(adapter).index() == thing);
    of_it.map(|(path, _)| Falls { path: path.clone(), thing: None }).collect()
}

/// An adapter belongs to a controller that there is.
pub(crate) fn check_halves<T>(
    keys: &mut Keys<'_, '_>,
    pair: &PairParameters,
    table: &str,
    several: &[Named<T>],
    half: impl Fn(&T) -> Half,
) {
    // That of an only one may be said to be either of two.
    let most = (pair.controllers as usize).max(2);
    let mut keys = keys.table(table);
    for one in several {
        let mut keys = keys.table(&one.name);
        if half(&one.described).index() >= most && keys.are_sound(&["half"]) {
            let message =
                format!("there are {} controllers here, and this is none of them", pair.controllers);
            let last = Half::EACH[most - 1].word();
            let fault = Fault::new(codes::OUT_OF_RANGE, keys.value("half"), message)
                .label("no such controller")
                .help(format!(
                    "the last one is \"{last}\", or say that there are more by `pair.controllers`"
                ));
            keys.report("half", fault);
        }
    }
}

impl Controller {
    fn check_halves(&self, keys: &mut Keys<'_, '_>) {
        check_halves(keys, &self.pair, "fronts", &self.fronts, |front| front.half);
        check_halves(keys, &self.pair, "backs", &self.backs, |back| back.half);
    }

    fn check_buses(&self, keys: &mut Keys<'_, '_>) {
        check_buses(keys, &self.member(), &self.buses);
    }

    /// A module has no resources of its own.
    fn check_resources(&self, keys: &mut Keys<'_, '_>) {
        let Some(outer) = self.inside.first().filter(|_| self.resources.are_there()) else { return };
        if keys.are_sound(&["inside", "resources"]) {
            let message = format!("it uses the resources of `{}`, and so none of its own", outer);
            let fault = Fault::new(codes::CONTRADICTION, keys.value("inside"), message)
                .label("a module of another controller")
                .help(format!("take out {}, or `inside`", keys.full("resources")));
            keys.report("inside", fault);
        }
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
        let stands = if self.inside.is_empty() { Stands::BeforeHosts } else { Stands::BehindOthers };
        let parameters = (self.controller.clone(), self.path, stands, self.pair);
        member.add::<sansim_storage::controller::Controller>(String::new(), parameters);
        for (path, back) in paths(&self.back, "back", &self.backs) {
            join(&mut member, back.as_adapter(path), Side::Initiator, processor);
        }
        member.unused.extend(of_an_only(vec!["front"], "fronts", &self.fronts));
        member.unused.extend(of_an_only(vec!["back"], "backs", &self.backs));
        join_buses(&mut member, &self.buses);
        if self.inside.is_empty() && (self.resources.are_there() || self.pair.is_pair()) {
            let resources =
                member.add::<Resources>("resources".to_owned(), (self.resources, self.pair.cluster()));
            member.shared.push((processor, resources));
            member.resources = Some(resources);
        }
        member
    }

    fn references(&self) -> Vec<Reference<'_>> {
        let inside = Reference { key: "inside", names: &self.inside, joins: Joins::Inside };
        vec![Reference { key: "to", names: &self.to, joins: Joins::Behind }, inside]
    }

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }

    fn announces(&self) -> Announced {
        self.announced
    }

    fn half(&self) -> Half {
        self.half
    }

    fn half_of(&self, adapter: &str) -> Half {
        let fronts = paths(&self.front, "front", &self.fronts);
        fronts.into_iter().find(|(path, _)| path == adapter).map_or(Half::A, |(_, front)| front.half)
    }

    fn access(&self, unit: u32, adapter: &str) -> Option<Access> {
        let mut fronts = paths(&self.front, "front", &self.fronts).into_iter();
        fronts.find(|(path, _)| path == adapter)?;
        let preferred = self.half_of(adapter) == self.pair.preferred(unit);
        self.pair.is_pair().then_some(if preferred { Access::Optimised } else { Access::NonOptimised })
    }

    fn fallible(&self) -> Vec<String> {
        self.pair.cluster().things()
    }

    fn outages(&self) -> Vec<Outage> {
        outages_of(&self.pair)
    }

    fn chooses(&self) -> Option<PathParameters> {
        Some(self.path)
    }

    fn cluster(&self) -> Cluster {
        self.pair.cluster()
    }

    fn falls_with(&self, thing: usize, _of: Cluster, _which: usize) -> Vec<Falls> {
        let mut falls = adapters_of(thing, &paths(&self.front, "front", &self.fronts), |front| front.half);
        falls.extend(adapters_of(thing, &paths(&self.back, "back", &self.backs), |back| back.half));
        if self.pair.is_pair() {
            falls.push(Falls { path: "resources".to_owned(), thing: Some(thing) });
        }
        falls
    }
}
