//! A law of one port: credit that the other end cannot use costs no time.

use super::*;
use proptest::prelude::*;

/// What happens to a port in a circuit: slots and inputs, the same whatever its buffers are.
#[derive(Clone, Debug)]
struct Circuit {
    owner: bool,
    full_duplex: bool,
    hold: bool,
    their_login: u32,
    /// Frames handed over before the circuit begins, and slots after it in which more come.
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
            // Nobody but its peer can end the circuit of a port that was opened.
            cls: cls.or((!owner).then_some(1500)),
        },
    )
}

/// Words from the end of the last frame it sent, and from a CLS it received before, to its own CLS.
fn words_before_close(circuit: &Circuit, buffers: u32) -> Option<u64> {
    let mut bench = Bench::new(circuit.their_login, |c| {
        c.incoming_buffers = buffers;
        c.full_duplex = circuit.full_duplex;
        c.within_sequence = if circuit.hold { WithinSequence::Hold } else { WithinSequence::Close };
    });
    let all = circuit.frames + circuit.later.len();
    let frame = |number: usize| Frame { last_of_sequence: number + 1 == all, ..data(number as u32, X) };
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
    inputs.sort_unstable();
    inputs.dedup_by_key(|(slot, _)| *slot);
    let (mut number, mut cls) = (circuit.frames, None);
    for (slot, input) in inputs {
        bench.to(slot);
        match input {
            0 => {
                bench.enqueue(slot, frame(number));
                number += 1;
            }
            // After its CLS the other end sends nothing, and a port that left the circuit is given nothing.
            _ if cls.is_some() || bench.port.state().repeats() => {}
            1 => bench.signal(slot, Signal::ReceiverReady),
            _ => {
                bench.signal(slot, Signal::Close);
                cls = Some(slot);
            }
        }
    }
    bench.to(8000);
    let close =
        bench.log.iter().position(|(_, e)| matches!(e, PortEffect::Send(_, Item::Signal(Signal::Close))))?;
    let last = bench.log[..close].iter().rev().find_map(|(slot, effect)| match effect {
        PortEffect::Send(_, Item::Frame(frame)) => Some(slot + frame.words()),
        _ => None,
    });
    let close = bench.log[close].0;
    let since = last.into_iter().chain(cls.filter(|&cls| cls < close)).max()?;
    Some(close - since)
}

proptest! {
    /// An R_RDY that was begun before CLS came may still be on its way out: itself and six fill words, whatever the number of
    /// buffers.
    #[test]
    fn words_between_the_last_frame_and_cls_do_not_grow_with_buffers(circuit in circuits(), buffers in 2u32..1025) {
        let (one, many) = (words_before_close(&circuit, 1), words_before_close(&circuit, buffers));
        prop_assert_eq!(one.is_some(), many.is_some());
        if let (Some(one), Some(many)) = (one, many) {
            prop_assert!(many <= one + 7, "{} words with {} buffers, {} with one", many, buffers, one);
        }
    }
}
