//! Systems for tests.

use super::{
    ComponentName, DeviceName, GaugeName, NetworkName, PlaceName, StationName, StationRole, StreamName,
    SystemNames, WorkloadName,
};
use sansim_component::ComponentId;
use sansim_component::UnitTransport;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_request::{DataId, LedgerLine, NORMAL_PRIORITY, Operation, Request, RequestOrigin};
use sansim_schema::catalogue::{Block, Catalogue, Gauge, Segment};

const HOST: Catalogue = Catalogue {
    segments: &[Segment::wait("host_queue", "host queue", ""), Segment::work("driver", "driver", "", &[0])],
    blocks: &[Block { name: "driver", label: "driver", meaning: "" }],
    gauges: &[Gauge::new("waiting", "waiting", "")],
    ..Catalogue::EMPTY
};
const ADAPTER: Catalogue = Catalogue {
    segments: &[
        Segment::wait("dma_queue", "DMA queue", ""),
        Segment::work("dma", "DMA", "", &[1]),
        Segment::work("response", "response", "", &[0]),
    ],
    blocks: &[
        Block { name: "processor", label: "processor", meaning: "" },
        Block { name: "dma", label: "dma", meaning: "" },
    ],
    ..Catalogue::EMPTY
};
const NETWORK: Catalogue = Catalogue {
    segments: &[Segment::wait("port_queue", "port queue", ""), Segment::wait("loop", "loop", "")],
    gauges: &[Gauge::new("credit", "credit", "")],
    ..Catalogue::EMPTY
};
const STORE: Catalogue = Catalogue {
    segments: &[Segment::wait("cache_queue", "cache queue", ""), Segment::work("lookup", "lookup", "", &[0])],
    blocks: &[Block { name: "lookup", label: "lookup", meaning: "" }],
    gauges: &[Gauge::new("dirty", "dirty", "")],
    ..Catalogue::EMPTY
};
const DISK: Catalogue = Catalogue {
    segments: &[
        Segment::wait("drive_queue", "drive queue", ""),
        Segment::work("access", "Access", "", &[0]),
        Segment::work("media_transfer", "Media transfer", "", &[0]),
    ],
    lanes: &[1, 2],
    blocks: &[Block { name: "drive", label: "drive", meaning: "" }],
    ..Catalogue::EMPTY
};

/// The first ledger lines of the places of [`system`].
pub const QUEUE: LedgerLine = LedgerLine(0);
pub const DMA: LedgerLine = LedgerLine(3);
pub const RESPONSE: LedgerLine = LedgerLine(4);
pub const LOOP: LedgerLine = LedgerLine(6);
pub const CACHE: LedgerLine = LedgerLine(9);
pub const DRIVE: LedgerLine = LedgerLine(11);
pub const ACCESS: LedgerLine = LedgerLine(12);
pub const MEDIA: LedgerLine = LedgerLine(13);

/// The numbers of gauges of [`system`].
pub const CREDIT: usize = 1;
pub const DIRTY: usize = 2;

/// Stations with their names, addresses and roles.
pub type Stations<'a> = &'a [(&'a str, u32, StationRole)];

/// Networks with the times of their words and their stations. The stations have no components.
pub fn networks(networks: &[(&str, Span, Stations<'_>)]) -> SystemNames {
    let mut names = SystemNames { title: "test".to_owned(), ..SystemNames::default() };
    for (number, (name, word, stations)) in networks.iter().enumerate() {
        names.networks.push(NetworkName {
            name: (*name).to_owned(),
            word: *word,
            drawn: "ring",
            transport: UnitTransport::Frames,
            catalogue: &NETWORK,
        });
        names.stations.extend(stations.iter().map(|&(name, address, role)| StationName {
            name: name.to_owned(),
            port: Some((number, Address::new(address))),
            role,
            ..StationName::default()
        }));
    }
    names
}

/// Two loops, `front` and `back`, each with a host and a disk at the same addresses, and a cache that is on neither loop. The
/// first workload belongs to the first host. The devices are first the disks, then the cache.
pub fn two_loop_system() -> SystemNames {
    let word = Span::from_ns(19);
    let mut names = networks(&[
        ("front", word, &[("host", 1, StationRole::Initiator), ("disks[0]", 2, StationRole::Target)]),
        ("back", word, &[("other", 1, StationRole::Initiator), ("disks[1]", 2, StationRole::Target)]),
    ]);
    names.stations.push(StationName {
        name: "cache".to_owned(),
        role: StationRole::Target,
        ..StationName::default()
    });
    let mut line = 0;
    for (name, catalogue) in [
        ("host", &HOST),
        ("adapter", &ADAPTER),
        ("front", &NETWORK),
        ("back", &NETWORK),
        ("cache", &STORE),
        ("disks", &DISK),
    ] {
        names.places.push(PlaceName { name: name.to_owned(), first_line: LedgerLine(line), catalogue });
        line += catalogue.segments.len() as u32;
    }
    for (name, station, place) in [
        ("host", 0, 0),
        ("host.adapter", 0, 1),
        ("other", 2, 0),
        ("other.adapter", 2, 1),
        ("disks[0].adapter", 1, 1),
        ("disks[1].adapter", 3, 1),
        ("front", 0, 2),
        ("cache", 4, 4),
        ("disks[0]", 1, 5),
        ("disks[1]", 3, 5),
    ] {
        let catalogue = names.places[place].catalogue;
        names.components.push(ComponentName { name: name.to_owned(), station, place, catalogue });
    }
    names.gauges = vec![
        GaugeName { station: 0, component: 0, gauge: &HOST.gauges[0] },
        GaugeName { station: 0, component: 6, gauge: &NETWORK.gauges[0] },
        GaugeName { station: 4, component: 7, gauge: &STORE.gauges[0] },
    ];
    names.workloads = vec![WorkloadName {
        name: "reads".to_owned(),
        host: "controller".to_owned(),
        station: 0,
        streams: vec![StreamName::default()],
    }];
    names.devices = [8, 9, 7].map(alone).to_vec();
    names
}

/// The only device of a component.
fn alone(component: usize) -> DeviceName {
    DeviceName { component, logical_unit: 0 }
}

/// A loop with a host and a disk: the first loop of [`system`], with the same ledger lines.
pub fn one_loop_system() -> SystemNames {
    let mut names = two_loop_system();
    names.networks.truncate(1);
    names.networks[0].name = "loop".to_owned();
    names.stations.truncate(2);
    names.components.retain(|component| component.station < 2);
    names.gauges.truncate(2);
    names.devices = vec![alone(names.components.len() - 1)];
    names
}

/// The component with this name.
pub fn component(names: &SystemNames, name: &str) -> ComponentId {
    let found = names.components.iter().position(|component| component.name == name);
    ComponentId(found.expect("a component") as u32)
}

/// A read of 4 KiB with this number, of the first workload, from the first device.
pub fn sample_read(number: u64) -> Request {
    Request {
        number,
        parent: None,
        origin: RequestOrigin {
            workload: 0,
            stream: 0,
            slot: 0,
            background: false,
            priority: NORMAL_PRIORITY,
        },
        operation: Operation::Read,
        device: 0,
        lba: 0,
        bytes: 4096,
        cache_control: sansim_request::CacheControl::NONE,
        data: DataId(0),
    }
}
