//! Idle keys: keys that have another value than their default and no effect in this scenario.
//!
//! Tables report idle keys of their own (`idle` of [`sansim_schema::table!`]); keys that have no effect because of how a component is
//! joined are found from the graph.

use std::collections::{BTreeMap, BTreeSet};

use sansim_schema::idle::{IdleKey, IdleKeys};
use sansim_schema::table::Tabular;
use sansim_schema::writer::TomlWriter;

use crate::graph::{GraphLoop, GraphStation};
use crate::scenario::Scenario;
use sansim_fc::loop_port::{ArbitrationSchedule, DriveFairness, FcPort, PortParameters};
use sansim_fcp::nvme::keys_of_other_transports;
use sansim_registry::{
    KindParameters, NetworkPortRole, Part, PolicyName, ReferenceRelation, keys_of_other_side,
};

/// Whether this adapter moves anything by DMA in several pieces, so that it may move other data between them: the description of an I/O, or
/// a frame of another adapter that sends longer ones.
fn moves_in_several_pieces(
    adapter: &Part,
    side: NetworkPortRole,
    longest: &BTreeMap<NetworkPortRole, u64>,
) -> bool {
    let Some(piece) = adapter.max_payload() else { return false };
    let of_others = longest.iter().filter(|(of, _)| **of != side).map(|(_, bytes)| *bytes);
    of_others.chain(adapter.io_description_bytes()).any(|bytes| bytes > piece)
}

impl Scenario {
    /// The keys of adapters that have no effect where they are: a host answers no commands, a drive sends none, and a single adapter is
    /// neither preferred nor avoided.
    fn of_adapters(
        component: &KindParameters,
        longest: &BTreeMap<NetworkPortRole, u64>,
        idle: &mut IdleKeys,
    ) {
        let compound = component.kind_behaviour();
        let (member, chooses) = (compound.member(), compound.chooses());
        for port in &member.ports {
            // The port has a table of its own where there is only one adapter.
            let Some(table) = port.owns.iter().rfind(|table| *table != "port") else { continue };
            let why = if port.side == NetworkPortRole::Initiator {
                "this adapter sends commands"
            } else {
                "this adapter receives commands"
            };
            let are_several = member.ports.iter().filter(|other| other.side == port.side).count() > 1;
            let by_throughput = chooses.as_ref().is_none_or(|chooses| {
                chooses.path.is(PolicyName::ServiceTime) || chooses.path.built_in().is_none()
            });
            let by_node = chooses
                .as_ref()
                .is_none_or(|chooses| chooses.path.is(PolicyName::Numa) || chooses.path.built_in().is_none());
            let part = port.part.map(|part| &member.parts[part].part);
            let is_split = part.is_none_or(|part| moves_in_several_pieces(part, port.side, longest));
            idle.collect_table(table, |idle| {
                idle.mark_idle_unless(false, keys_of_other_side(port.side), why);
                let of_several = ["access", "relative_throughput", "numa_node"];
                idle.mark_idle_unless(are_several, &of_several, "there is no other adapter beside it");
                let why = "ways are not chosen by it (`path`)";
                idle.mark_idle_unless(by_throughput, &["relative_throughput"], why);
                idle.mark_idle_unless(by_node, &["numa_node"], why);
                let why = "nothing that is moved is longer than a frame (`max_payload`)";
                idle.mark_idle_unless(is_split, &["dma_order"], why);
            });
        }
    }

    /// Collects keys that assign something to a controller of a pair, where there is no pair.
    fn of_halves(&self, component: &KindParameters, idle: &mut IdleKeys) {
        let compound = component.kind_behaviour();
        let are_several = |of: &KindParameters| of.kind_behaviour().cluster().has_several_nodes();
        let references = compound.references();
        let outer = references.iter().filter(|reference| reference.joins == ReferenceRelation::Inside);
        let mut outer =
            outer.flat_map(|reference| reference.names).filter_map(|name| self.component_named(name));
        let is_inside = outer.any(are_several);
        idle.mark_idle_unless(is_inside, &["side"], "it is inside no pair of controllers");
        for port in compound.member().ports {
            for table in port.owns {
                let is_of_pair = is_inside || are_several(component);
                let why = "there is no pair of controllers that it belongs to";
                idle.collect_table(&table, |idle| idle.mark_idle_unless(is_of_pair, &["side"], why));
            }
        }
    }

