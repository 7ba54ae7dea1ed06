//! A bus, input by input, and its laws.

use super::*;
use sansim_component::bench::{ComponentBench, InputEffects, sample_read};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// A bus of 4 bytes in 30 ns without overhead, on which each card has turns of 1 us, with further keys.
fn parameters(keys: &str) -> BusParameters {
    let mut text = "standard = \"pci-32-33\"\n".to_owned();
    for (key, default) in [("bandwidth", "200 MB/s"), ("transaction_overhead", "0 ns"), ("turn", "1 us")] {
        if !keys.contains(&format!("{key} =")) {
            text += &format!("{key} = \"{default}\"\n");
        }
    }
    BusParameters::from_toml(&(text + keys), &Facts::default()).expect("a bus")
}

fn bus(askers: u16, keys: &str) -> ComponentBench<Bus> {
    ComponentBench::new(Bus::new(&parameters(keys), askers.into()), askers)
}

/// Cards that ask for one chunk after another, each chunk as soon as the previous chunk has been moved.
struct Cards {
    bench: ComponentBench<Bus>,
    /// For each card its pace, whether it moves data into memory, and the size of its chunks.
    cards: Vec<(u64, bool, u64)>,
    moved: Vec<u64>,
    /// The time at which each card asked for its last chunk.
    asked: Vec<Time>,
    /// The sum of all grants.
    granted: Span,
    now: Time,
}

impl Cards {
    fn new(keys: &str, cards: &[(u64, bool, u64)]) -> Self {
        let count = cards.len();
        Self {
            bench: bus(count as u16, keys),
            cards: cards.to_vec(),
            moved: vec![0; count],
            asked: vec![Time::ZERO; count],
            granted: Span::ZERO,
            now: Time::ZERO,
        }
    }

    fn ask(&mut self, card: usize) {
        let (bytes_per_second, into_memory, bytes) = self.cards[card];
        let request = self.bench.open_request(self.now, sample_read(0, 512));
        self.asked[card] = self.now;
        let transfer = BusTransfer {
            request: Some(request),
            bytes,
            bytes_per_second: Some(bytes_per_second),
            into_memory,
        };
        let did = self.bench.receive(self.now, card as u16, Message::Transfer(transfer));
        self.take(&did);
    }

    fn take(&mut self, did: &InputEffects) {
        for &(port, message) in &did.sent {
            let card = usize::from(port);
            match message {
                Message::Granted(_, until) => self.granted += until - self.now,
                Message::Transferred(_, bytes) => {
                    let (card_rate, _, _) = self.cards[card];
                    let rate = card_rate.min(self.bench.component.parameters.bandwidth);
                    let least = Span::to_move(bytes, rate);
                    let took = self.now - self.asked[card];
                    assert!(
                        took >= least,
                        "{bytes} bytes took {took}, at the slower of card and bus {least}"
                    );
                    self.moved[card] += bytes;
                    self.ask(card);
                }
                _ => {}
            }
        }
    }

    /// Runs the bus for this number of timers.
    fn run(&mut self, turns: usize) {
        (0..self.cards.len()).for_each(|card| self.ask(card));
        for _ in 0..turns {
            self.now = self.bench.timers().iter().map(|&(at, _)| at).min().expect("it is at work");
            let did = self.bench.handle_due_timer(self.now);
            self.take(&did);
        }
    }

    fn rate(&self, card: usize) -> f64 {
        self.moved[card] as f64 / (self.now - Time::ZERO).as_s_f64()
    }
}

const MB: u64 = 1_000_000;

#[test]
fn a_standard_says_rate_slots_and_times() {
    for (standard, bandwidth, slots) in [
        ("pci-32-33", 133_333_333, 4),
        ("pci-64-33", 266_666_666, 4),
        ("pci-64-66", 533_333_333, 2),
        ("pci-x-66", 533_333_333, 4),
        ("pci-x-133", 1_066_666_666, 1),
        ("pci-x-533", 4_266_666_666, 1),
        ("pcie-1", 2_000 * MB, 1),
        ("pcie-3", 7_876_923_076, 1),
    ] {
        let text = format!("standard = \"{standard}\"");
        let bus = BusParameters::from_toml(&text, &Facts::default()).expect("a bus");
        assert_eq!((bus.bandwidth, bus.slots), (bandwidth, slots), "{standard}");
        assert_eq!(bus.full_duplex, standard.starts_with("pcie"));
    }
    let text = "standard = \"pci-64-33\"";
    let bus = BusParameters::from_toml(text, &Facts::default()).expect("a bus");
    assert_eq!((bus.transaction_overhead, bus.turn), (Span::from_ns(90), Span::from_ns(1_920)));
}

