//! The names of the system for observers: the components behind the numbers in observations.

use sansim_component::UnitTransport;
pub use sansim_component::component_kind::StreamName;
use sansim_fc::frame::Frame;
use sansim_fc::link::LinkRules;
use sansim_fcp::stream_content::StreamFormat;
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
use sansim_request::{LedgerLine, Request};
use sansim_schema::catalogue::{Catalogue, Gauge, Segment};
use std::ops::Range;

/// The role of a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StationRole {
    /// The station has no role: the port of a network only repeats, or there is no port.
    #[default]
    Passive,
    /// The station is an initiator.
    Initiator,
    /// The station is a target.
    Target,
    /// The station is a port inside a network, for example of a switch, through which frames of other ports
    /// pass.
    Inner,
}

/// A network of the system.
#[derive(Clone, Debug)]
pub struct NetworkName {
    /// The name of the component in the scenario.
    pub name: String,
    /// The time of a transmission word on the network.
    pub word: Span,
    /// The form in which the network is drawn: `ring`, `places` or `box`.
    pub drawn: &'static str,
    /// The form in which the network carries the units of adapters.
    pub transport: UnitTransport,
    /// The catalogue of the network's observables.
    pub catalogue: &'static Catalogue,
}

/// A station: a place at which observations are made. Stations at the ports of networks come first, network by network in the
/// order in which words pass them; then comes every component that is at no network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StationName {
    /// The name in the scenario; members of a group have a number, as in `drives[3]`.
    pub name: String,
    /// The network of the station, by its place in [`SystemNames::networks`], and its address on the network; none
    /// for a station at no network.
    pub port: Option<(usize, Address)>,
    /// The address in the notation of the network; empty for a station at no network.
    pub address: String,
    /// The role of the station.
    pub role: StationRole,
    /// The link of a port inside a network.
    pub inner: Option<InnerLinkName>,
    /// The station at the other end of the port's cable; on a ring, the next one.
    pub peer: Option<usize>,
    /// The time from the first word at the station to the first word at its peer.
    pub delay: Span,
    /// The part of it until the word is at the peer's receiver; all of it but on a ring, where ports repeat.
    pub cable: Span,
    /// The form of the units that the station hands over, on a network that carries streams of bytes, if a standard fixes it.
    pub stream_format: Option<StreamFormat>,
}

/// The link of a port inside a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerLinkName {
    /// The place of the port, for example `switches.near`.
    pub place: String,
    /// The name of the link, if the port is the end of the link that is listed first.
    pub link: Option<String>,
    /// The rules of the link.
    pub rules: LinkRules,
}

/// A component of the system.
#[derive(Clone, Debug)]
pub struct ComponentName {
    /// The name in the scenario, as in `drives[3].adapter`.
    pub name: String,
    /// The station at which the component is observed; a network is observed at all of its stations, and has
    /// the first of them here.
    pub station: usize,
    /// The group of the component, by its place in [`SystemNames::places`].
    pub place: usize,
    /// The catalogue of the component's observables.
    pub catalogue: &'static Catalogue,
}

/// A place of the ledger: a component, or all members of a group together.
#[derive(Clone, Debug)]
pub struct PlaceName {
    /// The name in the scenario, as in `drives.adapter`.
    pub name: String,
    /// The ledger line of the first segment of the place.
    pub first_line: LedgerLine,
    /// The catalogue of the observables of the place's members.
    pub catalogue: &'static Catalogue,
}

/// A gauge of the system.
#[derive(Clone, Debug)]
pub struct GaugeName {
    /// The station at which the gauge is.
    pub station: usize,
    /// The component of the gauge, by its place in [`SystemNames::components`].
    pub component: usize,
    /// The description of the gauge.
    pub gauge: &'static Gauge,
}

/// A workload of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadName {
    /// The name in the scenario.
    pub name: String,
    /// The host of the workload.
    pub host: String,
    /// The first station of the workload's host.
    pub station: usize,
    /// The streams of the workload.
    pub streams: Vec<StreamName>,
}

/// An event of the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventName {
    /// The time of the event.
    pub at: Time,
    /// The action and its target, for example `fail drives[3]`.
    pub text: String,
}

/// A device of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceName {
    /// The component that presents the device.
    pub component: usize,
    /// The logical unit: the number of the device among the devices of its component.
    pub logical_unit: u32,
}

/// The names of a system.
#[derive(Clone, Debug, Default)]
pub struct SystemNames {
    /// The title of the scenario.
    pub title: String,
    /// The networks of the system.
    pub networks: Vec<NetworkName>,
    /// The stations of the system.
    pub stations: Vec<StationName>,
    /// The components of the system.
    pub components: Vec<ComponentName>,
    /// The places of the ledger, in the order of their lines.
    pub places: Vec<PlaceName>,
    /// The gauges, station by station.
    pub gauges: Vec<GaugeName>,
    /// The workloads of the system.
    pub workloads: Vec<WorkloadName>,
    /// The devices of the system, by the numbers in requests.
    pub devices: Vec<DeviceName>,
    /// The events of the scenario.
    pub events: Vec<EventName>,
}

impl SystemNames {
    /// The number of lines of the ledger.
    pub fn ledger_line_count(&self) -> usize {
        self.places.iter().map(|place| place.catalogue.segments.len()).sum()
    }

