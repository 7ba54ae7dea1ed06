//! The surroundings of components: the calendar, the agenda, the requests, the links between ports. Components reach their surroundings
//! only through their [`Context`](crate::Context).

use crate::agenda::MessageAgenda;
use crate::error_log::ErrorLog;
use crate::incident_log::IncidentLog;
use crate::message::Message;
use crate::show::ObservedEvent;
use crate::site::{ComponentId, ComponentSite, PortRef, Timer};
use sansim_kernel::{Calendar, EventKey, Time};
use sansim_request::{RequestId, Requests, ReturnedRequest, Status};

/// An event of the system: a timer of a component.
pub type ComponentEvent = (ComponentId, Timer);

/// The sights that observers want; other sights are not collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedSights {
    /// Activity of ports, except repeating.
    pub ports: bool,
    /// Repeating ports.
    pub repeaters: bool,
    /// The requests for which blocks work.
    pub blocks: bool,
    /// Steps of requests.
    pub requests: bool,
    /// Gauges of components with several places.
    pub gauges: bool,
}

/// The requests that sources have issued, and may issue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Requests issued.
    pub issued: u64,
    /// The most requests that sources may issue.
    pub most: u64,
    /// Background requests that components have issued, and those that are done.
    pub background: u64,
    /// The number of background requests that are done; see [`SourceCounts::background`].
    pub background_done: u64,
    /// Background requests that do not prevent termination; their issuer ends them when all sources are done.
    pub passing: u64,
    /// Whether all requests that sources may issue have come back to them.
    pub is_over: bool,
}

impl SourceCounts {
    pub(crate) fn issue(&mut self) -> Option<u64> {
        (self.issued < self.most).then(|| {
            self.issued += 1;
            self.issued - 1
        })
    }

    /// The number of background requests in flight.
    pub fn background_requests_in_flight(&self) -> u64 {
        self.background - self.background_done
    }

    /// The background requests that may continue without limit.
    pub fn endless_background_requests(&self) -> u64 {
        self.background_requests_in_flight() - self.passing
    }
}

/// The calendar, the agenda, the requests and the links that components reach through their context.
#[derive(Debug)]
pub struct Runtime {
    /// The pending events.
    pub calendar: Calendar<ComponentEvent>,
    /// The pending messages of this instant.
    pub agenda: MessageAgenda,
    /// All requests in the system.
    pub requests: Requests,
    /// The number of requests that sources may issue.
    pub sources: SourceCounts,
    /// Requests of sources and in the background that came back since the list was last cleared. The ledgers of the returned requests are
    /// still there.
    pub returned: Vec<(RequestId, ReturnedRequest, Status)>,
    /// Whether frame bursts are computed.
    pub takes_bursts: bool,
    /// The network ports at which a frame burst may begin, since the list was last cleared.
    pub may_be_trains: Vec<PortRef>,
    /// Adapters whose DMA may prefetch without events, and network ports that have entered a circuit, since both were last cleared. The
    /// list of adapters is filled only if frame bursts are computed.
    pub may_fetch_ahead: Vec<ComponentId>,
    /// The ports that have entered a circuit; see [`Runtime::may_fetch_ahead`].
    pub in_circuit: Vec<PortRef>,
    /// Whether one of the three lists above may have an entry, so that the run checks them for bursts.
    pub looks_for_bursts: bool,
    /// The errors so far.
    pub errors: ErrorLog,
    /// The incidents so far.
    pub incidents: IncidentLog,
    /// Devices whose failure components have reported, since the list was last cleared.
    pub failed_devices: Vec<u32>,
    /// Timers that do not keep the run going.
    pub asides: Vec<EventKey>,
    /// Whether a component cannot continue, and never will ([`Component::fault`](crate::Component::fault) has the reason), though others
    /// may.
    pub given_up: bool,
    /// The sights that components have shown since the list was last cleared.
    pub shown: Vec<ObservedEvent>,
    /// The sights that observers want.
    pub shows: WantedSights,
    /// The site of each component.
    pub sites: Vec<ComponentSite>,
    /// For each port of each component, in order, the port at the other end of its link.
    pub peers: Vec<Option<PortRef>>,
}

impl Runtime {
    /// A runtime before the first event. `sites` are the components, and `peers` the ports at the other ends of all their ports, in order.
    pub fn new(sites: Vec<ComponentSite>, peers: Vec<Option<PortRef>>, shows: WantedSights) -> Self {
        Self {
            calendar: Calendar::new(),
            agenda: MessageAgenda::default(),
            requests: Requests::default(),
            sources: SourceCounts::default(),
            returned: Vec::with_capacity(8),
            takes_bursts: false,
            may_be_trains: Vec::with_capacity(8),
            may_fetch_ahead: Vec::with_capacity(8),
            in_circuit: Vec::with_capacity(8),
            looks_for_bursts: false,
            errors: ErrorLog::default(),
            incidents: IncidentLog::default(),
            failed_devices: Vec::new(),
            asides: Vec::new(),
            given_up: false,
            shown: Vec::new(),
            shows,
            sites,
            peers,
        }
    }

    /// A frame burst may begin at a port of a network.
    pub fn look_for_burst(&mut self, end: PortRef) {
        self.may_be_trains.push(end);
        self.looks_for_bursts = true;
    }

    /// The port at the other end of a link.
    pub fn peer_port(&self, site: &ComponentSite, port: u16) -> Option<PortRef> {
        self.peers[site.first_port as usize + usize::from(port)]
    }

    /// The component at the other end of a port of a component.
    pub fn peer_of(&self, component: ComponentId, port: u16) -> Option<ComponentId> {
        self.peer_port(&self.sites[component.index()], port).map(|peer| peer.component)
    }

    /// The index on the agenda of the next message of this instant, unless there is none or the messages form an endless ring.
    #[inline]
    pub fn next_message(&mut self, now: Time) -> Option<usize> {
        let place = self.agenda.next_message_index(now)?;
        let (sites, peers) = (&self.sites, &self.peers);
        let stops = self.agenda.breaks_message_cycle(place, |end| {
            let first = sites[end.component.index()].first_port as usize;
            peers[first + usize::from(end.port)].map_or(end.component, |sender| sender.component)
        });
        if stops { None } else { Some(place) }
    }

    #[inline]
    pub(crate) fn send(&mut self, site: &ComponentSite, port: u16, message: Message) {
        if let Some(end) = self.peer_port(site, port) {
            self.agenda.push(end, message);
        } else {
            debug_assert!(false, "{message:?} by port {port}, which is joined to nothing");
        }
    }
}
