//! Tests of a workload of streams, by itself and input by input.

mod contents;
pub mod list;
mod paces;
mod random;
mod stages;

use super::plan::{StreamPlan, StreamsPlan};
use super::*;
use crate::synthetic::StreamParameters;
use crate::testing;
use sansim_component::bench::{BenchRequestPlace, ComponentBench};
use sansim_request::{RequestId, Status};

/// A stream with this name and these keys.
fn stream(name: &str, keys: &str) -> StreamPlan {
    testing::keys::<StreamParameters>(keys).plan(name)
}

/// This many drives with this many blocks; drive `n` is device `5 + n`.
fn aims(drives: u32, blocks: u64) -> TargetDevices {
    let devices: Vec<u32> = (5..5 + drives).collect();
    TargetDevices { workload: 2, capacity_blocks: vec![blocks; devices.len()], devices, names: Vec::new() }
}

/// A request as the host saw it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    /// The time at which the request was issued.
    asked: Time,
    /// The time from which the response time counts.
    begun: Time,
    request: Request,
}

impl Seen {
    fn stream(&self) -> u32 {
        self.request.origin.stream
    }
}

/// Streams on a bench, and a host that answers each request after a service time.
struct Play {
    bench: ComponentBench<Streams>,
    seen: Vec<Seen>,
    /// The answers that are to come.
    answers: Vec<(Time, RequestId)>,
    /// The most requests that were outstanding at a time.
    most: usize,
    /// The time in the backlog of the answered requests, by their numbers.
    waited: Vec<(u64, Span)>,
    /// The answers that were given: the stream and the time of each.
    answered: Vec<(u32, Time)>,
}

impl Play {
    fn new(streams: Vec<StreamPlan>, aims: TargetDevices, seed: u64) -> Self {
        let plan = StreamsPlan { streams };
        Self {
            bench: ComponentBench::new(Streams::new(&plan, aims, seed, "load"), 1),
            seen: Vec::new(),
            answers: Vec::new(),
            most: 0,
            waited: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// Runs the bench until nothing more happens before this time; a request without a service time is never answered.
    fn until(mut self, end: Time, mut service: impl FnMut(&Request) -> Option<Span>) -> Self {
        let did = self.bench.start();
        assert!(did.sent_requests().is_empty(), "nothing is asked for before a timer is due");
        loop {
            let timer = self.bench.timers().first().map(|&(at, _)| at);
            let answer = self.answers.iter().copied().min();
            let now = timer.into_iter().chain(answer.map(|(at, _)| at)).min();
            let Some(now) = now.filter(|&now| now < end) else { return self };
            let did = match answer.filter(|_| timer.is_none_or(|timer| timer > now)) {
                None => self.bench.handle_due_timer(now),
                Some(answer) => self.answer(answer),
            };
            for (_, id) in did.sent_requests() {
                let request = *self.bench.requests().request(id);
                self.seen.push(Seen { asked: now, begun: self.bench.requests().issue_time(id), request });
                if let Some(service) = service(&request) {
                    self.answers.push((now + service, id));
                }
            }
            self.most = self.most.max(self.bench.requests().record_count());
        }
    }

    fn answer(&mut self, answer: (Time, RequestId)) -> sansim_component::bench::InputEffects {
        self.answers.retain(|&other| other != answer);
        let (now, id) = answer;
        let request = *self.bench.requests().request(id);
        self.answered.push((request.origin.stream, now));
        let did = self.bench.receive(now, HOST, Message::Done(id, Status::Good));
        assert_eq!(did.closed, [(id, Status::Good)]);
        assert!(did.sent_requests().is_empty(), "the stays of the one that is back are still to be told");
        let backlog = |&(place, spent)| (place == BenchRequestPlace::Here(segment::BACKLOG)).then_some(spent);
        let waited = self.bench.dwells_of_request(id).iter().find_map(backlog).unwrap_or(Span::ZERO);
        self.waited.push((request.number, waited));
        did
    }

    /// The requests of a stream.
    fn of(&self, stream: u32) -> Vec<Seen> {
        self.seen.iter().copied().filter(|seen| seen.stream() == stream).collect()
    }

    /// The times at which a stream issued its requests.
    fn times(&self, stream: u32) -> Vec<Time> {
        self.of(stream).iter().map(|seen| seen.asked).collect()
    }
}

/// Every request has a service time of this many microseconds.
fn takes(us: u64) -> impl FnMut(&Request) -> Option<Span> {
    move |_| Some(Span::from_us(us))
}
