//! Loop switches are tested word by word. All times are in words; a station passes a word on after six words, the switch after as
//! many as the test says, and cables have no length.

use crate::common::{Job, Record, loop_of, run, run_switch, station, switch_of, words};
use sansim_fc::arbitrated_loop::{LoopModel, LoopStation};
use sansim_fc::loop_port::PortParameters;
use sansim_fc::observation::Observation;
use sansim_fc::word::{FillWord, LinkItem, PrimitiveSignal};
use sansim_kernel::{Span, Time};

const WORD: Span = Span(10_560);
const LIMIT: u64 = 100_000;

fn stations(count: usize) -> Vec<LoopStation> {
    (0..count).map(|rank| station(rank, WORD)).collect()
}

/// The number of words before the first job, in which IDLE has been sent for its two words.
const BEGIN: u64 = 10;

fn job(at: u64, from: usize, to: usize) -> Job {
    Job { at: Time::ZERO + WORD * (BEGIN + at), from, to, payload: 0, command: true, frames: 1 }
}

/// Runs the jobs on a switch with this latency and look-up time, in words, and with more keys.
fn switched(latency: u64, look_up: u64, keys: &str, stations: &[LoopStation], jobs: &[Job]) -> Record {
    let keys = format!("latency = \"{latency} words\"\nlook_up = \"{look_up} words\"\n{keys}");
    let record = run_switch(&switch_of(WORD, &keys), stations, WORD * 10, jobs, LoopModel::Reference, LIMIT);
    assert!(record.quiet, "it comes to rest");
    assert_eq!(record.received.len(), jobs.len());
    record
}

/// The times, in words since the first job, at which something was observed at a station.
fn seen(record: &Record, station: usize, wanted: impl Fn(&Observation) -> bool) -> Vec<u64> {
    let at_station = record.observations.iter().filter(|(_, at, what)| *at == station && wanted(what));
    at_station.map(|(at, _, _)| at.ticks() / WORD.ticks() - BEGIN).collect()
}

fn sent(signal: fn(&PrimitiveSignal) -> bool) -> impl Fn(&Observation) -> bool {
    move |what| matches!(what, Observation::SentItem(LinkItem::Signal(one)) if signal(one))
}

fn received(signal: fn(&PrimitiveSignal) -> bool) -> impl Fn(&Observation) -> bool {
    move |what| matches!(what, Observation::ReceivedItem(LinkItem::Signal(one)) if signal(one))
}

fn is_open(signal: &PrimitiveSignal) -> bool {
    matches!(signal, PrimitiveSignal::Open { .. })
}

fn is_close(signal: &PrimitiveSignal) -> bool {
    matches!(signal, PrimitiveSignal::Close)
}

fn sent_arb(what: &Observation) -> bool {
    matches!(what, Observation::SentFill(FillWord::Arb(_)))
}

/// A station arbitrates at word 0. The switch receives the ARB after 6 words and sends it back at once; 6 words later the station
/// receives it, and sends OPN in the next word.
#[test]
fn arb_is_answered_at_the_port_however_many_stations_there_are() {
    for count in [2, 5, 40] {
        let record = switched(6, 0, "", &stations(count), &[job(0, 0, 1)]);
        assert_eq!(seen(&record, 0, sent_arb), [0]);
        assert_eq!(seen(&record, 0, sent(is_open)), [6 + 6 + 1]);
    }
}

/// OPN is sent at word 13, is in the switch at word 13 + 6, is looked up, and is at the destination 6 words
/// after the look-up.
#[test]
fn opn_is_looked_up_and_passed_on() {
    for look_up in [0, 9] {
        let record = switched(6, look_up, "", &stations(4), &[job(0, 0, 2)]);
        assert_eq!(seen(&record, 2, received(is_open)), [13 + 6 + look_up + 6]);
    }
}