#[test]
fn a_transfer_takes_the_time_of_the_slower_of_card_and_bus_and_the_overhead() {
    for (card, expected_ns) in [(100 * MB, 10_240 + 90), (200 * MB, 5_120 + 90), (900 * MB, 5_120 + 90)] {
        let mut bench = bus(1, "transaction_overhead = \"90 ns\"");
        let request = bench.open_request(Time::ZERO, sample_read(0, 512));
        let transfer = BusTransfer {
            request: Some(request),
            bytes: 1_024,
            bytes_per_second: Some(card),
            into_memory: true,
        };
        let until = Time::ZERO + Span::from_ns(expected_ns);
        let did = bench.receive(Time::ZERO, 0, Message::Transfer(transfer));
        assert_eq!(did.sent, [(0, Message::Granted(Some(request), until))]);
        assert_eq!(bench.handle_due_timer(until).sent, [(0, Message::Transferred(Some(request), 1_024))]);
        bench.take_back_unreleased(until, request);
        assert_eq!(bench.leftovers(), [""; 0]);
        assert_eq!(bench.component.taken(until, 0), (until - Time::ZERO).into());
    }
}

#[test]
fn who_has_had_a_turn_gives_way_and_pays_the_overhead_again() {
    // 200 bytes in a turn of 1 us.
    let mut bench = bus(2, "transaction_overhead = \"100 ns\"");
    let at = |ns| Time::ZERO + Span::from_ns(ns);
    let [first, second] = [0, 1].map(|_| bench.open_request(Time::ZERO, sample_read(0, 512)));
    let transfer = |request, bytes| {
        Message::Transfer(BusTransfer {
            request: Some(request),
            bytes,
            bytes_per_second: Some(900 * MB),
            into_memory: true,
        })
    };
    let granted = |request, ns| Message::Granted(Some(request), at(ns));
    assert_eq!(bench.receive(at(0), 0, transfer(first, 600)).sent, [(0, granted(first, 1_100))]);
    assert_eq!(bench.component.gauge(Time::ZERO, 0, 0), 0);
    assert_eq!(
        bench.handle_due_timer(at(1_100)).sent,
        [(0, granted(first, 2_100))],
        "nobody else waits: it goes on"
    );
    assert_eq!(bench.receive(at(1_500), 1, transfer(second, 100)).sent, []);
    assert_eq!(bench.component.gauge(Time::ZERO, 0, 0), 1);
    let sent = [(0, Message::Preempted(Some(first))), (1, granted(second, 2_700))];
    assert_eq!(bench.handle_due_timer(at(2_100)).sent, sent);
    let sent = [(1, Message::Transferred(Some(second), 100)), (0, granted(first, 3_800))];
    assert_eq!(bench.handle_due_timer(at(2_700)).sent, sent);
    assert_eq!(bench.handle_due_timer(at(3_800)).sent, [(0, Message::Transferred(Some(first), 600))]);
    let [busy, bytes, transactions] = [0, 1, 2].map(|meter| bench.component.meter(at(9_999), meter));
    assert_eq!((busy, bytes, transactions), (Span::from_ns(3_800).into(), Total(700), Total(3)));
}

#[test]
fn equal_cards_share_a_bus_evenly() {
    let mut cards = Cards::new("", &[(100 * MB, true, 1_024), (100 * MB, false, 1_024)]);
    cards.run(10_000);
    assert!(cards.moved[0].abs_diff(cards.moved[1]) <= 1_024, "{:?}", cards.moved);
    // One card alone gets its full pace, and two cards together get no more than the rate of the bus.
    assert!((cards.rate(0) + cards.rate(1) - 100e6).abs() < 5e5, "{:?}", cards.moved);
}

#[test]
fn cards_share_by_time_so_a_slow_one_slows_a_fast_one_down() {
    let mut cards = Cards::new("", &[(20 * MB, true, 2_048), (200 * MB, true, 2_048)]);
    cards.run(10_000);
    let rates = [0, 1].map(|card| cards.rate(card) / 1e6);
    assert!((rates[0] - 10.0).abs() < 0.5 && (rates[1] - 100.0).abs() < 5.0, "{rates:?}");
}

