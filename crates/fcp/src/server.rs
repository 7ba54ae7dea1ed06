//! A functional block that does one job at a time, in the order of arrival.

use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// A first-come-first-served block. A job carries its duration.
#[derive(Clone, Debug)]
pub struct FcfsServer<J> {
    current: Option<J>,
    until: Time,
    waiting: VecDeque<(J, Span)>,
    busy: Span,
}

impl<J: Copy> Default for FcfsServer<J> {
    fn default() -> Self {
        Self { current: None, until: Time::ZERO, waiting: VecDeque::with_capacity(16), busy: Span::ZERO }
    }
}

impl<J: Copy> FcfsServer<J> {
    /// Accepts a job of the duration `takes`. Returns the time at which the job will be done if it starts
    /// now.
    #[inline]
    pub fn submit_job(&mut self, now: Time, job: J, takes: Span) -> Option<Time> {
        if self.current.is_some() {
            self.waiting.push_back((job, takes));
            return None;
        }
        Some(self.start(now, job, takes))
    }

    /// Accepts a job that goes before the waiting jobs, but behind jobs that were accepted in the same way. The
    /// job in service is not interrupted. Returns the time at which the job will be done if it starts now.
    pub fn submit_first(
        &mut self,
        now: Time,
        job: J,
        takes: Span,
        as_urgent: impl Fn(&J) -> bool,
    ) -> Option<Time> {
        if self.current.is_none() {
            return Some(self.start(now, job, takes));
        }
        let place = self.waiting.iter().take_while(|(waiting, _)| as_urgent(waiting)).count();
        self.waiting.insert(place, (job, takes));
        None
    }

    /// The jobs that wait, each with its duration, in the order in which they will be done.
    pub fn waiting_jobs(&self) -> impl Iterator<Item = &(J, Span)> {
        self.waiting.iter()
    }

    /// The waiting job at this place will be done next.
    pub fn put_first(&mut self, place: usize) {
        if let Some(job) = self.waiting.remove(place) {
            self.waiting.push_front(job);
        }
    }

    /// The current job is done. Returns the job, and the next job with the time at which the next job will be
    /// done.
    #[inline]
    pub fn finish_current(&mut self, now: Time) -> (Option<J>, Option<(J, Time)>) {
        let done = self.current.take();
        let next = self.waiting.pop_front().map(|(job, takes)| (job, self.start(now, job, takes)));
        (done, next)
    }

    fn start(&mut self, now: Time, job: J, takes: Span) -> Time {
        self.current = Some(job);
        self.busy += takes;
        self.until = now + takes;
        self.until
    }

    /// Applies that `done` jobs have been completed, in order, of the jobs in the server and of the `came` jobs of the duration
    /// `takes` that came meanwhile; `job` returns the latter by number, counted from the first. The job in service now will be
    /// done at `until`.
    pub fn catch_up(&mut self, done: usize, came: usize, takes: Span, until: Time, job: impl Fn(usize) -> J) {
        let (before, begun) = (self.len(), usize::from(self.current.is_some()));
        let left = before + came - done;
        let drop = done.min(before);
        if drop > 0 {
            self.current = None;
            self.waiting.drain(..drop - begun);
        }
        let kept = before - drop;
        self.waiting.extend((came - (left - kept)..came).map(|number| (job(number), takes)));
        if self.current.is_none() {
            self.current = self.waiting.pop_front().map(|(job, _)| job);
        }
        let begun_now = (before + came).min(done + 1);
        self.busy += takes * (begun_now - begun) as u64;
        if left > 0 {
            self.until = until;
        }
    }

    /// Adds busy time of the server for work that was not in its queue.
    pub fn add_busy_time(&mut self, time: Span) {
        self.busy += time;
    }

    /// The jobs in the server, beginning with the job in service.
    pub fn jobs_in_server(&self) -> impl Iterator<Item = &J> {
        self.current.iter().chain(self.waiting.iter().map(|(job, _)| job))
    }

    /// The end of the job in service.
    pub fn job_end(&self) -> Time {
        self.until
    }

    /// The job in service.
    pub fn current_job(&self) -> Option<&J> {
        self.current.as_ref()
    }

    /// Whether the server has a job for which the predicate holds.
    pub fn has_job(&self, is_it: impl Fn(&J) -> bool) -> bool {
        self.current.as_ref().is_some_and(&is_it) || self.waiting.iter().any(|(job, _)| is_it(job))
    }

    /// The time in which a job was in service, up to now.
    pub fn busy_time(&self, now: Time) -> Span {
        if self.until > now { self.busy - (self.until - now) } else { self.busy }
    }

    /// The number of jobs in the server, including the current job.
    pub fn len(&self) -> usize {
        self.waiting.len() + usize::from(self.current.is_some())
    }

    /// Whether the server has no jobs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_done_one_at_a_time_in_order_of_arrival() {
        let mut server = FcfsServer::default();
        assert_eq!(server.submit_job(Time(10), 'a', Span(5)), Some(Time(15)));
        assert_eq!(server.submit_job(Time(11), 'b', Span(7)), None);
        assert_eq!(server.len(), 2);
        assert_eq!(server.finish_current(Time(15)), (Some('a'), Some(('b', Time(22)))));
        assert_eq!(server.finish_current(Time(22)), (Some('b'), None));
        assert!(server.is_empty());
        assert_eq!(server.busy_time(Time(18)), Span(5 + 3), "of a job in work what has passed");
        assert_eq!(server.busy_time(Time(30)), Span(12));
    }

    #[test]
    fn an_urgent_job_overtakes_those_that_wait_but_not_the_one_in_work_nor_its_equals() {
        let mut server = FcfsServer::default();
        for job in ['a', 'b'] {
            server.submit_job(Time(0), job, Span(5));
        }
        for job in ['X', 'Y'] {
            server.submit_first(Time(0), job, Span(5), |job| job.is_uppercase());
        }
        let order: Vec<char> = (1..5).filter_map(|n| server.finish_current(Time(5 * n)).0).collect();
        assert_eq!(order, ['a', 'X', 'Y', 'b']);
    }

    #[test]
    fn jobs_that_were_done_and_came_in_a_train_leave_what_they_leave_one_by_one() {
        let takes = Span(5);
        let compared = (0..5).flat_map(|before| (0..5).map(move |came| (before, came)));
        for (before, came) in compared {
            for done in 0..=before + came {
                let mut by_itself = FcfsServer::default();
                for number in 0..before {
                    by_itself.submit_job(Time(0), number, takes);
                }
                let mut caught_up = by_itself.clone();
                for number in 0..came {
                    by_itself.submit_job(Time(0), before + number, takes);
                }
                for number in 0..done {
                    by_itself.finish_current(Time(5 * (number as u64 + 1)));
                }
                caught_up.catch_up(done, came, takes, by_itself.job_end(), |number| before + number);
                let left = |server: &FcfsServer<usize>| {
                    let jobs: Vec<usize> = server.jobs_in_server().copied().collect();
                    (jobs, server.current_job().copied(), server.busy_time(Time(1000)))
                };
                let when = format!("{before} there, {came} came, {done} done");
                assert_eq!(left(&caught_up), left(&by_itself), "{when}");
                if done < before + came {
                    assert_eq!(caught_up.job_end(), by_itself.job_end(), "{when}");
                }
            }
        }
    }
}