/// From OPN on the two joined ports form a loop of two: the same words pass at the same times on a loop of the two stations with a
/// hub port of the same delay behind each station. Only the ARB has a shorter path, by the other half of that loop.
#[test]
fn from_opn_on_a_conversation_is_that_on_a_hub_of_the_same_delay() {
    for (latency, payload, full_duplex) in [(1, 0, false), (6, 2048, false), (11, 512, true)] {
        let two: Vec<LoopStation> = stations(2)
            .into_iter()
            .map(|one| LoopStation { port: PortParameters { full_duplex, ..one.port }, ..one })
            .collect();
        let jobs: Vec<Job> = (0..5).map(|_| Job { payload, ..job(0, 0, 1) }).collect();
        let on_switch = switched(latency, 0, "", &two, &jobs);
        let hub = |rank| {
            let port = station(rank, WORD);
            LoopStation { port: PortParameters { delay: words(latency, WORD), ..port.port }, ..port }
        };
        let on_hub = [two[0].clone(), hub(10), two[1].clone(), hub(11)];
        let to_hub: Vec<Job> = jobs.iter().map(|one| Job { to: 2, ..*one }).collect();
        let on_hub = run(&loop_of(WORD), &on_hub, WORD * 10, &to_hub, LoopModel::Reference, LIMIT);
        let items = |record: &Record, [a, b]: [usize; 2]| {
            let opened = seen(record, a, sent(is_open))[0];
            let of_ends = record.observations.iter().filter(|(_, at, _)| [a, b].contains(at));
            let items = of_ends.filter_map(|&(at, station, what)| match what {
                Observation::SentItem(_) | Observation::ReceivedItem(_) => Some((
                    at.ticks() / WORD.ticks() - BEGIN - opened,
                    usize::from(station == b),
                    format!("{what:?}"),
                )),
                _ => None,
            });
            items.collect::<Vec<_>>()
        };
        let strip = |text: &str| text.replace("AlPa", "");
        let (one, other) = (items(&on_switch, [0, 1]), items(&on_hub, [0, 2]));
        assert_eq!(one.len(), other.len());
        for (one, other) in one.iter().zip(&other) {
            assert_eq!((one.0, one.1, strip(&one.2)), (other.0, other.1, strip(&other.2)));
        }
        let other_half = 6 + latency;
        assert_eq!(
            seen(&on_switch, 0, sent(is_open))[0] + other_half,
            seen(&on_hub_opened(latency, full_duplex, payload), 0, sent(is_open))[0]
        );
    }
}

fn on_hub_opened(latency: u64, full_duplex: bool, payload: u16) -> Record {
    let with = |rank, delay| {
        let one = station(rank, WORD);
        LoopStation { port: PortParameters { full_duplex, delay: words(delay, WORD), ..one.port }, ..one }
    };
    let all = [with(0, 6), with(10, latency), with(1, 6), with(11, latency)];
    let jobs = [Job { payload, ..job(0, 0, 2) }];
    run(&loop_of(WORD), &all, WORD * 10, &jobs, LoopModel::Reference, LIMIT)
}

/// Two pairs of stations talk at the same time, each as if the other pair were not there.
#[test]
fn pairs_that_have_no_port_in_common_do_not_disturb_each_other() {
    let alone = switched(6, 9, "", &stations(4), &[job(0, 0, 1)]);
    let both = switched(6, 9, "", &stations(4), &[job(0, 0, 1), job(0, 2, 3)]);
    let arrived = |record: &Record, at: usize| {
        record.received.iter().find(|(_, station, _)| *station == at).map(|(time, ..)| *time)
    };
    assert_eq!(arrived(&both, 1), arrived(&alone, 1));
    assert_eq!(arrived(&both, 3), arrived(&alone, 1));
}

/// With one conversation at a time the second pair of stations waits for the end of the first conversation.
#[test]
fn one_conversation_at_a_time_lets_the_second_pair_wait() {
    let record = switched(6, 9, "conversations = 1", &stations(4), &[job(0, 0, 1), job(0, 2, 3)]);
    let closed = seen(&record, 1, sent(is_close))[0];
    assert!(seen(&record, 3, received(is_open))[0] > closed);
}

/// An OPN for a port in a conversation waits there, and is passed on when the port has listened for its own
/// station.
#[test]
fn an_opn_waits_for_a_busy_destination() {
    let record = switched(6, 0, "", &stations(3), &[job(0, 0, 2), job(2, 1, 2)]);
    assert_eq!(seen(&record, 1, sent(is_open)), [2 + 6 + 6 + 1], "it won at once");
    let opened = seen(&record, 2, received(is_open));
    let last_close = seen(&record, 0, received(is_close))[0].max(seen(&record, 2, received(is_close))[0]);
    assert!(opened[1] > last_close);
    assert!(seen(&record, 1, received(is_close)).len() == 1, "it was not refused");
}

/// One OPN waits; the next opener is answered with CLS, closes and tries again.
#[test]
fn an_opn_too_many_is_answered_with_cls() {
    let jobs = [job(0, 0, 2), job(1, 3, 2), job(2, 1, 2)];
    let record = switched(6, 0, "queue_length = 1", &stations(4), &jobs);
    let opened = seen(&record, 1, sent(is_open));
    assert!(opened.len() > 1, "it tries again");
    assert_eq!(seen(&record, 1, received(is_close)).len(), opened.len());
    // OPN is in the switch after 6 words; the CLS goes back in the same slot.
    assert_eq!(seen(&record, 1, received(is_close))[0], opened[0] + 6 + 6);
}

/// Two stations want each other at the same time: one is answered with CLS, and the other talks first.
#[test]
fn two_that_want_each_other_do_not_wait_for_ever() {
    for policy in ["fair", "controller-first", "rotating", "priority"] {
        let keys = format!("arbitration = \"{policy}\"");
        let record = switched(6, 9, &keys, &stations(2), &[job(0, 0, 1), job(0, 1, 0)]);
        assert_eq!(record.received[0].1, 1, "{policy}: the lower address, which is the host's, is first");
    }
}