#[test]
fn with_fixed_priority_the_first_card_goes_first() {
    let keys = "arbitration = \"fixed\"";
    // A card that requests its next chunk only after the previous chunk lets the other card have one turn in between.
    let mut cards = Cards::new(keys, &[(200 * MB, true, 20_000), (200 * MB, true, 20_000)]);
    cards.run(10_000);
    let share = cards.moved[0] as f64 / (cards.moved[0] + cards.moved[1]) as f64;
    assert!(share > 0.97, "{:?}", cards.moved);
}

#[test]
fn the_directions_of_pci_express_do_not_disturb_each_other_and_packets_cost_their_headers() {
    let keys = "full_duplex = true\npacket_bytes = 128\npacket_overhead = \"24 B\"";
    let mut cards = Cards::new(keys, &[(900 * MB, true, 2_048), (900 * MB, false, 2_048)]);
    cards.run(10_000);
    for card in [0, 1] {
        let expected = 200e6 * 128.0 / 152.0;
        assert!((cards.rate(card) / expected - 1.0).abs() < 0.01, "{}", cards.rate(card));
    }
    assert_eq!(cards.bench.component.capacity(meter::BUSY), 2);
}

#[test]
fn without_wait_states_slow_cards_leave_the_bus_to_each_other() {
    let slow = [(50 * MB, true, 2_048), (50 * MB, false, 2_048), (50 * MB, true, 2_048)];
    let mut cards = Cards::new("wait_states = false\ntransaction_overhead = \"60 ns\"", &slow);
    cards.run(10_000);
    for card in 0..3 {
        // A card now and then waits for its turn while the other cards use the bus.
        assert!(cards.rate(card) > 0.9 * 50e6, "{}", cards.rate(card));
    }
    let used = cards.bench.component.taken(cards.now, 0).as_s_f64();
    assert!((used / (cards.now - Time::ZERO).as_s_f64() - 0.8).abs() < 0.1, "150 MB/s of 200, and overhead");
    let mut cards = Cards::new("", &slow);
    cards.run(10_000);
    assert!((cards.rate(0) - 50e6 / 3.0).abs() < 0.05 * 50e6, "with them they hold it: {}", cards.rate(0));
}

#[test]
fn a_card_alone_is_as_fast_with_wait_states_as_without() {
    for card in [50 * MB, 150 * MB, 900 * MB] {
        let [with, without] = [true, false].map(|wait_states| {
            let mut cards = Cards::new(&format!("wait_states = {wait_states}"), &[(card, true, 2_048)]);
            cards.run(2_000);
            cards.rate(0)
        });
        assert!((with / without - 1.0).abs() < 2e-3, "{with} and {without}");
    }
}

/// The mechanisms that a transfer meets are mixed here: cards of several paces, odd chunks, overhead, packets, turns.
#[test]
fn a_bus_is_never_faster_than_its_rate_and_busy_for_as_long_as_it_granted() {
    let lines = [
        "",
        "transaction_overhead = \"90 ns\"",
        "turn = \"0 ns\"",
        "turn = \"1 ms\"",
        "packet_bytes = 100\npacket_overhead = \"20 B\"",
    ];
    for keys in lines {
        for chunk in [1, 64, 777, 2_112] {
            let mut cards = Cards::new(
                keys,
                &[(90 * MB, true, chunk), (500 * MB, false, chunk), (150 * MB, true, 2_048)],
            );
            cards.run(3_000);
            let sum: f64 = (0..3).map(|card| cards.rate(card)).sum();
            assert!(sum <= 200e6 * (1.0 + 1e-9), "{keys} {chunk}: {sum}");
            // The transfer in progress counts as granted up to its end.
            let ends = cards.bench.timers()[0].0;
            assert_eq!(cards.bench.component.taken(ends, 0), cards.granted.into(), "{keys} {chunk}");
            assert_eq!(cards.granted, ends - Time::ZERO, "it never rests");
        }
    }
}

#[test]
fn a_faster_bus_or_card_is_never_slower_for_one_card() {
    let rate = |bandwidth: u64, card: u64| {
        let mut cards = Cards::new(
            &format!("bandwidth = \"{bandwidth} MB/s\"\ntransaction_overhead = \"90 ns\""),
            &[(card * MB, true, 2_048)],
        );
        cards.run(1_000);
        cards.rate(0)
    };
    let rates = [50, 99, 100, 101, 200, 400];
    for other in rates {
        assert!(rates.windows(2).all(|pair| rate(pair[0], other) <= rate(pair[1], other)));
        assert!(rates.windows(2).all(|pair| rate(other, pair[0]) <= rate(other, pair[1])));
    }
}
