//! Conversations at a loop switch, one at a time, equal conversations on a hub of the same delay: for random ports, buffers, delays and
//! cables, from OPN to the end of the circuit the same words are received and sent at the same times as on a loop of the two stations with
//! a hub port of the delay of the switch behind each station.

use crate::common::{Job, Record, loop_of, run, run_switch, station, switch_of, words};
use proptest::prelude::*;
use sansim_fc::arbitrated_loop::{LoopModel, LoopStation};
use sansim_fc::cable::CableLength;
use sansim_fc::loop_port::{ArbitrationSchedule, PortParameters};
use sansim_fc::observation::Observation;
use sansim_fc::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::{Span, Time};

/// The cable takes this number of whole words, so that no port has to lengthen its part of the loop to a
/// whole word.
fn cable(count: u64, word: Span) -> CableLength {
    let propagation = loop_of(word).propagation;
    let ticks = (word * count).ticks();
    let per_metre = propagation.propagation_time(CableLength::from_um(1_000_000)).ticks();
    let near = ticks * 1_000_000 / per_metre;
    let fits = |um: &u64| propagation.propagation_time(CableLength::from_um(*um)).ticks() == ticks;
    CableLength::from_um((near.saturating_sub(400)..near + 400).find(fits).expect("a cable of whole words"))
}

/// The frames that two stations have for each other, and their times.
#[derive(Clone, Debug)]
struct Talk {
    from: usize,
    to: usize,
    there: Vec<(u16, bool)>,
    /// A frame for the opposite direction, handed over this number of words later, when the circuit may still be open: the frame goes in
    /// the same circuit if both ports are full duplex.
    back: Option<(u64, u16)>,
}

#[derive(Clone, Debug)]
struct Case {
    word: Span,
    latency: u64,
    processing: Span,
    policy: &'static str,
    stations: Vec<LoopStation>,
    cables: Vec<u64>,
    talks: Vec<Talk>,
}

fn cases() -> impl Strategy<Value = Case> {
    let words_of = prop::sample::select(vec![21120u64, 10560, 5280, 2640]);
    let policies = prop::sample::select(vec!["fair", "controller-first", "rotating", "priority"]);
    (words_of, 2usize..8, policies, 1u64..12, 0u64..2_000_000).prop_flat_map(
        |(word, count, policy, latency, processing)| {
            let one = (any::<[bool; 3]>(), 1u32..5, 1u64..7, 0u64..5, 1u64..6, any::<bool>());
            let frames = prop::collection::vec((0u16..2113, any::<bool>()), 1..7);
            let back = prop::option::of((150u64..1000, 0u16..2113));
            let talks = prop::collection::vec((0..count, 1..count, frames, back), 1..5);
            (prop::collection::vec(one, count), talks).prop_map(move |(drawn, talks)| {
                let word = Span(word);
                let mut stations = Vec::new();
                let mut cables = Vec::new();
                for (rank, (flags, buffers, delay, cable_words, reaction, fair)) in
                    drawn.into_iter().enumerate()
                {
                    let one = station(rank, word);
                    let [full_duplex, close_after_frames, ready_between_frames] = flags;
                    let port = PortParameters {
                        full_duplex,
                        close_after_frames,
                        ready_between_frames,
                        incoming_buffers: buffers,
                        login_credit: 0,
                        delay: words(delay, word),
                        cable: cable(cable_words, word),
                        frame_reaction: words(reaction, word),
                        ..one.port
                    };
                    let schedule = if fair { ArbitrationSchedule::FAIR } else { ArbitrationSchedule::UNFAIR };
                    stations.push(LoopStation { schedule, port, ..one });
                    cables.push(cable_words);
                }
                let talks = talks
                    .into_iter()
                    .map(|(from, step, there, back)| Talk { from, to: (from + step) % count, there, back })
                    .collect();
                Case { word, latency, processing: Span(processing), policy, stations, cables, talks }
            })
        },
    )
}

/// The frames of a conversation between two stations that begins at this time; the frames of the opposite direction
/// are `later`.
fn jobs(talk: &Talk, begin: Time, (word, later): (Span, Span), [from, to]: [usize; 2]) -> Vec<Job> {
    let there =
        talk.there.iter().map(|&(payload, command)| Job { at: begin, from, to, payload, command, frames: 1 });
    let back = talk.back.map(|(after, payload)| Job {
        frames: 1,
        at: begin + word * after + later,
        from: to,
        to: from,
        payload,
        command: false,
    });
    there.chain(back).collect()
}

/// The time since OPN, whether the observation is at the second of the two stations, and the observation.
type Seen = (Span, bool, Observation);