/// Three stations want each other in a ring at the same time.
#[test]
fn a_ring_of_openers_does_not_wait_for_ever() {
    for policy in ["fair", "controller-first", "rotating", "priority"] {
        let keys = format!("arbitration = \"{policy}\"");
        switched(6, 9, &keys, &stations(3), &[job(0, 0, 1), job(0, 1, 2), job(0, 2, 0)]);
    }
}

/// Three drives want the host all the time, and the host has a command for one of the drives.
fn order_of_openers(policy: &str) -> Vec<usize> {
    let keys = format!("arbitration = \"{policy}\"");
    let jobs = [job(0, 1, 0), job(5, 2, 0), job(6, 3, 0), job(40, 0, 3)];
    switched(6, 9, &keys, &stations(4), &jobs)
        .received
        .iter()
        .map(|(_, _, frame)| frame.tag.0 as usize)
        .collect()
}

#[test]
fn the_policy_decides_whether_the_host_or_those_who_wait_for_it_are_next() {
    assert_eq!(order_of_openers("fair"), [0, 1, 2, 3]);
    assert_eq!(order_of_openers("controller-first"), [0, 3, 1, 2]);
}

/// Stations that share a port talk among themselves over their segment alone, and the switch wins the segment
/// before it sends an OPN into it.
#[test]
fn stations_that_share_a_port_are_a_loop_of_their_own() {
    let mut all = stations(4);
    all[2].shares_port = true;
    all[3].shares_port = true;
    switched(6, 9, "", &all, &[job(0, 1, 3), job(0, 3, 2), job(0, 2, 1)]);
    let record = switched(6, 9, "", &all, &[job(0, 0, 2)]);
    // The OPN of the host is in the switch and looked up at word 13 + 6 + 9. The ARB goes round the segment, with 6 words for each
    // of three stations and 6 for the switch, before the OPN goes on to the second station of the segment.
    assert_eq!(seen(&record, 2, received(is_open)), [13 + 6 + 9 + 24 + 12]);
}

/// Stations that are distributed over switches, which are cascaded by trunks without length.
fn chain(switch_of: &[usize]) -> Vec<LoopStation> {
    stations(switch_of.len())
        .into_iter()
        .zip(switch_of)
        .map(|(one, &switch)| LoopStation { switch, ..one })
        .collect()
}

/// Runs the jobs with `more` cascaded switches behind the first switch.
fn cascaded(more: usize, keys: &str, stations: &[LoopStation], jobs: &[Job]) -> Record {
    let tables: String = (0..more).map(|one| format!("cascaded.s{one}.holds = [\"s{one}\"]\n")).collect();
    switched(6, 9, &format!("{keys}{tables}"), stations, jobs)
}

/// At each trunk an OPN waits until ARB(x) has gone to the other switch and back, twice 6 words, then goes 6 words on, and is
/// looked up in 9 words.
#[test]
fn an_opn_wins_each_trunk_on_its_way() {
    let opened = |switches: usize| {
        let record =
            cascaded(switches, "", &chain(&(0..=switches).collect::<Vec<_>>()), &[job(0, 0, switches)]);
        seen(&record, switches, received(is_open))[0]
    };
    let beside = switched(6, 9, "", &stations(2), &[job(0, 0, 1)]);
    let beside = seen(&beside, 1, received(is_open))[0];
    for trunks in 1..4 {
        assert_eq!(opened(trunks), beside + trunks as u64 * (6 + 6 + 6 + 9), "{trunks} trunks");
    }
}

/// Pairs at different switches do not disturb each other, and neither do pairs at one switch if none of them needs the
/// trunk.
#[test]
fn a_trunk_is_in_the_way_of_none_but_those_who_need_it() {
    let arrived = |record: &Record, at: usize| {
        record.received.iter().find(|(_, station, _)| *station == at).map(|one| one.0)
    };
    let all = chain(&[0, 0, 1, 1]);
    let alone = cascaded(1, "", &all, &[job(0, 0, 1)]);
    let both = cascaded(1, "", &all, &[job(0, 0, 1), job(0, 2, 3)]);
    assert_eq!((arrived(&both, 1), arrived(&both, 3)), (arrived(&alone, 1), arrived(&alone, 1)));
    let crossing = cascaded(1, "", &all, &[job(0, 0, 2), job(0, 1, 3)]);
    assert!(arrived(&crossing, 3) > arrived(&crossing, 2), "one conversation at a time goes over a trunk");
}

/// Both ends want the trunk all the time, and use it in turns.
#[test]
fn a_trunk_is_had_in_turns() {
    let all = chain(&[0, 0, 0, 1, 1, 1]);
    let jobs = [job(0, 0, 3), job(0, 1, 4), job(0, 2, 5), job(0, 3, 0), job(0, 4, 1), job(0, 5, 2)];
    let record = cascaded(1, "", &all, &jobs);
    let mut received: Vec<(Time, bool)> =
        record.received.iter().map(|&(time, at, _)| (time, at >= 3)).collect();
    received.sort_unstable();
    let there: Vec<bool> = received.into_iter().map(|(_, there)| there).collect();
    assert!(there.windows(2).filter(|pair| pair[0] != pair[1]).count() >= 4, "{there:?}");
}
