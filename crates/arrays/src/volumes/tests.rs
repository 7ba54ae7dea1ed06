//! Tests of volumes, input by input.

use super::*;
use sansim_component::bench::{BenchRequestPlace, ComponentBench, instant_at_us, sample_read, sample_write};
use sansim_component::policy::DevicePath;
use sansim_kernel::Span;
use sansim_request::Request;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::collections::HashSet;

const GOOD: Status = Status::Good;
/// The port by which the volumes get requests; device `n` behind them has the number `10 + n` in the system, and is reached by port `1 +
/// n`.
const ASKED: u16 = 0;
const KIB: u64 = 1024;

fn parameters(text: &str) -> VolumesParameters {
    VolumesParameters::from_toml(text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

fn bench(text: &str, behind: &[u64]) -> ComponentBench<Volumes> {
    let devices = behind.len() as u32;
    let mut ways = vec![Vec::new(); 10];
    ways.extend((0..devices).map(|device| vec![DevicePath::from_port(1 + device as u16)]));
    let path = PathParameters::from_toml("", &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    let asked = ChildRequests::with_devices(
        (10..10 + devices).collect(),
        PathChoice::new(&ways.into(), &path),
        segment::FAIL_OVER,
    );
    let volumes = parameters(text).make_volumes(behind).0;
    let places = (0..volumes.volumes() as u32).map(Some).collect();
    ComponentBench::new(Volumes::new(volumes, places, asked), 1 + devices as u16)
}

#[test]
fn a_request_within_a_piece_is_asked_for_as_it_is() {
    let mut bench = bench("equal_volumes = 2", &[64 * KIB]);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, Request { device: 1, ..sample_read(3, 1024) });
    let [(1, part)] = did.sent_requests()[..] else { panic!("{did:?}") };
    let request = *bench.requests().request(part);
    assert_eq!((request.device, request.lba, request.bytes), (10, 64 + 3, 1024));
    let did = bench.receive(instant_at_us(7), 1, Message::Done(part, GOOD));
    assert_eq!(did.messages_sent_at_port(ASKED), [Message::ReadDataUpTo(id, 1024), Message::Done(id, GOOD)]);
    bench.close_request(instant_at_us(7), ASKED, id);
    assert_eq!(
        (bench.dwells_of_request(id), bench.leftovers()),
        (vec![(BenchRequestPlace::Beyond(1, 0), Span::from_us(7))], vec![])
    );
}

#[test]
fn a_request_over_several_pieces_is_done_with_the_last_of_them() {
    let mut bench = bench("arrangement = \"striped\"\nstripe_unit = \"4 KiB\"", &[64 * KIB, 64 * KIB]);
    let (id, _) = bench.ask(instant_at_us(0), ASKED, sample_write(4, 8 * KIB));
    let did = bench.receive(instant_at_us(1), ASKED, Message::WriteDataUpTo(id, 8 * KIB));
    let asked = did.sent_requests();
    let pieces: Vec<(u32, u64, u64)> = asked
        .iter()
        .map(|(_, part)| bench.requests().request(*part))
        .map(|request| (request.device, request.lba, request.bytes))
        .collect();
    assert_eq!(pieces, [(10, 4, 2 * KIB), (11, 0, 4 * KIB), (10, 8, 2 * KIB)]);
    for (now, place) in [(10, 1), (20, 0)] {
        let did = bench.receive(instant_at_us(now), asked[place].0, Message::Done(asked[place].1, GOOD));
        assert_eq!(did.sent_answers(), []);
    }
    let did = bench.receive(instant_at_us(50), asked[2].0, Message::Done(asked[2].1, GOOD));
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    bench.close_request(instant_at_us(50), ASKED, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn what_a_device_says_is_handed_on_and_an_abort_goes_to_all_pieces() {
    let keys = "arrangement = \"striped\"\nstripe_unit = \"4 KiB\"";
    let mut bench = bench(keys, &[64 * KIB, 64 * KIB]);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 8 * KIB));
    let asked = did.sent_requests();
    bench.receive(instant_at_us(1), asked[0].0, Message::Done(asked[0].1, Status::QueueFull));
    let did = bench.receive(instant_at_us(2), asked[1].0, Message::Done(asked[1].1, GOOD));
    assert_eq!(did.sent_answers(), [(id, Status::QueueFull)]);
    bench.close_request(instant_at_us(2), ASKED, id);
    let (id, did) = bench.ask(instant_at_us(3), ASKED, sample_read(0, 8 * KIB));
    let asked = did.sent_requests();
    let did = bench.receive(instant_at_us(4), ASKED, Message::Abort(id));
    let mut aborts = did.sent;
    aborts.sort_by_key(|(port, _)| *port);
    assert_eq!(aborts, [0, 1].map(|place: usize| (asked[place].0, Message::Abort(asked[place].1))));
    for (port, part) in asked {
        bench.receive(instant_at_us(5), port, Message::Done(part, Status::Aborted));
    }
    bench.close_request(instant_at_us(5), ASKED, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn while_they_have_failed_everything_ends_with_an_error() {
    let mut bench = bench("", &[64 * KIB]);
    let (under_way, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 512));
    let (port, part) = did.sent_requests()[0];
    let did = bench.apply_action(instant_at_us(1), Action::Fail);
    assert_eq!(did.sent, [(port, Message::Abort(part))]);
    let did = bench.receive(instant_at_us(2), port, Message::Done(part, Status::Aborted));
    assert_eq!(did.sent_answers(), [(under_way, Status::Failed)]);
    let (again, did) = bench.ask(instant_at_us(3), ASKED, sample_read(0, 512));
    assert_eq!(did.sent_answers(), [(again, Status::Failed)]);
    bench.apply_action(instant_at_us(4), Action::Repair);
    let (last, did) = bench.ask(instant_at_us(5), ASKED, sample_read(0, 512));
    bench.receive(instant_at_us(6), port, Message::Done(did.sent_requests()[0].1, GOOD));
    for id in [under_way, again, last] {
        bench.close_request(instant_at_us(6), ASKED, id);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
}

/// Ten volumes over three groups do not overlap: every sector of each volume has a different position.
#[test]
fn volumes_never_overlap() {
    let mut keys: String = (0..5)
        .map(|number| {
            format!(
                "[volumes.a{number}]\nsize = \"{} KiB\"\narrangement = \"striped\"\nstripe_unit = \"{} B\"\n",
                7 + number,
                512 << number
            )
        })
        .collect();
    keys += "[volumes.slice]\non = 1\nsize = \"11 KiB\"\n[volumes.b]\nsize = \"40 KiB\"\n[volumes.c]\nsize = \"3 KiB\"\n";
    keys += "[volumes.d]\nsize = \"1 KiB\"\n[volumes.rest]\n";
    let behind = [50 * KIB, 70 * KIB, 33 * KIB];
    let (volumes, fault) = parameters(&keys).make_volumes(&behind);
    assert_eq!((volumes.volumes(), fault), (10, None));
    let mut bench = bench(&keys, &behind);
    let mut taken = HashSet::new();
    for device in 0..10 {
        for sector in 0..volumes.capacity(device as usize) / 512 {
            let (id, did) =
                bench.ask(instant_at_us(0), ASKED, Request { device, ..sample_read(sector, 512) });
            let [(port, part)] = did.sent_requests()[..] else { panic!("{did:?}") };
            let request = *bench.requests().request(part);
            assert!(request.end_byte() <= behind[request.device as usize - 10]);
            assert!(taken.insert((request.device, request.lba)), "two sectors at one place");
            bench.receive(instant_at_us(0), port, Message::Done(part, GOOD));
            bench.close_request(instant_at_us(0), ASKED, id);
        }
    }
    assert!(taken.len() as u64 * 512 > 120 * KIB, "{}", taken.len());
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn equal_volumes_are_as_large_as_all_of_them_can_be() {
    // Three volumes of 1365 stripes would be 4095 of 4096, but each allocates whole rows of two stripes.
    for (keys, behind, stripes) in [
        ("equal_volumes = 3", vec![16 << 20; 2], 1364),
        ("equal_volumes = 2", vec![16 << 20; 2], 2048),
        ("equal_volumes = 3", vec![16 << 20, (8 << 20) + 512, 1 << 20], 1066),
        ("equal_volumes = 1", vec![(1 << 20) + 4096], 128),
    ] {
        let text = format!("{keys}\narrangement = \"striped\"\nstripe_unit = \"8 KiB\"");
        let (volumes, fault) = parameters(&text).make_volumes(&behind);
        assert_eq!(fault, None, "{keys} on {behind:?}");
        let sizes: Vec<u64> =
            (0..volumes.volumes()).map(|volume| volumes.capacity(volume) / (8 * KIB)).collect();
        assert!(sizes.iter().all(|size| *size == sizes[0]), "{sizes:?}");
        assert_eq!(sizes[0], stripes, "{keys} on {behind:?}");
    }
}

/// A pool of four chunks, of which two volumes of a gibibyte each take what they write.
const ON_WRITE: &str = "chunk = \"4 KiB\"\n[volumes.a]\nsize = \"1 GiB\"\nspace = \"on-write\"\n\
                        [volumes.b]\nsize = \"1 GiB\"\nspace = \"on-write\"\n";

/// Writes to a volume, and answers its child requests. Returns the status, and the places where it was written.
fn write(
    bench: &mut ComponentBench<Volumes>,
    now: Time,
    device: u32,
    lba: u64,
    bytes: u64,
) -> (Status, Vec<(u32, u64, u64)>) {
    let (id, did) = bench.ask(now, ASKED, Request { device, ..sample_write(lba, bytes) });
    let mut answers = did.sent_answers();
    let mut asked = Vec::new();
    if answers.is_empty() {
        let did = bench.receive(now, ASKED, Message::WriteDataUpTo(id, bytes));
        (asked, answers) = (did.sent_requests(), did.sent_answers());
    }
    let mut places = Vec::new();
    for (port, part) in asked {
        let request = *bench.requests().request(part);
        places.push((request.device, request.lba, request.bytes));
        answers.extend(bench.receive(now, port, Message::Done(part, GOOD)).sent_answers());
    }
    bench.close_request(now, ASKED, id);
    assert_eq!(answers.len(), 1, "one answer");
    (answers[0].1, places)
}

#[test]
fn a_volume_on_write_takes_chunks_as_it_is_written_and_reads_zeros_elsewhere() {
    let mut bench = bench(ON_WRITE, &[16 * KIB]);
    let now = instant_at_us(0);
    // A read of what was never written is answered at once and goes to no device.
    let (id, did) = bench.ask(now, ASKED, sample_read(1 << 20, 4096));
    assert_eq!((did.sent_requests(), did.sent_answers()), (vec![], vec![(id, GOOD)]));
    bench.close_request(now, ASKED, id);
    assert_eq!(write(&mut bench, now, 0, 1 << 20, 512), (GOOD, vec![(10, 0, 512)]));
    assert_eq!(write(&mut bench, now, 1, 0, 4096), (GOOD, vec![(10, 8, 4096)]));
    // 8 KiB of which the first chunk exists: one more is taken, behind that of the other volume.
    assert_eq!(write(&mut bench, now, 0, 1 << 20, 8192), (GOOD, vec![(10, 0, 4096), (10, 16, 4096)]));
    // Only the first third of these 12 KiB was ever written.
    let (id, did) = bench.ask(now, ASKED, Request { device: 1, ..sample_read(0, 12 * 1024) });
    let [(port, part)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(bench.requests().request(part).bytes, 4096);
    let did = bench.receive(now, port, Message::Done(part, GOOD));
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    bench.close_request(now, ASKED, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_write_that_finds_no_chunk_fails_until_a_volume_is_deleted() {
    let mut bench = bench(ON_WRITE, &[16 * KIB]);
    let now = instant_at_us(0);
    assert_eq!(write(&mut bench, now, 0, 0, 12 * 1024).0, GOOD);
    assert_eq!(write(&mut bench, now, 1, 0, 8192), (Status::Failed, vec![]), "one chunk is left");
    assert_eq!(write(&mut bench, now, 1, 0, 4096).0, GOOD);
    // The first volume is deleted while one of its reads is at the device: its chunks are free when that is back.
    let (id, did) = bench.ask(now, ASKED, sample_read(0, 4096));
    let (port, part) = did.sent_requests()[0];
    let did = bench.apply_action_to_part(now, 0, false);
    assert!(did.sent.contains(&(port, Message::Abort(part))), "{did:?}");
    assert_eq!(write(&mut bench, now, 1, 8, 4096).0, Status::Failed);
    assert_eq!(write(&mut bench, now, 0, 0, 512), (Status::Failed, vec![]), "it is deleted");
    bench.apply_action_to_part(now, 0, true);
    assert_eq!(
        write(&mut bench, now, 0, 0, 512),
        (Status::Failed, vec![]),
        "a read of the former one is in flight"
    );
    let did = bench.receive(now, port, Message::Done(part, Status::Aborted));
    assert_eq!(did.sent_answers(), [(id, Status::Failed)]);
    bench.close_request(now, ASKED, id);
    assert_eq!(write(&mut bench, now, 1, 8, 4096), (GOOD, vec![(10, 0, 4096)]));
    // Made anew it is empty.
    let (id, did) = bench.ask(now, ASKED, sample_read(0, 4096));
    assert_eq!((did.sent_requests(), did.sent_answers()), (vec![], vec![(id, GOOD)]));
    bench.close_request(now, ASKED, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn volumes_on_write_share_what_the_others_leave() {
    let text = "chunk = \"4 KiB\"\n[volumes.log]\nsize = \"6 KiB\"\n[volumes.thin]\nspace = \"on-write\"\n\
                [volumes.large]\nsize = \"1 TiB\"\nspace = \"on-write\"\non = 1\n";
    let (space, fault) = parameters(text).make_volumes(&[16 * KIB, 9 * KIB]);
    // 10 KiB of the first device are two chunks, the second has two.
    let capacities: Vec<u64> = (0..3).map(|volume| space.capacity(volume)).collect();
    assert_eq!((capacities, fault), (vec![6 * KIB, 16 * KIB, 1 << 40], None));
    assert_eq!([0, 1, 2].map(|volume| space.is_on_write(volume)), [false, true, true]);
}
