//! The errors of a run for the summary: the counts of each host, and the requests that timed out, with their place and cause.
//!
//! They cover the whole run, including the time before the measured interval.

use sansim_assembly::named::NamedValues;
use sansim_component::error_log::{ErrorCounts, ErrorLog, TOLD, TimeOut};
use sansim_kernel::{Span, TICKS_PER_NS, Time};
use sansim_observe::names::SystemNames;
use sansim_request::Cause;
use serde::Serialize;

/// All errors of a run. The result of a run without errors does not have this table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ErrorSummary {
    /// The hosts that met with something.
    pub hosts: NamedValues<HostErrors>,
    /// Frames that were damaged, by the adapter that threw them away.
    pub frames_lost: NamedValues<u64>,
    /// The first time-outs.
    pub first_time_outs: Vec<ToldTimeOut>,
}

/// The errors that a host saw.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct HostErrors {
    /// Requests that were not answered in time.
    pub time_outs: u64,
    /// Time-outs of requests that their device did not answer.
    pub no_answer: u64,
    /// Time-outs of requests of which a frame was lost.
    pub frame_lost: u64,
    /// Time-outs of requests that were still being served.
    pub slow: u64,
    /// Answers BUSY.
    pub busy: u64,
    /// Answers QUEUE FULL.
    pub queue_full: u64,
    /// Answers CHECK CONDITION.
    pub check_condition: u64,
    /// Answers MEDIUM ERROR.
    pub unreadable: u64,
    /// I/Os for devices that the host may not talk to, or is not shown.
    pub refused: u64,
    /// Requests that were passed on again.
    pub retries: u64,
    /// I/Os that failed because they had been tried as often as is allowed.
    pub given_up: u64,
}

impl From<ErrorCounts> for HostErrors {
    fn from(counts: ErrorCounts) -> Self {
        let ErrorCounts { busy, queue_full, check_condition, unreadable, .. } = counts;
        let ErrorCounts { no_answer, frame_lost, slow, retries, given_up, refused, .. } = counts;
        let time_outs = no_answer + frame_lost + slow;
        Self {
            time_outs,
            no_answer,
            frame_lost,
            slow,
            busy,
            queue_full,
            check_condition,
            unreadable,
            refused,
            retries,
            given_up,
        }
    }
}

/// A time-out: which request, where it was, and why.
#[derive(Clone, Debug, Serialize)]
pub struct ToldTimeOut {
    /// The time of the error, from the beginning of the run.
    pub at_ns: f64,
    /// Whose patience ended.
    pub host: String,
    /// The workload of the request.
    pub workload: String,
    /// The stream of the request; null if its workload has only one.
    pub stream: Option<String>,
    /// The number of the I/O among all of the run.
    pub io: u64,
    /// Whether data were to go to the device.
    pub write: bool,
    /// The device that was asked.
    pub device: String,
    /// First logical block.
    pub block: u64,
    /// Bytes of data.
    pub bytes: u64,
    /// The how manieth try it was.
    pub attempt: u32,
    /// Time that this try had been in flight.
    pub waited_ns: f64,
    /// The place of the request: a place with its segment, as in the ledger.
    pub place: String,
    /// Why there was no answer: `no_answer`, `frame_lost`, `slow`.
    pub cause: &'static str,
    /// The component at which that happened; null if nothing did, and it was still being served.
    pub by: Option<String>,
}

impl ErrorSummary {
    /// The summary of a log.
    pub(crate) fn new(log: &ErrorLog, names: &SystemNames) -> Self {
        let name =
            |component: sansim_component::ComponentId| names.components[component.index()].name.clone();
        // In the order of the scenario, not in that of their first errors.
        let mut hosts = log.hosts.clone();
        hosts.sort_by_key(|(host, _)| *host);
        let mut frames_lost = log.frames_lost.clone();
        frames_lost.sort_by_key(|(adapter, _)| *adapter);
        Self {
            hosts: NamedValues(hosts.iter().map(|&(host, counts)| (name(host), counts.into())).collect()),
            frames_lost: NamedValues(
                frames_lost.iter().map(|&(adapter, count)| (name(adapter), count)).collect(),
            ),
            first_time_outs: log.time_outs.iter().map(|told| ToldTimeOut::new(told, names)).collect(),
        }
    }

    /// Whether nothing went wrong.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.frames_lost.is_empty()
    }

    /// Time-outs of all hosts, and the most that are listed one by one.
    pub fn time_outs(&self) -> (u64, usize) {
        (self.hosts.0.iter().map(|(_, host)| host.time_outs).sum(), TOLD)
    }
}

impl ToldTimeOut {
    fn new(told: &TimeOut, names: &SystemNames) -> Self {
        let request = &told.request;
        let name = |component: u32| names.components[component as usize].name.clone();
        let workload = &names.workloads[request.origin.workload as usize];
        let stream =
            workload.streams.get(request.origin.stream as usize).filter(|_| workload.streams.len() > 1);
        let ns = |span: Span| span.ticks() as f64 / TICKS_PER_NS as f64;
        Self {
            at_ns: ns(told.at - Time::ZERO),
            host: name(told.host.0),
            workload: workload.name.clone(),
            stream: stream.map(|stream| stream.name.clone()),
            io: request.number,
            write: request.is_write(),
            device: names.device(request).name.clone(),
            block: request.lba,
            bytes: request.bytes,
            attempt: told.attempt,
            waited_ns: ns(told.at - told.since),
            place: names.line_name(told.line),
            cause: match told.loss.map(|loss| loss.cause) {
                Some(Cause::NoAnswer) => "no_answer",
                Some(Cause::FrameLost) => "frame_lost",
                None => "slow",
            },
            by: told.loss.map(|loss| name(loss.component)),
        }
    }
}
