//! Laws of one port: credit that the other end cannot use costs no time; and a port uses no absolute time, so that a port restored from a
//! snapshot behaves as the original port did, shifted in time.

use super::*;
use crate::loop_port::snapshot::PortSnapshot;
use proptest::prelude::*;

/// The inputs to a port in a circuit, with their slots, which do not depend on its buffers.
#[derive(Clone, Debug)]
struct Circuit {
    owner: bool,
    full_duplex: bool,
    hold: bool,
    their_login: u32,
    /// The number of frames handed over before the circuit begins, and the slots in which more frames come
    /// after it began.
    frames: usize,
    later: Vec<u64>,
    ready: Vec<u64>,
    cls: Option<u64>,
}

fn circuits() -> impl Strategy<Value = Circuit> {
    let slots = |most| prop::collection::vec(20u64..3000, 0..most);
    (any::<[bool; 3]>(), 0u32..4, 1usize..4, slots(3), slots(6), prop::option::of(20u64..3000)).prop_map(
        |([owner, full_duplex, hold], their_login, frames, later, ready, cls)| Circuit {
            owner,
            full_duplex,
            hold,
            their_login,
            frames,
            later,
            ready,
            // Only its peer can end the circuit of a port that was opened.
            cls: cls.or((!owner).then_some(1500)),
        },
    )
}

/// A port at the beginning of this circuit.
fn at_rest(circuit: &Circuit, buffers: u32) -> Bench {
    Bench::new(circuit.their_login, |c| {
        c.incoming_buffers = buffers;
        c.full_duplex = circuit.full_duplex;
        c.within_sequence = if circuit.hold { WithinSequence::Hold } else { WithinSequence::Close };
    })
}

/// The effects of a port, the number of slots by which the later effects were shifted, and the time at which
/// a CLS came.
struct Life {
    bench: Bench,
    later: u64,
    cls: Option<u64>,
}

/// The effects of a port in this circuit. `moves` has the slot in which a port restored from the snapshot replaces this port, and the
/// number of slots by which it is later.
fn lives(circuit: &Circuit, buffers: u32, moves: Option<(u64, u64)>) -> Life {
    let mut bench = at_rest(circuit, buffers);
    let all = circuit.frames + circuit.later.len();
    let frame =
        |number: usize| Frame::from(Pdu { last_of_unit: number + 1 == all, ..*data(number as u32, X) });
    (0..circuit.frames).for_each(|number| bench.enqueue(2, frame(number)));
    if circuit.owner {
        bench.fill(10, arb(OWN));
    } else {
        bench.signal(10, opn(OWN, circuit.full_duplex.then_some(X)));
        bench.fill(11, FillWord::ArbF0);
    }
    let mut inputs: Vec<(u64, u8)> = circuit.later.iter().map(|&slot| (slot, 0)).collect();
    inputs.extend(circuit.ready.iter().map(|&slot| (slot, 1)));
    inputs.extend(circuit.cls.iter().map(|&slot| (slot, 2)));
    inputs.extend(moves.iter().map(|&(slot, _)| (slot, 3)));
    inputs.sort_unstable();
    inputs.dedup_by_key(|(slot, _)| *slot);
    let (mut number, mut cls) = (circuit.frames, None);
    let mut later = 0;
    for (slot, input) in inputs {
        let slot = slot + later;
        bench.to(slot);
        match input {
            0 => {
                bench.enqueue(slot, frame(number));
                number += 1;
            }
            3 => {
                let by = moves.map_or(0, |(_, by)| by);
                (bench, later) = stood_up_later(bench, by, circuit, buffers);
            }
            // After its CLS the other end sends nothing, and a port that left the circuit gets no inputs.
            _ if cls.is_some() || bench.port.state().is_repeating() => {}
            1 => bench.signal(slot, PrimitiveSignal::ReceiverReady),
            _ => {
                bench.signal(slot, PrimitiveSignal::Close);
                cls = Some(slot);
            }
        }
    }
    bench.to(8000 + later);
    Life { bench, later, cls }
}

