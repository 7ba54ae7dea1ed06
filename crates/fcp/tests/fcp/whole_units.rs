//! Units in a stream of bytes are whole, whatever an adapter has to send meanwhile.

use sansim_component::bench::{ComponentBench, InputEffects, instant_at_us, sample_read, sample_write};
use sansim_component::{Message, UnitTransport};
use sansim_fcp::Target;
use sansim_fcp::adapter::{AdapterParameters, BLOCK, NETWORK, UnitSizes};
use sansim_kernel::Time;
use sansim_pdu::{Address, ExchangeId, Pdu, PduKind, RequestTag};
use sansim_request::{Request, RequestId};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const SERVER: Address = Address::new(9);
const NEAR: Address = Address::new(1);
const FAR: Address = Address::new(2);
/// A part of data, which the DMA moves in two microseconds.
const PART: u64 = 2048;

/// A target on TCP with a protocol.
fn target(protocol: &str) -> ComponentBench<Target> {
    let keys = format!("protocol = \"{protocol}\"\ndma_bandwidth = \"1024 MB/s\"\n");
    let parameters = AdapterParameters::from_toml(&keys, &Facts::default());
    let parameters = parameters.unwrap_or_else(|report| panic!("{report}"));
    let target = Target::new(&parameters, &UnitSizes::default(), SERVER).at_transport(UnitTransport::Stream);
    ComponentBench::new(target, 2)
}

fn command(bench: &mut ComponentBench<Target>, now: Time, from: Address, request: Request) -> RequestId {
    let id = bench.open_request(now, request);
    let unit = Pdu {
        kind: PduKind::Command,
        tag: RequestTag(id.0),
        write: request.is_write(),
        originator: ExchangeId(id.0 + 40),
        responder: ExchangeId::UNASSIGNED,
        source: from,
        destination: SERVER,
        payload_bytes: 72,
        last_of_data: false,
        ..Pdu::example()
    };
    bench.receive(now, NETWORK, Message::Received(unit));
    id
}

/// The units that the target handed over: their kinds and the ends that get them.
fn sent(did: &InputEffects) -> Vec<(PduKind, Address)> {
    let unit = |message: &Message| match message {
        Message::Send(unit) => Some((unit.kind, unit.destination)),
        _ => None,
    };
    did.messages_sent_at_port(NETWORK).iter().filter_map(unit).collect()
}

#[test]
fn a_request_for_data_waits_for_the_end_of_a_unit_in_its_stream_alone() {
    let mut bench = target("nvme");
    let read = command(&mut bench, instant_at_us(0), NEAR, sample_read(0, 3 * PART));
    let writes = [NEAR, FAR].map(|from| command(&mut bench, instant_at_us(0), from, sample_write(0, 32_768)));
    bench.receive(instant_at_us(0), BLOCK, Message::ReadDataUpTo(read, 3 * PART));
    assert_eq!(sent(&bench.handle_due_timer(instant_at_us(2))), [(PduKind::Data, NEAR)]);
    let asked =
        writes.map(|id| sent(&bench.receive(instant_at_us(3), BLOCK, Message::WriteCredit(id, 32_768))));
    assert_eq!(asked, [vec![], vec![(PduKind::TransferReady, FAR)]]);
    assert_eq!(sent(&bench.handle_due_timer(instant_at_us(4))), [(PduKind::Data, NEAR)]);
    let last = sent(&bench.handle_due_timer(instant_at_us(6)));
    let kinds: Vec<PduKind> = last.iter().map(|unit| unit.0).collect();
    assert_eq!(kinds, [PduKind::Data, PduKind::TransferReady, PduKind::Response]);
}

#[test]
fn a_unit_that_is_aborted_ends_where_it_is() {
    let mut bench = target("nvme");
    let read = command(&mut bench, instant_at_us(0), NEAR, sample_read(0, 3 * PART));
    let write = command(&mut bench, instant_at_us(0), NEAR, sample_write(0, 32_768));
    bench.receive(instant_at_us(0), BLOCK, Message::ReadDataUpTo(read, 3 * PART));
    bench.handle_due_timer(instant_at_us(2));
    assert_eq!(sent(&bench.receive(instant_at_us(3), BLOCK, Message::WriteCredit(write, 32_768))), []);
    let abort = Pdu {
        kind: PduKind::Abort,
        tag: RequestTag(read.0),
        originator: ExchangeId(read.0 + 40),
        source: NEAR,
        destination: SERVER,
        payload_bytes: 72,
        ..Pdu::example()
    };
    let did = bench.receive(instant_at_us(3), NETWORK, Message::Received(abort));
    assert_eq!(sent(&did), [(PduKind::TransferReady, NEAR)]);
}

/// A unit of iSCSI has 8 KiB at most: four parts.
#[test]
fn another_unit_may_follow_each_unit_of_a_sequence() {
    let mut bench = target("iscsi");
    let read = command(&mut bench, instant_at_us(0), NEAR, sample_read(0, 8 * PART));
    let write = command(&mut bench, instant_at_us(0), NEAR, sample_write(0, 32_768));
    bench.receive(instant_at_us(0), BLOCK, Message::ReadDataUpTo(read, 8 * PART));
    bench.handle_due_timer(instant_at_us(2));
    assert_eq!(sent(&bench.receive(instant_at_us(3), BLOCK, Message::WriteCredit(write, 32_768))), []);
    let kinds: Vec<Vec<PduKind>> = (2..5)
        .map(|part| {
            sent(&bench.handle_due_timer(instant_at_us(2 * part))).iter().map(|unit| unit.0).collect()
        })
        .collect();
    let data = vec![PduKind::Data];
    assert_eq!(kinds, [data.clone(), data, vec![PduKind::Data, PduKind::TransferReady]]);
}
