//! Tests of a cache before devices, input by input; the tests act as the devices.

mod durability;
mod world;

use super::*;
use proptest::prelude::*;
use sansim_cache::CacheParameters;
use sansim_component::bench::{Bench, BenchPlace, read, us, write};
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
    ways.extend((0..devices).map(|device| vec![DevicePath::by(1 + device as u16)]));
    let path = PathParameters::from_toml("", &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    let behind = Behind::of((10..10 + devices).collect(), PathChoice::new(&ways, &path), segment::FAIL_OVER);
    let (capacities, places) = (vec![bytes; devices as usize], (0..devices).map(Some).collect());
    DeviceCache::new(&parameters(text), &capacities, places, behind, RandomStream::new(1, "cache"))
}

fn bench(text: &str) -> Bench<DeviceCache> {
    Bench::new(cache(text, 2, MIB), 3)
}

const PLAIN: &str = "capacity = \"64 KiB\"\nblock = \"4 KiB\"\n";

/// The request that a device gets, in blocks of 512 bytes.
fn asked(bench: &Bench<DeviceCache>, id: RequestId) -> (u32, bool, u64, u64) {
    let request = bench.requests().get(id);
    (request.device, request.is_write(), request.lba, request.bytes)
}

#[test]
fn a_miss_is_fetched_in_whole_blocks_and_the_next_read_of_them_hits() {
    let mut bench = bench(PLAIN);
    let (id, did) = bench.ask(us(0), ASKED, read(9, 512));
    let [(port, part)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!((port, asked(&bench, part)), (1, (10, false, 8, 4096)));
    let did = bench.receive(us(50), port, Message::Done(part, GOOD));
    assert_eq!(did.sent_by(ASKED), [Message::ReadDataUpTo(id, 512), Message::Done(id, GOOD)]);
    bench.close(us(60), ASKED, id);
    assert_eq!(bench.stays(id)[0], (BenchPlace::Beyond(1, 0), Span::from_us(50)));
    let (id, did) = bench.ask(us(70), ASKED, read(15, 512));
    assert_eq!(did.answers(), [(id, GOOD)]);
    bench.close(us(70), ASKED, id);
    // A block at the same offset of the other device is a different block.
    let (id, did) = bench.ask(us(80), ASKED, Request { device: 1, ..read(9, 512) });
    let [(port, part)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!((port, asked(&bench, part)), (2, (11, false, 8, 4096)));
    bench.receive(us(90), port, Message::Done(part, GOOD));
    bench.close(us(90), ASKED, id);
    assert_eq!(bench.left(), [""; 0]);
}

#[test]
fn a_read_of_blocks_that_are_on_their_way_waits_for_them() {
    let mut bench = bench(PLAIN);
    let (first, did) = bench.ask(us(0), ASKED, read(0, 8192));
    let (port, part) = did.asked()[0];
    let (second, did) = bench.ask(us(10), ASKED, read(8, 4096));
    assert_eq!(did.asked(), [], "it is asked for once");
    assert_eq!(bench.place(second), BenchPlace::Here(segment::AWAITS));
    let did = bench.receive(us(40), port, Message::Done(part, GOOD));
    let mut answers = did.answers();
    answers.sort_by_key(|(id, _)| *id);
    assert_eq!(answers, [(first, GOOD), (second, GOOD)]);
    bench.close(us(40), ASKED, first);
    bench.close(us(40), ASKED, second);
    assert_eq!(bench.stays(second), [(BenchPlace::Here(segment::AWAITS), Span::from_us(30))]);
    assert_eq!(bench.left(), [""; 0]);
}

#[test]
fn what_others_could_not_fetch_a_read_asks_for_itself() {
    let mut bench = bench(PLAIN);
    let (first, did) = bench.ask(us(0), ASKED, read(0, 4096));
    let (port, part) = did.asked()[0];
    let (second, _) = bench.ask(us(10), ASKED, read(0, 512));
    let did = bench.receive(us(40), port, Message::Done(part, Status::Busy));
    assert_eq!(did.answers(), [(first, Status::Busy)], "it is handed on");
    let [(port, part)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, part), (10, false, 0, 512));
    let did = bench.receive(us(90), port, Message::Done(part, GOOD));
    assert_eq!(did.answers(), [(second, GOOD)]);
    bench.close(us(90), ASKED, first);
    bench.close(us(90), ASKED, second);
    assert_eq!(bench.left(), [""; 0]);
}

fn begin_write(
    bench: &mut Bench<DeviceCache>,
    now: u64,
    request: Request,
) -> (RequestId, sansim_component::bench::Did) {
    let (id, did) = bench.ask(us(now), ASKED, request);
    assert_eq!(did.sent_by(ASKED), [Message::WriteCredit(id, request.bytes)]);
    (id, bench.receive(us(now), ASKED, Message::WriteDataUpTo(id, request.bytes)))
}

#[test]
fn a_write_is_answered_when_it_is_held_and_destaged_later() {
    let mut bench = bench(&format!("{PLAIN}[write]\ndestage = {{ when = \"at-once\" }}"));
    let (id, did) = begin_write(&mut bench, 0, write(8, 8192));
    assert_eq!(did.answers(), [(id, GOOD)]);
    let [(port, destage)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!((port, asked(&bench, destage)), (1, (10, true, 8, 8192)));
    assert!(bench.requests().get(destage).origin.background);
    bench.close(us(0), ASKED, id);
    assert_eq!(bench.component.cache().dirty(), 2);
    bench.receive(us(1), port, Message::WriteCredit(destage, 8192));
    let did = bench.receive(us(50), port, Message::Done(destage, GOOD));
    assert_eq!(did.closed, [(destage, GOOD)]);
    assert_eq!((bench.component.cache().dirty(), bench.left()), (0, vec![]));
}

#[test]
fn a_write_of_a_part_of_a_block_is_answered_before_the_rest_is_fetched() {
    let mut bench = bench(&format!("{PLAIN}[write]\ndestage = {{ when = \"at-once\" }}"));
    let (id, did) = begin_write(&mut bench, 0, write(3, 512));
    assert_eq!(did.answers(), [(id, GOOD)]);
    bench.close(us(0), ASKED, id);
    let [(port, fetch)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, fetch), (10, false, 0, 4096));
    let did = bench.receive(us(20), port, Message::Done(fetch, GOOD));
    let [(port, destage)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, destage), (10, true, 0, 4096), "all of it");
    bench.receive(us(40), port, Message::Done(destage, GOOD));
    assert_eq!(bench.left(), [""; 0]);
}

