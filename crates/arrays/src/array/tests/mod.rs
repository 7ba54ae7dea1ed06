//! Tests of an array, input by input.

mod degraded;
mod oracle;
mod plain;
mod world;

use super::*;
use sansim_component::bench::{ComponentBench, InputEffects};
use sansim_component::policy::{DevicePath, PolicyName};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const GOOD: Status = Status::Good;
const FAILED: Status = Status::Failed;

/// The port by which the array gets requests; the device at index `n` has the number `10 + n` in the system and is reached by port `1 + n`.
const ASKED: u16 = 0;

/// An array with these keys over devices of this many bytes each.
fn array(keys: &str, devices: u32, bytes: u64) -> ComponentBench<DiskArray> {
    let parameters =
        RaidParameters::from_toml(keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    let mut ways = vec![Vec::new(); 10];
    ways.extend((0..devices).map(|place| vec![DevicePath::from_port(1 + place as u16)]));
    let path = PathParameters {
        path_turn_ios: 1_000,
        path_turn_bytes: 10 << 20,
        numa_nodes: 1,
        path: PolicyName::First.into(),
        fail_over_time: Span::ZERO,
        fail_back_time: Some(Span::ZERO),
        no_way_time: Some(Span::ZERO),
    };
    let behind = ChildRequests::with_devices(
        (10..10 + devices).collect(),
        PathChoice::new(&ways.into(), &path),
        segment::FAIL_OVER,
    );
    let built = DiskArray::new(&parameters, &vec![bytes; devices as usize], 0, behind);
    ComponentBench::new(built.unwrap_or_else(|error| panic!("{keys}: {error}")), 1 + devices as u16)
}

fn done(
    bench: &mut ComponentBench<DiskArray>,
    now: Time,
    (port, part): (u16, RequestId),
    status: Status,
) -> InputEffects {
    bench.receive(now, port, Message::Done(part, status))
}

/// The initiator closes the request, and no state is left.
fn finish(bench: &mut ComponentBench<DiskArray>, now: Time, id: RequestId) {
    bench.close_request(now, ASKED, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}