    /// Whether this component is on networks, and arbitrates on none of them.
    fn arbitrates_for_none(&self, component: usize) -> bool {
        let stands =
            |on_loop: &&GraphLoop| on_loop.stations.iter().any(|station| station.component == component);
        let mut networks = self.graph.loops.iter().filter(stands).peekable();
        let arbitrates = |on_loop: &GraphLoop| {
            self.graph.parts[on_loop.part].part.network().is_some_and(|network| network.arbitrates())
        };
        networks.peek().is_some() && !networks.any(arbitrates)
    }

    /// The components that share a device, and its announced queue depth, with other components.
    fn with_several_askers(&self) -> BTreeSet<usize> {
        let graph = &self.graph;
        let mut askers = vec![0; graph.devices.len()];
        let asks = graph.reaches.iter().filter(|reach| !reach.ways.is_empty());
        asks.for_each(|reach| askers[reach.device] += 1);
        let devices = graph.devices.iter().zip(askers).filter(|(_, askers)| *askers > 1);
        devices.map(|(device, _)| graph.places[graph.parts[device.part].place].component).collect()
    }

    /// The most data in a frame of an adapter that sends commands, and of an adapter that receives them.
    fn longest_frames(&self) -> BTreeMap<NetworkPortRole, u64> {
        let mut longest = BTreeMap::new();
        for station in self.graph.loops.iter().flat_map(|on_loop| &on_loop.stations) {
            let bytes = station.part.and_then(|part| self.graph.parts[part].part.max_payload());
            let of_side = longest.entry(station.side).or_insert(0);
            *of_side = bytes.unwrap_or(0).max(*of_side);
        }
        longest
    }
}

impl Scenario {
    /// The keys that have another value than their default and no effect, in the order of the resolved scenario, with the reason.
    pub fn idle_keys(&self) -> Vec<IdleKey> {
        let mut idle = IdleKeys::default();
        idle.collect_table("run", |idle| self.run.idle(idle));
        idle.collect_table("fcp", |idle| self.fcp.idle(idle));
        let (shared, longest) = (self.with_several_askers(), self.longest_frames());
        for (number, component) in self.components.iter().enumerate() {
            idle.collect_table(&component.name, |idle| {
                idle.mark_idle_unless(shared.contains(&number), &["queue_depth_for"], "only one asks it");
                idle.mark_idle_unless(
                    self.member_count(number) > 1,
                    &["devices_each"],
                    "there is one workload",
                );
                component.collect_idle_keys(idle);
                Self::of_adapters(component, &longest, idle);
                self.of_halves(component, idle);
                let of_loops: Vec<&str> =
                    ArbitrationSchedule::keys().into_iter().chain(DriveFairness::keys()).collect();
                idle.mark_idle_unless(
                    !self.arbitrates_for_none(number),
                    &of_loops,
                    "it is attached to no loop",
                );
                for (key, why) in self.meaningless(number) {
                    idle.mark_idle_unless(false, &[&key], why);
                }
            });
        }
        let mut idle_keys = idle.into_keys();
        idle_keys.extend(self.idle_of_ports());
        idle_keys.extend(self.idle_of_transports());
        let whys: BTreeMap<String, String> = idle_keys.into_iter().map(|idle| (idle.key, idle.why)).collect();
        let why = |key: &str| {
            let mut paths = key.match_indices('.').map(|(dot, _)| &key[..dot]).chain([key]);
            paths.find_map(|path| whys.get(path)).cloned()
        };
        let given = self.given().into_iter().filter_map(|key| Some(IdleKey { why: why(&key)?, key }));
        given.chain(self.idle_of_events()).collect()
    }

