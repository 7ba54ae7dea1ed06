//! The device driver of an adapter.
//!
//! Source: Wang 2005, section 4.3.3.1 (figure 4.13). The arrival process sets up one request at a time and passes it to the
//! adapter; at most `outstanding_limit` requests are with the adapter (255 for the Windows driver, section 3.2.2), the
//! others wait. The completion process looks at one completion at a time.

use sansim_kernel::{Span, Time, TimeWeighted, Total};
use std::collections::VecDeque;

mod parameters;

pub use parameters::DriverParameters;

/// What a driver does in answer to an input. The number is the caller's name of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverEffect {
    /// Call [`Driver::arrival_due`] at this time.
    ArrivalDue(Time),
    /// Call [`Driver::completion_due`] at this time.
    CompletionDue(Time),
    /// The arrival process takes up the request.
    Arrives(u32),
    /// Hand the request to the adapter.
    Submit(u32),
    /// The completion process takes up the request.
    Completes(u32),
    /// Tell the application that the request is done.
    Done(u32),
}

/// A device driver.
#[derive(Clone, Debug)]
pub struct Driver {
    parameters: DriverParameters,
    arrivals: VecDeque<u32>,
    arriving: Option<u32>,
    completions: VecDeque<u32>,
    completing: Option<u32>,
    outstanding: u32,
    arriving_total: TimeWeighted,
    completing_total: TimeWeighted,
}

impl Driver {
    /// An idle driver.
    pub fn new(parameters: &DriverParameters) -> Self {
        Self {
            parameters: *parameters,
            arrivals: VecDeque::with_capacity(256),
            arriving: None,
            completions: VecDeque::with_capacity(256),
            completing: None,
            outstanding: 0,
            arriving_total: TimeWeighted::new(),
            completing_total: TimeWeighted::new(),
        }
    }

    /// Time in which the arrival process was at work, up to now.
    pub fn arriving(&self, now: Time) -> Total {
        self.arriving_total.total(now)
    }

    /// Time in which the completion process was at work, up to now.
    pub fn completing(&self, now: Time) -> Total {
        self.completing_total.total(now)
    }

    /// Requests with the adapter.
    pub fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// Requests that wait in the arrival queue.
    pub fn waiting(&self) -> usize {
        self.arrivals.len()
    }

    /// The application hands over a request.
    pub fn arrive(&mut self, now: Time, request: u32, out: &mut Vec<DriverEffect>) {
        self.arrivals.push_back(request);
        self.take_up(now, out);
    }

    /// Starts the arrival process on the next request as long as the limit allows. Without an arrival time requests pass at
    /// once.
    fn take_up(&mut self, now: Time, out: &mut Vec<DriverEffect>) {
        while self.arriving.is_none() && self.outstanding < self.parameters.outstanding_limit {
            let Some(request) = self.arrivals.pop_front() else { return };
            self.outstanding += 1;
            out.push(DriverEffect::Arrives(request));
            if self.parameters.arrival_time == Span::ZERO {
                out.push(DriverEffect::Submit(request));
            } else {
                self.arriving = Some(request);
                self.arriving_total.set(now, 1);
                out.push(DriverEffect::ArrivalDue(now + self.parameters.arrival_time));
            }
        }
    }

    /// The arrival process is done with its request.
    pub fn arrival_due(&mut self, now: Time, out: &mut Vec<DriverEffect>) {
        if let Some(request) = self.arriving.take() {
            self.arriving_total.set(now, 0);
            out.push(DriverEffect::Submit(request));
        }
        self.take_up(now, out);
    }

    /// The adapter reports a completion.
    pub fn complete(&mut self, now: Time, request: u32, out: &mut Vec<DriverEffect>) {
        if self.parameters.completion_time == Span::ZERO {
            self.done(now, request, out);
        } else if self.completing.is_some() {
            self.completions.push_back(request);
        } else {
            self.look_at(now, request, out);
        }
    }