#[test]
fn nothing_overtakes_a_write_that_goes_through() {
    let mut bench = bench(&format!("{PLAIN}[write]\nmode = \"through\"\nallocate = false"));
    let (first, did) = begin_write(&mut bench, 0, write(0, 512));
    let [(port, through)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, through), (10, true, 0, 512), "as it is");
    let (reads, did) = bench.ask(us(1), ASKED, read(4, 512));
    assert_eq!(did.asked(), [], "a read of the same block would fetch what is old");
    assert_eq!(bench.place(reads), BenchPlace::Here(segment::ROOM));
    let (second, did) = begin_write(&mut bench, 2, write(2, 512));
    assert_eq!((did.asked(), did.answers()), (vec![], vec![]));
    let (other, did) = begin_write(&mut bench, 3, write(80, 512));
    assert_eq!(did.asked().len(), 1, "another block");
    let (port_of_other, of_other) = did.asked()[0];
    let did = bench.receive(us(10), port, Message::Done(through, GOOD));
    assert_eq!(did.answers(), [(first, GOOD)]);
    let [(_, fetch), (_, again)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!(asked(&bench, fetch), (10, false, 0, 4096));
    bench.receive(us(20), port, Message::Done(fetch, GOOD));
    bench.receive(us(20), port, Message::Done(again, GOOD));
    bench.receive(us(20), port_of_other, Message::Done(of_other, GOOD));
    for id in [first, reads, second, other] {
        bench.close(us(30), ASKED, id);
    }
    assert_eq!(bench.left(), [""; 0]);
}

#[test]
fn a_write_that_finds_no_room_waits_for_a_destage() {
    let keys =
        "capacity = \"8 KiB\"\nblock = \"4 KiB\"\n[write]\nwhen_full = \"wait\"\nstripe_size = \"4 KiB\"";
    let mut bench = bench(keys);
    let ids = [0, 8].map(|lba| begin_write(&mut bench, 0, write(lba, 4096)).0);
    let (waits, did) = begin_write(&mut bench, 1, write(16, 4096));
    assert_eq!(did.answers(), []);
    assert_eq!(bench.place(waits), BenchPlace::Here(segment::ROOM));
    let destages: Vec<RequestId> =
        bench.requests().open_ones().filter(|(_, r)| r.origin.background).map(|(id, _)| id).collect();
    let did = bench.receive(us(30), 1, Message::Done(destages[0], GOOD));
    assert_eq!(did.answers(), [(waits, GOOD)]);
    for id in ids.into_iter().chain([waits]) {
        bench.close(us(30), ASKED, id);
    }
    assert_eq!(bench.stays(waits), [(BenchPlace::Here(segment::ROOM), Span::from_us(29))]);
}