    /// The keys of ports without an effect at their network: those of a loop on a fabric, and those that need two such ports.
    fn idle_of_ports(&self) -> Vec<IdleKey> {
        let mut found = Vec::new();
        for on_loop in &self.graph.loops {
            let Some(network) = self.graph.parts[on_loop.part].part.network() else { continue };
            let noun = self.components[self.graph.places[self.graph.parts[on_loop.part].place].component]
                .kind_of_component()
                .noun;
            let why = format!("it is attached to {noun}, and no loop");
            let mut listed: Vec<&GraphStation> = on_loop.stations.iter().collect();
            listed.dedup_by(|one, other| one.listed == other.listed);
            for station in &listed {
                let table = self.table_of_port(station);
                let mut idle = |key: &str, why: &str| {
                    found.push(IdleKey { key: format!("{table}.{key}"), why: why.to_owned() });
                };
                let of_network = network.port_keys();
                PortParameters::keys()
                    .into_iter()
                    .filter(|key| !of_network.contains(key))
                    .for_each(|key| idle(key, &why));
                if station.side == NetworkPortRole::Crossing && of_network.contains(&"al_pa") {
                    idle("al_pa", "an FL_Port has the AL_PA 00");
                }
                if !network.arbitrates() {
                    let of_loops = ArbitrationSchedule::keys().into_iter().chain(DriveFairness::keys());
                    found.extend(
                        of_loops.map(|key| IdleKey {
                            key: format!("{}.{key}", station.listed),
                            why: why.clone(),
                        }),
                    );
                    continue;
                }
                let has_other = |of: fn(&PortParameters) -> bool| {
                    let has = |other: &GraphStation| {
                        other.port.keys_of_protocol::<FcPort>().is_some_and(|keys| of(&keys.port))
                    };
                    listed.iter().any(|other| other.side != station.side && has(other))
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

    /// The keys of NVMe that have no effect on the network of their adapter: those of other transports.
    fn idle_of_transports(&self) -> Vec<IdleKey> {
        let mut found = Vec::new();
        for on_loop in &self.graph.loops {
            let Some(network) = self.graph.parts[on_loop.part].part.network() else { continue };
            let transport = network.transport();
            for station in &on_loop.stations {
                let Some(table) = self.table_of_adapter(station) else { continue };
                let keys = keys_of_other_transports(transport).into_iter();
                found.extend(
                    keys.map(|(key, why)| IdleKey {
                        key: format!("{table}.nvme.{key}"),
                        why: why.to_owned(),
                    }),
                );
            }
        }
        found
    }

    /// The dotted path of the table of the adapter at a port, if it has one.
    fn table_of_adapter(&self, station: &GraphStation) -> Option<String> {
        let component = &self.components[station.component];
        let path = station.listed.split_once('.').map_or("", |(_, path)| path);
        let ports = component.kind_behaviour().member().ports;
        let port = ports.into_iter().find(|port| port.path == path)?;
        let table = port.owns.iter().rfind(|table| *table != "port")?;
        Some(format!("{}.{table}", component.name))
    }

    /// The dotted path of the table of a port.
    fn table_of_port(&self, station: &GraphStation) -> String {
        let component = &self.components[station.component];
        let path = station.listed.split_once('.').map_or("", |(_, path)| path);
        let ports = component.kind_behaviour().member().ports;
        let table = ports.into_iter().find(|port| port.path == path).map(|port| port.table);
        format!("{}.{}", component.name, table.unwrap_or_else(|| "port".to_owned()))
    }

    /// The keys of components and of the run that are given another value than their default.
    fn given(&self) -> Vec<String> {
        let settings = self.all_settings().into_iter();
        settings.filter(|setting| !setting.is_default).map(|setting| setting.key).collect()
    }

    /// The keys of events without a meaning, by the numbers of the events.
    fn idle_of_events(&self) -> Vec<IdleKey> {
        let of_event = |(number, event): (usize, &crate::event::ScenarioEvent)| {
            let mut writer = TomlWriter::new(sansim_schema::context::Facts::default());
            event.write(&mut writer);
            let mut idle = IdleKeys::default();
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