    fn look_at(&mut self, now: Time, request: u32, out: &mut Vec<DriverEffect>) {
        self.completing = Some(request);
        self.completing_total.set(now, 1);
        out.push(DriverEffect::Completes(request));
        out.push(DriverEffect::CompletionDue(now + self.parameters.completion_time));
    }

    /// The completion process is done with its request.
    pub fn completion_due(&mut self, now: Time, out: &mut Vec<DriverEffect>) {
        if let Some(request) = self.completing.take() {
            self.completing_total.set(now, 0);
            self.done(now, request, out);
        }
        if let Some(next) = self.completions.pop_front() {
            self.look_at(now, next, out);
        }
    }

    fn done(&mut self, now: Time, request: u32, out: &mut Vec<DriverEffect>) {
        self.outstanding -= 1;
        out.push(DriverEffect::Done(request));
        self.take_up(now, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver(limit: u32, arrival_us: u64) -> Driver {
        Driver::new(&DriverParameters {
            arrival_time: Span::from_us(arrival_us),
            completion_time: Span::from_us(2),
            outstanding_limit: limit,
        })
    }

    #[test]
    fn no_more_requests_are_outstanding_than_the_limit() {
        let mut driver = driver(2, 0);
        let mut out = Vec::new();
        for request in 0..3 {
            driver.arrive(Time::ZERO, request, &mut out);
        }
        let submitted: Vec<_> = out.iter().filter(|e| matches!(e, DriverEffect::Submit(_))).collect();
        assert_eq!(submitted, [&DriverEffect::Submit(0), &DriverEffect::Submit(1)]);
        out.clear();
        driver.complete(Time(5), 0, &mut out);
        driver.completion_due(Time(5) + Span::from_us(2), &mut out);
        assert!(out.contains(&DriverEffect::Done(0)));
        assert!(out.contains(&DriverEffect::Submit(2)), "a completion makes room for the next");
    }

    #[test]
    fn requests_and_completions_are_taken_up_in_the_order_in_which_they_came() {
        let us = |us| Time::ZERO + Span::from_us(us);
        let mut driver = driver(3, 4);
        let mut out = Vec::new();
        (0..3).for_each(|request| driver.arrive(us(0), request, &mut out));
        (1..=3).for_each(|turn| driver.arrival_due(us(4 * turn), &mut out));
        // While it looks at the first, two more come, not in the order of their numbers.
        [1, 2, 0].into_iter().for_each(|request| driver.complete(us(20), request, &mut out));
        assert_eq!(driver.outstanding(), 3, "until the completion process is done with them");
        (1..=3).for_each(|turn| driver.completion_due(us(20 + 2 * turn), &mut out));
        let taken = |of: fn(&DriverEffect) -> Option<u32>| out.iter().filter_map(of).collect::<Vec<_>>();
        let submitted = taken(|effect| if let DriverEffect::Submit(r) = effect { Some(*r) } else { None });
        let done = taken(|effect| if let DriverEffect::Done(r) = effect { Some(*r) } else { None });
        assert_eq!((submitted, done), (vec![0, 1, 2], vec![1, 2, 0]));
        assert_eq!((driver.outstanding(), driver.waiting()), (0, 0));
    }

    #[test]
    fn the_arrival_process_takes_requests_one_at_a_time() {
        let mut driver = driver(10, 4);
        let mut out = Vec::new();
        driver.arrive(Time::ZERO, 0, &mut out);
        driver.arrive(Time::ZERO, 1, &mut out);
        let first = Time::ZERO + Span::from_us(4);
        assert_eq!(out, [DriverEffect::Arrives(0), DriverEffect::ArrivalDue(first)]);
        out.clear();
        driver.arrival_due(first, &mut out);
        let second = first + Span::from_us(4);
        assert_eq!(
            out,
            [DriverEffect::Submit(0), DriverEffect::Arrives(1), DriverEffect::ArrivalDue(second)]
        );
    }
}
