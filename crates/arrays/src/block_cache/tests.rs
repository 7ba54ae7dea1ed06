//! Tests of a cache before devices, input by input; the tests act as the devices.

mod durability;
mod world;

use super::*;
use proptest::prelude::*;
use sansim_cache::CacheParameters;
use sansim_component::bench::{BenchRequestPlace, ComponentBench, instant_at_us, sample_read, sample_write};
use sansim_component::policy::DevicePath;
use sansim_kernel::Span;
use sansim_request::Request;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const GOOD: Status = Status::Good;
/// The port by which the cache gets requests; device `n` behind it has the number `10 + n` in the system, and is reached by port `1 + n`.
const ASKED: u16 = 0;
const MIB: u64 = 1 << 20;

fn parameters(text: &str) -> BlockCacheParameters {
    BlockCacheParameters::from_toml(text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

/// A cache before this many devices of `bytes` bytes each; it presents them as devices 0, 1 ...
fn cache(text: &str, devices: u32, bytes: u64) -> DeviceCache {
    let mut ways = vec![Vec::new(); 10];
    ways.extend((0..devices).map(|device| vec![DevicePath::from_port(1 + device as u16)]));
    let path = PathParameters::from_toml("", &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    let behind = ChildRequests::with_devices(
        (10..10 + devices).collect(),
        PathChoice::new(&ways.into(), &path),
        segment::FAIL_OVER,
    );
    let (capacities, places) = (vec![bytes; devices as usize], (0..devices).map(Some).collect());
    DeviceCache::new(&parameters(text), &capacities, places, behind, RandomStream::new(1, "cache"))
}

fn bench(text: &str) -> ComponentBench<DeviceCache> {
    ComponentBench::new(cache(text, 2, MIB), 3)
}

const PLAIN: &str = "capacity = \"64 KiB\"\nblock = \"4 KiB\"\n";

/// The request that a device gets, in blocks of 512 bytes.
fn asked(bench: &ComponentBench<DeviceCache>, id: RequestId) -> (u32, bool, u64, u64) {
    let request = bench.requests().request(id);
    (request.device, request.is_write(), request.lba, request.bytes)
}

#[test]
fn a_miss_is_fetched_in_whole_blocks_and_the_next_read_of_them_hits() {
    let mut bench = bench(PLAIN);
    let (id, did) = bench.ask(instant_at_us(0), ASKED, sample_read(9, 512));
    let [(port, part)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!((port, asked(&bench, part)), (1, (10, false, 8, 4096)));
    let did = bench.receive(instant_at_us(50), port, Message::Done(part, GOOD));
    assert_eq!(did.messages_sent_at_port(ASKED), [Message::ReadDataUpTo(id, 512), Message::Done(id, GOOD)]);
    bench.close_request(instant_at_us(60), ASKED, id);
    assert_eq!(bench.dwells_of_request(id)[0], (BenchRequestPlace::Beyond(1, 0), Span::from_us(50)));
    let (id, did) = bench.ask(instant_at_us(70), ASKED, sample_read(15, 512));
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    bench.close_request(instant_at_us(70), ASKED, id);
    // A block at the same offset of the other device is a different block.
    let (id, did) = bench.ask(instant_at_us(80), ASKED, Request { device: 1, ..sample_read(9, 512) });
    let [(port, part)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!((port, asked(&bench, part)), (2, (11, false, 8, 4096)));
    bench.receive(instant_at_us(90), port, Message::Done(part, GOOD));
    bench.close_request(instant_at_us(90), ASKED, id);
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_read_of_blocks_that_are_on_their_way_waits_for_them() {
    let mut bench = bench(PLAIN);
    let (first, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 8192));
    let (port, part) = did.sent_requests()[0];
    let (second, did) = bench.ask(instant_at_us(10), ASKED, sample_read(8, 4096));
    assert_eq!(did.sent_requests(), [], "it is asked for once");
    assert_eq!(bench.place_of_request(second), BenchRequestPlace::Here(segment::AWAITS));
    let did = bench.receive(instant_at_us(40), port, Message::Done(part, GOOD));
    let mut answers = did.sent_answers();
    answers.sort_by_key(|(id, _)| *id);
    assert_eq!(answers, [(first, GOOD), (second, GOOD)]);
    bench.close_request(instant_at_us(40), ASKED, first);
    bench.close_request(instant_at_us(40), ASKED, second);
    assert_eq!(
        bench.dwells_of_request(second),
        [(BenchRequestPlace::Here(segment::AWAITS), Span::from_us(30))]
    );
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn what_others_could_not_fetch_a_read_asks_for_itself() {
    let mut bench = bench(PLAIN);
    let (first, did) = bench.ask(instant_at_us(0), ASKED, sample_read(0, 4096));
    let (port, part) = did.sent_requests()[0];
    let (second, _) = bench.ask(instant_at_us(10), ASKED, sample_read(0, 512));
    let did = bench.receive(instant_at_us(40), port, Message::Done(part, Status::Busy));
    assert_eq!(did.sent_answers(), [(first, Status::Busy)], "it is handed on");
    let [(port, part)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, part), (10, false, 0, 512));
    let did = bench.receive(instant_at_us(90), port, Message::Done(part, GOOD));
    assert_eq!(did.sent_answers(), [(second, GOOD)]);
    bench.close_request(instant_at_us(90), ASKED, first);
    bench.close_request(instant_at_us(90), ASKED, second);
    assert_eq!(bench.leftovers(), [""; 0]);
}

fn begin_write(
    bench: &mut ComponentBench<DeviceCache>,
    now: u64,
    request: Request,
) -> (RequestId, sansim_component::bench::InputEffects) {
    let (id, did) = bench.ask(instant_at_us(now), ASKED, request);
    assert_eq!(did.messages_sent_at_port(ASKED), [Message::WriteCredit(id, request.bytes)]);
    (id, bench.receive(instant_at_us(now), ASKED, Message::WriteDataUpTo(id, request.bytes)))
}

#[test]
fn a_write_is_answered_when_it_is_held_and_destaged_later() {
    let mut bench = bench(&format!("{PLAIN}[write]\ndestage = {{ when = \"at-once\" }}"));
    let (id, did) = begin_write(&mut bench, 0, sample_write(8, 8192));
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    let [(port, destage)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!((port, asked(&bench, destage)), (1, (10, true, 8, 8192)));
    assert!(bench.requests().request(destage).origin.background);
    bench.close_request(instant_at_us(0), ASKED, id);
    assert_eq!(bench.component.cache_content().dirty_block_count(), 2);
    bench.receive(instant_at_us(1), port, Message::WriteCredit(destage, 8192));
    let did = bench.receive(instant_at_us(50), port, Message::Done(destage, GOOD));
    assert_eq!(did.closed, [(destage, GOOD)]);
    assert_eq!((bench.component.cache_content().dirty_block_count(), bench.leftovers()), (0, vec![]));
}

#[test]
fn a_write_of_a_part_of_a_block_is_answered_before_the_rest_is_fetched() {
    let mut bench = bench(&format!("{PLAIN}[write]\ndestage = {{ when = \"at-once\" }}"));
    let (id, did) = begin_write(&mut bench, 0, sample_write(3, 512));
    assert_eq!(did.sent_answers(), [(id, GOOD)]);
    bench.close_request(instant_at_us(0), ASKED, id);
    let [(port, fetch)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, fetch), (10, false, 0, 4096));
    let did = bench.receive(instant_at_us(20), port, Message::Done(fetch, GOOD));
    let [(port, destage)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, destage), (10, true, 0, 4096), "all of it");
    bench.receive(instant_at_us(40), port, Message::Done(destage, GOOD));
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn nothing_overtakes_a_write_that_goes_through() {
    let mut bench = bench(&format!("{PLAIN}[write]\nmode = \"through\"\nallocate = false"));
    let (first, did) = begin_write(&mut bench, 0, sample_write(0, 512));
    let [(port, through)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, through), (10, true, 0, 512), "as it is");
    let (reads, did) = bench.ask(instant_at_us(1), ASKED, sample_read(4, 512));
    assert_eq!(did.sent_requests(), [], "a read of the same block would fetch what is old");
    assert_eq!(bench.place_of_request(reads), BenchRequestPlace::Here(segment::ROOM));
    let (second, did) = begin_write(&mut bench, 2, sample_write(2, 512));
    assert_eq!((did.sent_requests(), did.sent_answers()), (vec![], vec![]));
    let (other, did) = begin_write(&mut bench, 3, sample_write(80, 512));
    assert_eq!(did.sent_requests().len(), 1, "another block");
    let (port_of_other, of_other) = did.sent_requests()[0];
    let did = bench.receive(instant_at_us(10), port, Message::Done(through, GOOD));
    assert_eq!(did.sent_answers(), [(first, GOOD)]);
    let [(_, fetch), (_, again)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, fetch), (10, false, 0, 4096));
    bench.receive(instant_at_us(20), port, Message::Done(fetch, GOOD));
    bench.receive(instant_at_us(20), port, Message::Done(again, GOOD));
    bench.receive(instant_at_us(20), port_of_other, Message::Done(of_other, GOOD));
    for id in [first, reads, second, other] {
        bench.close_request(instant_at_us(30), ASKED, id);
    }
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_write_that_finds_no_room_waits_for_a_destage() {
    let keys =
        "capacity = \"8 KiB\"\nblock = \"4 KiB\"\n[write]\nwhen_full = \"wait\"\nstripe_size = \"4 KiB\"";
    let mut bench = bench(keys);
    let ids = [0, 8].map(|lba| begin_write(&mut bench, 0, sample_write(lba, 4096)).0);
    let (waits, did) = begin_write(&mut bench, 1, sample_write(16, 4096));
    assert_eq!(did.sent_answers(), []);
    assert_eq!(bench.place_of_request(waits), BenchRequestPlace::Here(segment::ROOM));
    let destages: Vec<RequestId> =
        bench.requests().open_requests().filter(|(_, r)| r.origin.background).map(|(id, _)| id).collect();
    let did = bench.receive(instant_at_us(30), 1, Message::Done(destages[0], GOOD));
    assert_eq!(did.sent_answers(), [(waits, GOOD)]);
    for id in ids.into_iter().chain([waits]) {
        bench.close_request(instant_at_us(30), ASKED, id);
    }
    assert_eq!(bench.dwells_of_request(waits), [(BenchRequestPlace::Here(segment::ROOM), Span::from_us(29))]);
}

#[test]
fn who_aborts_gets_an_answer_wherever_the_request_is() {
    let keys = "capacity = \"8 KiB\"\nblock = \"4 KiB\"\nlook_up_time = \"5 us\"\nmemory_bandwidth = \"1 GB/s\"\n[write]\nwhen_full = \"wait\"";
    // The request is aborted while its data come.
    let mut bench = bench(keys);
    let (id, _) = bench.ask(instant_at_us(0), ASKED, sample_write(0, 4096));
    assert_eq!(
        bench.receive(instant_at_us(1), ASKED, Message::Abort(id)).sent_answers(),
        [(id, Status::Aborted)]
    );
    bench.close_request(instant_at_us(1), ASKED, id);
    // The request is aborted while it is looked up.
    let (id, _) = bench.ask(instant_at_us(2), ASKED, sample_read(0, 4096));
    assert_eq!(bench.receive(instant_at_us(3), ASKED, Message::Abort(id)).sent_answers(), []);
    assert_eq!(bench.handle_due_timer(instant_at_us(7)).sent_answers(), [(id, Status::Aborted)]);
    bench.close_request(instant_at_us(7), ASKED, id);
    // The request is aborted while its blocks are fetched.
    let (id, _) = bench.ask(instant_at_us(8), ASKED, sample_read(0, 4096));
    let (port, part) = bench.handle_due_timer(instant_at_us(13)).sent_requests()[0];
    let did = bench.receive(instant_at_us(14), ASKED, Message::Abort(id));
    assert_eq!(did.sent, [(port, Message::Abort(part))]);
    let did = bench.receive(instant_at_us(15), port, Message::Done(part, Status::Aborted));
    assert_eq!(did.sent_answers(), [(id, Status::Aborted)]);
    bench.close_request(instant_at_us(15), ASKED, id);
    assert_eq!((bench.leftovers(), bench.component.cache_content().resident_block_count()), (vec![], 0));
}

/// Read hits through the component, one request at a time, are equal to the hits of the cache without time for the same addresses.
#[test]
fn it_hits_as_often_as_the_cache_without_time() {
    for policy in sansim_cache::replacement::ReplacementPolicy::WORDS {
        for ahead in ["none", "fixed", "adaptive"] {
            let keys = format!(
                "capacity = \"64 KiB\"\nblock = \"4 KiB\"\nreplacement = {{ policy = \"{policy}\" }}\nread_ahead = {{ policy = \"{ahead}\" }}"
            );
            let mut bench = ComponentBench::new(cache(&keys, 1, MIB), 2);
            let pure = CacheParameters::from_toml(&keys, &Facts::default()).expect("the same keys");
            let mut pure = BlockCache::new(&pure, MIB, RandomStream::new(1, "cache"));
            let (mut random, mut answer) = (RandomStream::new(7, "addresses"), CacheAnswer::default());
            for now in 0..3_000 {
                let lba = if random.chance(0.7) { random.draw_below(200) } else { random.draw_below(2_000) };
                let (id, did) = bench.ask(instant_at_us(now), ASKED, sample_read(lba, 2048));
                let mut open = VecDeque::from(did.sent_requests());
                while let Some((port, part)) = open.pop_front() {
                    open.extend(
                        bench.receive(instant_at_us(now), port, Message::Done(part, GOOD)).sent_requests(),
                    );
                }
                bench.close_request(instant_at_us(now), ASKED, id);
                pure.read(lba * 512..lba * 512 + 2048, &mut answer);
                for blocks in answer.fetch.iter().chain(&answer.ahead) {
                    pure.fetched(blocks.clone());
                }
            }
            assert_eq!(bench.component.cache_content().counts(), pure.counts(), "{policy}, {ahead}");
            assert!(pure.counts().read_hits > 300);
            assert_eq!(bench.leftovers(), [""; 0]);
        }
    }
}

/// Writes in flight to the device when power failed may still arrive, so preserved blocks are destaged only after them.
#[test]
fn what_is_kept_does_not_overtake_what_was_on_its_way_before() {
    let mut bench = bench(&format!("{PLAIN}[write]\nbattery = true\ndestage = {{ when = \"at-once\" }}"));
    let (id, did) = begin_write(&mut bench, 0, sample_write(0, 4096));
    let [(port, before)] = did.sent_requests()[..] else { panic!("{did:?}") };
    bench.close_request(instant_at_us(0), ASKED, id);
    assert_eq!(bench.apply_action_to_part(instant_at_us(5), 0, false).sent_requests(), []);
    assert_eq!(
        bench.apply_action_to_part(instant_at_us(6), 0, true).sent_requests(),
        [],
        "the first is still on its way"
    );
    let did = bench.receive(instant_at_us(20), port, Message::Done(before, GOOD));
    let [(port, again)] = did.sent_requests()[..] else { panic!("{did:?}") };
    assert_eq!(
        (asked(&bench, again), bench.component.cache_content().dirty_block_count()),
        ((10, true, 0, 4096), 1)
    );
    bench.receive(instant_at_us(30), port, Message::Done(again, GOOD));
    assert_eq!((bench.component.cache_content().dirty_block_count(), bench.leftovers()), (0, vec![]));
}