/// Everything except fill words that the two stations send and receive in the first circuit after a moment, for each station until it
/// has sent and received CLS.
fn circuit(record: &Record, [a, b]: [usize; 2], begin: Time) -> (Time, Vec<Seen>) {
    let is_open = |what: &Observation| {
        matches!(what, Observation::SentItem(LinkItem::Signal(PrimitiveSignal::Open { .. })))
    };
    let is_close = |what: &Observation| {
        let (Observation::SentItem(item) | Observation::ReceivedItem(item)) = what else { return false };
        matches!(item, LinkItem::Signal(PrimitiveSignal::Close))
    };
    let of_both = |station: usize| [a, b].contains(&station);
    let later = record.observations.iter().filter(|(at, station, _)| *at >= begin && of_both(*station));
    let opened = later.clone().find(|(_, _, what)| is_open(what)).expect("it is opened").0;
    let mut closes = [0; 2];
    let mut items = Vec::new();
    for &(at, station, what) in later.filter(|(at, ..)| *at >= opened) {
        let is_item = matches!(what, Observation::SentItem(_) | Observation::ReceivedItem(_));
        let end = usize::from(station == b);
        if is_item && closes[end] < 2 {
            closes[end] += usize::from(is_close(&what));
            items.push((at - opened, station == b, what));
        }
    }
    assert_eq!(closes, [2, 2], "it was closed");
    // Observations at the same tick are ordered by the numbers of the stations, which differ between switch
    // and hub.
    items.sort_by_key(|&(at, second, _)| (at, second));
    (opened, items)
}

fn check(case: &Case, model: LoopModel) -> Result<(), TestCaseError> {
    let Case { word, latency, processing, policy, stations, cables, talks } = case;
    // A conversation has long ended when the next conversation begins.
    let apart = *word * 200_000;
    let begin = |number: usize| Time::ZERO + *word * 10 + apart * number as u64;
    let at_switch: Vec<Job> = talks
        .iter()
        .enumerate()
        .flat_map(|(number, talk)| jobs(talk, begin(number), (*word, Span::ZERO), [talk.from, talk.to]))
        .collect();
    let keys = format!("arbitration = \"{policy}\"\nlatency = \"{latency} words\"\nlook_up = \"0 words\"");
    let network = switch_of(*word, &keys);
    let on_switch = run_switch(&network, stations, *processing, &at_switch, model, 1_000_000);
    prop_assert!(on_switch.quiet && on_switch.received.len() == at_switch.len());
    for (number, talk) in talks.iter().enumerate() {
        let Talk { from, to, .. } = *talk;
        // From each station a cable leads to its hub port, and a cable of the same length leads back from the
        // port before.
        let hub = |rank: usize, back: usize| {
            let one = station(rank, *word);
            let port = PortParameters {
                delay: words(*latency, *word),
                cable: stations[back].port.cable,
                ..one.port
            };
            LoopStation { port, ..one }
        };
        let on_hub = [stations[from].clone(), hub(20, to), stations[to].clone(), hub(21, from)];
        // On the hub the ARB goes round by the other station and the port behind it; the switch answers the
        // ARB at its own port.
        let other_half = *word * (latency + 2 * cables[to]) + stations[to].port.delay.span;
        let its_jobs = jobs(talk, begin(0), (*word, other_half), [0, 2]);
        let on_hub = run(&loop_of(*word), &on_hub, *processing, &its_jobs, model, 1_000_000);
        prop_assert!(on_hub.quiet);
        let (opened, one) = circuit(&on_switch, [from, to], begin(number));
        let (hub_opened, other) = circuit(&on_hub, [0, 2], begin(0));
        // The frames of one conversation, numbered among the jobs of all conversations and among the jobs of
        // this conversation.
        let first: usize = at_switch.iter().position(|job| job.at >= begin(number)).unwrap_or(0);
        let told = |items: &[Seen], first: usize| -> Vec<String> {
            let told = items.iter().map(|(at, second, what)| {
                let mut told = format!("{at:?} {second} {what:?}");
                for tag in 0..10 {
                    told = told.replace(&format!("Tag({})", first + tag), &format!("Tag(#{tag})"));
                }
                told
            });
            told.collect()
        };
        prop_assert_eq!(told(&one, first), told(&other, 0), "conversation {}", number);
        prop_assert!(one.len() > 3, "it says something: {:?}", one);
        prop_assert_eq!((opened - begin(number)) + other_half, hub_opened - begin(0));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(200)) })]

    #[test]
    fn one_conversation_at_a_time_is_that_on_a_hub_of_the_same_delay(case in cases()) {
        check(&case, LoopModel::Reference)?;
        check(&case, LoopModel::Fast)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

    /// This test is the long run of the comparison.
    #[test]
    #[ignore = "long"]
    fn one_conversation_at_a_time_is_that_on_a_hub_20_000(case in cases()) {
        check(&case, LoopModel::Fast)?;
    }
}