/// A port restored from the snapshot of this port, `by` slots later; or this port, if no snapshot is possible.
fn stood_up_later(bench: Bench, by: u64, circuit: &Circuit, buffers: u32) -> (Bench, u64) {
    let later = WORD * by;
    let mut standing = PortSnapshot::default();
    let origin = Time(bench.time().ticks() - bench.port.looks_back().ticks());
    let number = |tag: RequestTag| Some(tag.0 as u8);
    let is_said = bench.port.is_quiescent(bench.time()) && bench.port.snapshot(origin, number, &mut standing);
    if !is_said {
        return (bench, 0);
    }
    let mut other = at_rest(circuit, buffers);
    other.now = bench.now + by;
    other.port.restore(&standing, origin + later, |number| Some(RequestTag(number.into())));
    bench.port.queues().into_iter().flatten().for_each(|&frame| other.port.put_in_queue(frame));
    other.wakes = bench.wakes.iter().map(|&at| at + later).collect();
    let mut again = PortSnapshot::default();
    assert!(other.port.snapshot(origin + later, number, &mut again));
    assert_eq!(again, standing, "{by} slots later");
    (other, by)
}

/// The effects of a port from a slot on, with times that are `earlier` slots earlier.
fn did(bench: &Bench, from: u64, earlier: u64) -> Vec<String> {
    let since = bench.log.iter().filter(|(slot, _)| *slot >= from + earlier);
    let told = since.filter_map(|(slot, effect)| {
        let what = match effect {
            PortEffect::Fill(at, word) => format!("{} {word}", slot_of(*at) - earlier),
            PortEffect::Send(at, item) => format!("{} {item:?}", slot_of(*at) - earlier),
            PortEffect::Wake(_) => return None,
            told => format!("{told:?}"),
        };
        Some(format!("{}: {what}", slot - earlier))
    });
    told.collect()
}

/// The number of words from the end of the last frame that the port sent, and from a CLS that it received
/// before, to its own CLS.
fn words_before_close(circuit: &Circuit, buffers: u32) -> Option<u64> {
    let Life { bench, cls, .. } = lives(circuit, buffers, None);
    let close = bench
        .log
        .iter()
        .position(|(_, e)| matches!(e, PortEffect::Send(_, LinkItem::Signal(PrimitiveSignal::Close))))?;
    let last = bench.log[..close].iter().rev().find_map(|(slot, effect)| match effect {
        PortEffect::Send(_, LinkItem::Frame(frame)) => Some(slot + frame.length_in_words()),
        _ => None,
    });
    let close = bench.log[close].0;
    let since = last.into_iter().chain(cls.filter(|&cls| cls < close)).max()?;
    Some(close - since)
}

proptest! {
    /// An R_RDY that was begun before CLS came may still be sent: it adds its own word and six fill words, whatever the
    /// number of buffers.
    #[test]
    fn words_between_the_last_frame_and_cls_do_not_grow_with_buffers(circuit in circuits(), buffers in 2u32..1025) {
        let (one, many) = (words_before_close(&circuit, 1), words_before_close(&circuit, buffers));
        prop_assert_eq!(one.is_some(), many.is_some());
        if let (Some(one), Some(many)) = (one, many) {
            prop_assert!(many <= one + 7, "{} words with {} buffers, {} with one", many, buffers, one);
        }
    }

    #[test]
    fn a_port_that_stands_as_another_did_does_the_same_that_much_later(
        circuit in circuits(), buffers in 1u32..9, slot in 60u64..3000, by in 1u64..1_000_000,
    ) {
        let moved = lives(&circuit, buffers, Some((slot, by)));
        prop_assume!(moved.later > 0);
        let stayed = lives(&circuit, buffers, None);
        prop_assert_eq!(did(&moved.bench, slot, by), did(&stayed.bench, slot, 0));
    }
}

#[test]
fn how_a_port_stands_is_said_unless_a_moment_is_far() {
    let circuit = Circuit {
        owner: true,
        full_duplex: false,
        hold: true,
        their_login: 0,
        frames: 2,
        later: Vec::new(),
        ready: Vec::new(),
        cls: None,
    };
    let Life { bench, .. } = lives(&circuit, 1, None);
    let mut standing = PortSnapshot::default();
    // A moment that never comes is not far.
    assert!(bench.port.snapshot(Time::ZERO, |tag| Some(tag.0 as u8), &mut standing));
    let mut later = at_rest(&circuit, 1);
    later.now = 1 << 30;
    later.fill(1 << 30, arb(LOW));
    assert!(!later.port.snapshot(Time::ZERO, |_| None, &mut standing));
}
