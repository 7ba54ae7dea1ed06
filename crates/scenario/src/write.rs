//! The resolved scenario: every default written out as TOML, to be stored beside a result and run again, or as data.

use std::fmt::Write as _;
use std::path::Path;

use sansim_schema::quantity::quoted;
use sansim_schema::table::Tabular;
use sansim_schema::writer::{Setting, TomlWriter};

use crate::resolve::of_fibre_channel;
use crate::scenario::Scenario;
use crate::surroundings::surroundings;

impl Scenario {
    /// The scenario as TOML with every effective value, with templates expanded. Parsing it again gives an equal scenario.
    ///
    /// A value that only follows another key (such as a port's delay that is that of the loop) is written as a comment, so that changing
    /// the other key in this text has the same effect as in the original one.
    pub fn to_toml(&self) -> String {
        self.written(true).out
    }

    /// Every key of [`Scenario::to_toml`] in its order, including keys that only follow another one.
    pub fn effective_settings(&self) -> Vec<Setting> {
        self.written(true).settings
    }

    /// The settings, including those without an effect because of how components are joined.
    pub(crate) fn all_settings(&self) -> Vec<Setting> {
        self.written(false).settings
    }

    fn written(&self, without_meaningless: bool) -> TomlWriter {
        let mut writer = TomlWriter::new(surroundings(&self.components, Path::new("")));
        writer.out.push_str("# Resolved scenario: every default is written out.\n");
        writer.write_field(crate::format::KEY, &crate::format::FORMAT.to_string(), None, false);
        writer.write_field("title", &quoted(&self.title), None, false);
        writer.write_field("description", &quoted(&self.description), None, false);
        writer.write_table("run", None, |out| self.run.write(out));
        writer.write_table("fcp", None, |out| self.fcp.write(out));
        for event in &self.events {
            writer.write_listed_table("event", |out| event.write(out));
        }
        for (number, component) in self.components.iter().enumerate() {
            let meaningless = if without_meaningless { self.meaningless(number) } else { Vec::new() };
            for (key, _) in meaningless {
                writer.leave_out(format!("{}.{key}", component.name));
            }
            writer.write_table(&component.name, Some(component.kind_of_component().word), |out| {
                component.write_keys(out)
            });
            if component.network_interface().is_some() {
                self.write_addresses(number, &mut writer);
            }
        }
        writer
    }

    /// The keys and tables of a component that have no effect as it is joined: those of a single adapter where there are several, those of
    /// ports that are on no network, and Fibre Channel keys of ports on another network; each with the reason.
    pub(crate) fn meaningless(&self, component: usize) -> Vec<(String, &'static str)> {
        let member = self.components[component].kind_behaviour().member();
        let of_an_only = member.unused.iter().flat_map(|unused| &unused.keys);
        let several = "adapters that have names of their own take its place";
        let mut keys: Vec<(String, &str)> = of_an_only.map(|&key| (key.to_owned(), several)).collect();
        for port in &member.ports {
            let name = &self.components[component].name;
            let station = if port.path.is_empty() { name.clone() } else { format!("{name}.{}", port.path) };
            let mut networks = self.components.iter().filter_map(|component| component.network_interface());
            match networks.find(|network| network.stations().contains(&station)) {
                None => {
                    keys.extend(port.owns.iter().map(|key| (key.clone(), "it is attached to no network")))
                }
                Some(network) if network.port_keys().is_empty() => {
                    let why = "the network is none of Fibre Channel";
                    keys.extend(of_fibre_channel().map(|key| (format!("{}.{key}", port.table), why)));
                }
                Some(_) => {}
            }
        }
        keys
    }

    /// The addresses on a loop as a comment, a line for each group.
    fn write_addresses(&self, network: usize, writer: &mut TomlWriter) {
        let is_it = |part: usize| self.graph.places[self.graph.parts[part].place].component == network;
        let Some(on_loop) = self.graph.loops.iter().find(|on_loop| is_it(on_loop.part)) else { return };
        let Some(said) = self.components[network].network_interface() else { return };
        let order = said.order();
        let _ = writeln!(writer.out, "# Addresses in the order of the {order}:");
        let mut stations = on_loop.stations.iter();
        for station in said.stations() {
            let owner = station.split('.').next().unwrap_or("");
            let members =
                self.component_named(owner).and_then(|owner| owner.kind_behaviour().members()).unwrap_or(1);
            let of_members = stations.by_ref().take(members as usize);
            let addresses: Vec<String> = of_members.map(|station| said.written(station.address)).collect();
            let _ = writeln!(writer.out, "#   {station}: {}", addresses.join(" "));
        }
    }
}