    /// The place and the segment of a ledger line.
    pub fn place_and_segment(&self, line: LedgerLine) -> (usize, &'static Segment) {
        let place = self.places.partition_point(|place| place.first_line <= line) - 1;
        let PlaceName { first_line, catalogue, .. } = &self.places[place];
        (place, &catalogue.segments[(line.0 - first_line.0) as usize])
    }

    /// The name of a ledger line, for example `drives.adapter.dma`.
    pub fn line_name(&self, line: LedgerLine) -> String {
        let (place, segment) = self.place_and_segment(line);
        format!("{}.{}", self.places[place].name, segment.name)
    }

    /// The component that presents the device of a request.
    pub fn component_of_device(&self, request: &Request) -> &ComponentName {
        &self.components[self.devices[request.device as usize].component]
    }

    /// The station of the device of a request.
    pub fn station_of_device(&self, request: &Request) -> usize {
        self.component_of_device(request).station
    }

    /// The first station of the host that issued a request; none if no workload issued it.
    pub fn station_of_origin(&self, request: &Request) -> Option<usize> {
        self.workloads.get(request.origin.workload as usize).map(|workload| workload.station)
    }

    /// The stations of a network.
    pub fn stations_of(&self, network: usize) -> Range<usize> {
        let begin = |network| self.stations.partition_point(|s| s.port.is_some_and(|port| port.0 < network));
        begin(network)..begin(network + 1)
    }

    /// The station of a network with this address.
    pub fn station_at(&self, network: usize, address: Address) -> Option<usize> {
        self.stations_of(network).find(|&station| self.stations[station].port == Some((network, address)))
    }

    /// The rules of the link of a station, if the station is at a network that has links.
    fn rules(&self, station: usize) -> Option<&LinkRules> {
        let at = |station: usize| self.stations[station].inner.as_ref().map(|inner| &inner.rules);
        // Both ends of a link have the same rules.
        at(station).or_else(|| at(self.stations[station].peer?))
    }

    /// The time of a word at a station, if it is at a network.
    pub fn word_time(&self, station: usize) -> Option<Span> {
        let own = self.rules(station).map(|rules| rules.word);
        self.stations[station].port.map(|(network, _)| own.unwrap_or(self.networks[network].word))
    }

    /// The time from the first word to the last of a frame that a station sends.
    pub fn frame_time(&self, station: usize, frame: &Frame) -> Span {
        match self.rules(station) {
            Some(rules) => rules.time_of_words(rules.frame_words(frame.payload_bytes.into())),
            None => self.word_time(station).unwrap_or_default() * frame.length_in_words(),
        }
    }

    /// The number of the network with this name; without a name, of the only network.
    ///
    /// # Errors
    /// Fails if there is no network with this name, no network at all, or several networks and no name is
    /// given.
    pub fn network(&self, name: Option<&str>) -> Result<usize, String> {
        let known =
            || self.networks.iter().map(|network| network.name.as_str()).collect::<Vec<_>>().join(", ");
        match (name, self.networks.len()) {
            (_, 0) => Err("there is no network in this system".to_owned()),
            (None, 1) => Ok(0),
            (None, _) => Err(format!("there are several networks, name one of them: {}", known())),
            (Some(name), _) => {
                let found = self.networks.iter().position(|network| network.name == name);
                found.ok_or_else(|| format!("there is no network `{name}`; networks: {}", known()))
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod example;

#[cfg(test)]
mod tests {
    use super::*;
    use example::{CACHE, DRIVE, two_loop_system};

    #[test]
    fn a_line_is_named_by_its_place_and_its_segment() {
        let names = two_loop_system();
        let lines: Vec<String> =
            (0..names.ledger_line_count() as u32).map(|line| names.line_name(LedgerLine(line))).collect();
        assert_eq!(lines[0], "host.host_queue");
        let first = |name: &str| lines.iter().position(|line| line == name).expect("a line") as u32;
        assert_eq!((first("cache.cache_queue"), first("disks.drive_queue")), (CACHE.0, DRIVE.0));
        assert_eq!(names.place_and_segment(LedgerLine(DRIVE.0 + 1)).1.name, "access");
        assert_eq!(lines.last().expect("lines"), "disks.media_transfer");
    }

    #[test]
    fn equal_addresses_on_two_networks_are_two_stations() {
        let names = two_loop_system();
        let disks = [0, 1].map(|network| names.station_at(network, Address::new(2)));
        assert_eq!(disks.map(|disk| &*names.stations[disk.expect("there")].name), ["disks[0]", "disks[1]"]);
        assert_eq!([0, 1, 2].map(|network| names.stations_of(network)), [0..2, 2..4, 4..4]);
        assert_eq!(names.station_at(1, Address::new(9)), None);
    }

    #[test]
    fn of_several_networks_one_has_to_be_named() {
        let mut names = two_loop_system();
        assert_eq!(names.network(Some("back")), Ok(1));
        assert_eq!(
            names.network(None),
            Err("there are several networks, name one of them: front, back".to_owned())
        );
        assert!(names.network(Some("bock")).is_err_and(|told| told.contains("`bock`")));
        names.networks.pop();
        assert_eq!(names.network(None), Ok(0));
        names.networks.clear();
        assert!(names.network(None).is_err());
    }
}
