//! The accesses that streams make before a run begins, without time.
//!
//! Open streams of the first stage make accesses in the order of their arrivals, which are drawn for the warm-up alone. If a stream is
//! closed, or has recorded times, its rate relative to others is unknown without response times: then the streams alternate, a closed
//! stream with as many requests as it has slots.
//!
//! Flushes and deallocations are left out, as a warm-up has only reads and writes.
//!
//! A stream continues in the run after its accesses in the warm-up; recorded times count from the last of them. A stream that ends in the
//! warm-up begins anew in the run.

use super::rated::Rated;
use super::source::RequestSource;
use super::wanted::NextRequest;
use super::{Clock, Content, Stream, StreamPace, Streams};
use crate::arrivals;
use sansim_component::DeviceAccess;
use sansim_kernel::{RandomStream, Span, Time};
use sansim_request::Operation;

/// So many flushes and deallocations in turn end a warm-up: its workload seems to have nothing else.
const MOST_SKIPPED: u64 = 1_000_000;

/// The progress of the streams of a workload in the warm-up.
#[derive(Debug, Default)]
pub(super) struct WarmUp {
    streams: Vec<OfStream>,
    /// The stream whose turn it is, if the streams alternate, and the number of accesses in its turn.
    turn: usize,
    asked: usize,
    /// The number of flushes and deallocations in turn that were left out.
    skipped: u64,
    by_time: bool,
}

/// The process by which requests arrive.
#[derive(Debug)]
enum Comes {
    Arrivals(Box<arrivals::ArrivalClock>),
    Rated(Box<Rated>),
}

#[derive(Debug)]
struct OfStream {
    number: usize,
    comes: Option<(Comes, RandomStream)>,
    next: Time,
    /// The slot that makes the next access.
    slot: usize,
    is_over: bool,
}

impl OfStream {
    fn new(number: usize, stream: &Stream) -> Self {
        let comes = match (&stream.clock, &stream.plan.pace) {
            (Clock::Arrivals { arrivals, .. }, _) => Some(Comes::Arrivals(arrivals.clone())),
            (_, StreamPace::Rated { rates, .. }) if rates.requests_per_second().is_some() => {
                Some(Comes::Rated(Box::new(Rated::new(rates, Time::ZERO))))
            }
            _ => None,
        };
        let random = |comes| (comes, RandomStream::new(stream.seed, &format!("{}/warm-up", stream.path)));
        let mut of = Self { number, comes: comes.map(random), next: Time::ZERO, slot: 0, is_over: false };
        of.turn();
        of
    }

    /// Determines the time of the next request.
    fn turn(&mut self) {
        match &mut self.comes {
            Some((Comes::Arrivals(arrivals), random)) => match arrivals.gap(random) {
                Some(gap) => self.next = self.next.saturating_add(gap),
                None => self.is_over = true,
            },
            Some((Comes::Rated(rated), _)) => self.next = rated.next(),
            None => {}
        }
    }

    /// The next request of the stream's content; for a slot that stays with a device, at that device.
    fn ask(&mut self, content: &mut Content, device: Option<u32>) -> Option<NextRequest> {
        let Some((Comes::Rated(rated), random)) = &mut self.comes else { return content.next(device) };
        let wanted = content.next_due(rated.due_directions(self.next))?;
        rated.count_request(wanted.operation, wanted.bytes, self.next, random);
        Some(wanted)
    }
}

impl Streams {
    /// The next access of the warm-up; none if all streams have ended.
    pub(super) fn access(&mut self) -> Option<DeviceAccess> {
        if self.warm_up.streams.is_empty() {
            self.begin_warm_up();
        }
        loop {
            let place = self.place_of_next()?;
            let OfStream { number, ref mut slot, .. } = self.warm_up.streams[place];
            let stream = &mut self.streams[number];
            let device = match &stream.plan.pace {
                StreamPace::Closed { slots, .. } => {
                    let device = slots.device_of_slot(*slot as u32, self.aims.devices.len());
                    *slot = (*slot + 1) % stream.slots.max(1);
                    device
                }
                _ => None,
            };
            let Some(wanted) = self.warm_up.streams[place].ask(&mut stream.content, device) else {
                // The stream begins anew in the run.
                stream.content = Content::new(&stream.plan.content, &self.aims, stream.seed, &stream.path);
                stream.passed = Span::ZERO;
                self.warm_up.streams[place].is_over = true;
                continue;
            };
            stream.passed = wanted.at;
            self.warm_up.streams[place].turn();
            let write = match wanted.operation {
                Operation::Read => false,
                Operation::Write => true,
                Operation::Flush | Operation::Deallocate | Operation::CheckPath => {
                    self.warm_up.skipped += 1;
                    if self.warm_up.skipped > MOST_SKIPPED {
                        return None;
                    }
                    continue;
                }
            };
            self.warm_up.skipped = 0;
            let bytes = wanted.offset_bytes..wanted.offset_bytes + wanted.bytes;
            let device = self.aims.devices[wanted.device as usize];
            return Some(DeviceAccess { device, write, bytes });
        }
    }

    fn begin_warm_up(&mut self) {
        let first = self.streams.iter().map(|stream| stream.plan.stage).min();
        let of_first = self.streams.iter().enumerate().filter(|(_, stream)| Some(stream.plan.stage) == first);
        let streams: Vec<OfStream> = of_first.map(|(number, stream)| OfStream::new(number, stream)).collect();
        let by_time = streams.iter().all(|of| of.comes.is_some());
        self.warm_up = WarmUp { streams, by_time, ..WarmUp::default() };
    }

    /// The index of the stream that makes the next access.
    fn place_of_next(&mut self) -> Option<usize> {
        let WarmUp { streams, turn, asked, by_time, .. } = &mut self.warm_up;
        if *by_time {
            let going = streams.iter().enumerate().filter(|(_, of)| !of.is_over);
            return going.min_by_key(|(place, of)| (of.next, *place)).map(|(place, _)| place);
        }
        // Every stream is asked once whether its turn is next, and then the first again.
        for _ in 0..=streams.len() {
            let of = streams.get(*turn)?;
            let most = self.streams[of.number].slots.max(1);
            if !of.is_over && *asked < most {
                *asked += 1;
                return Some(*turn);
            }
            (*turn, *asked) = ((*turn + 1) % streams.len(), 0);
        }
        None
    }
}