#[test]
fn who_aborts_gets_an_answer_wherever_the_request_is() {
    let keys = "capacity = \"8 KiB\"\nblock = \"4 KiB\"\nlook_up_time = \"5 us\"\nmemory_bandwidth = \"1 GB/s\"\n[write]\nwhen_full = \"wait\"";
    // The request is aborted while its data come.
    let mut bench = bench(keys);
    let (id, _) = bench.ask(us(0), ASKED, write(0, 4096));
    assert_eq!(bench.receive(us(1), ASKED, Message::Abort(id)).answers(), [(id, Status::Aborted)]);
    bench.close(us(1), ASKED, id);
    // The request is aborted while it is looked up.
    let (id, _) = bench.ask(us(2), ASKED, read(0, 4096));
    assert_eq!(bench.receive(us(3), ASKED, Message::Abort(id)).answers(), []);
    assert_eq!(bench.due(us(7)).answers(), [(id, Status::Aborted)]);
    bench.close(us(7), ASKED, id);
    // The request is aborted while its blocks are fetched.
    let (id, _) = bench.ask(us(8), ASKED, read(0, 4096));
    let (port, part) = bench.due(us(13)).asked()[0];
    let did = bench.receive(us(14), ASKED, Message::Abort(id));
    assert_eq!(did.sent, [(port, Message::Abort(part))]);
    let did = bench.receive(us(15), port, Message::Done(part, Status::Aborted));
    assert_eq!(did.answers(), [(id, Status::Aborted)]);
    bench.close(us(15), ASKED, id);
    assert_eq!((bench.left(), bench.component.cache().resident()), (vec![], 0));
}

/// Read hits through the component, one request at a time, are equal to the hits of the cache without time for the same addresses.
#[test]
fn it_hits_as_often_as_the_cache_without_time() {
    for policy in sansim_cache::replacement::ReplacementPolicy::WORDS {
        for ahead in ["none", "fixed", "adaptive"] {
            let keys = format!(
                "capacity = \"64 KiB\"\nblock = \"4 KiB\"\nreplacement = {{ policy = \"{policy}\" }}\nread_ahead = {{ policy = \"{ahead}\" }}"
            );
            let mut bench = Bench::new(cache(&keys, 1, MIB), 2);
            let pure = CacheParameters::from_toml(&keys, &Facts::default()).expect("the same keys");
            let mut pure = BlockCache::new(&pure, MIB, RandomStream::new(1, "cache"));
            let (mut random, mut answer) = (RandomStream::new(7, "addresses"), CacheAnswer::default());
            for now in 0..3_000 {
                let lba = if random.chance(0.7) { random.below(200) } else { random.below(2_000) };
                let (id, did) = bench.ask(us(now), ASKED, read(lba, 2048));
                let mut open = VecDeque::from(did.asked());
                while let Some((port, part)) = open.pop_front() {
                    open.extend(bench.receive(us(now), port, Message::Done(part, GOOD)).asked());
                }
                bench.close(us(now), ASKED, id);
                pure.read(lba * 512..lba * 512 + 2048, &mut answer);
                for blocks in answer.fetch.iter().chain(&answer.ahead) {
                    pure.fetched(blocks.clone());
                }
            }
            assert_eq!(bench.component.cache().counts(), pure.counts(), "{policy}, {ahead}");
            assert!(pure.counts().read_hits > 300);
            assert_eq!(bench.left(), [""; 0]);
        }
    }
}

/// Writes in flight to the device when power failed may still arrive, so preserved blocks are destaged only after them.
#[test]
fn what_is_kept_does_not_overtake_what_was_on_its_way_before() {
    let mut bench = bench(&format!("{PLAIN}[write]\nbattery = true\ndestage = {{ when = \"at-once\" }}"));
    let (id, did) = begin_write(&mut bench, 0, write(0, 4096));
    let [(port, before)] = did.asked()[..] else { panic!("{did:?}") };
    bench.close(us(0), ASKED, id);
    assert_eq!(bench.act_on(us(5), 0, false).asked(), []);
    assert_eq!(bench.act_on(us(6), 0, true).asked(), [], "the first is still on its way");
    let did = bench.receive(us(20), port, Message::Done(before, GOOD));
    let [(port, again)] = did.asked()[..] else { panic!("{did:?}") };
    assert_eq!((asked(&bench, again), bench.component.cache().dirty()), ((10, true, 0, 4096), 1));
    bench.receive(us(30), port, Message::Done(again, GOOD));
    assert_eq!((bench.component.cache().dirty(), bench.left()), (0, vec![]));
}
