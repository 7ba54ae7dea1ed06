//! The errors of a run for the summary: the counts of each host, and the requests that timed out, with their place and cause.
//!
//! The counts cover the whole run, including the time before the measured interval.

use sansim_assembly::named::NamedValues;
use sansim_component::error_log::{ErrorCounts, ErrorLog, TOLD, TimeOut};
use sansim_kernel::{Span, TICKS_PER_NS, Time};
use sansim_observe::names::SystemNames;
use sansim_request::LossCause;
use serde::Serialize;

/// All errors of a run. The result of a run without errors does not have this table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ErrorSummary {
    /// The hosts at which errors occurred.
    pub hosts: NamedValues<HostErrors>,
    /// The number of damaged frames, by the adapter that discarded them.
    pub frames_lost: NamedValues<u64>,
    /// The first time-outs.
    pub first_time_outs: Vec<ReportedTimeOut>,
}

/// The errors that a host saw.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct HostErrors {
    /// The number of requests that were not answered in time.
    pub time_outs: u64,
    /// The number of time-outs of requests that their device did not answer.
    pub no_answer: u64,
    /// The number of time-outs of requests of which a frame was lost.
    pub frame_lost: u64,
    /// The number of time-outs of requests that were still being served.
    pub slow: u64,
    /// The number of BUSY answers.
    pub busy: u64,
    /// The number of QUEUE FULL answers.
    pub queue_full: u64,
    /// The number of CHECK CONDITION answers.
    pub check_condition: u64,
    /// The number of MEDIUM ERROR answers.
    pub unreadable: u64,
    /// The number of I/Os for devices that the host may not use, or that are not presented to it.
    pub refused: u64,
    /// The number of task management functions that were asked for, as aborts had not been answered.
    pub task_management: u64,
    /// The number of times that a path was found to have failed, by a check of it or by an I/O.
    pub paths_failed: u64,
    /// The number of times that a check found that a failed path works again.
    pub paths_back: u64,
    /// The number of times that a path to a device became marginal by a notice of damaged frames.
    pub paths_marginal: u64,
    /// The number of requests that were sent again.
    pub retries: u64,
    /// The number of I/Os that failed because they had been tried as often as allowed.
    pub given_up: u64,
}

impl From<ErrorCounts> for HostErrors {
    fn from(counts: ErrorCounts) -> Self {
        let ErrorCounts { busy, queue_full, check_condition, unreadable, .. } = counts;
        let ErrorCounts { no_answer, frame_lost, slow, retries, given_up, refused, task_management, .. } =
            counts;
        let ErrorCounts { paths_failed, paths_back, paths_marginal, .. } = counts;
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
            task_management,
            paths_failed,
            paths_back,
            paths_marginal,
            retries,
            given_up,
        }
    }
}

/// A time-out: the request, its place at that time, and the cause.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedTimeOut {
    /// The time of the error, from the beginning of the run.
    pub at_ns: f64,
    /// The host whose time-out passed.
    pub host: String,
    /// The workload of the request.
    pub workload: String,
    /// The stream of the request; null if its workload has only one stream.
    pub stream: Option<String>,
    /// The number of the I/O among all I/Os of the run.
    pub io: u64,
    /// The operation of the request: read, write, flush or deallocate.
    pub operation: &'static str,
    /// Whether data go to the device.
    pub write: bool,
    /// The device of the request.
    pub device: String,
    /// The first logical block of the request.
    pub block: u64,
    /// The bytes of data of the request.
    pub bytes: u64,
    /// The number of the attempt, from the first.
    pub attempt: u32,
    /// The time for which this attempt had been in flight.
    pub waited_ns: f64,
    /// The place of the request: a place with its segment, as in the ledger.
    pub place: String,
    /// The cause of the missing answer: `no_answer`, `frame_lost`, `slow`.
    pub cause: &'static str,
    /// The component at which the cause occurred; null if there was none, and the request was still being
    /// served.
    pub by: Option<String>,
}

impl ErrorSummary {
    /// The summary of a log.
    pub(crate) fn new(log: &ErrorLog, names: &SystemNames) -> Self {
        let name =
            |component: sansim_component::ComponentId| names.components[component.index()].name.clone();
        // The hosts are in the order of the scenario, not in the order of their first errors.
        let mut hosts = log.hosts.clone();
        hosts.sort_by_key(|(host, _)| *host);
        let mut frames_lost = log.frames_lost.clone();
        frames_lost.sort_by_key(|(adapter, _)| *adapter);
        Self {
            hosts: NamedValues(hosts.iter().map(|&(host, counts)| (name(host), counts.into())).collect()),
            frames_lost: NamedValues(
                frames_lost.iter().map(|&(adapter, count)| (name(adapter), count)).collect(),
            ),
            first_time_outs: log.time_outs.iter().map(|told| ReportedTimeOut::new(told, names)).collect(),
        }
    }

    /// Whether there were no errors.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.frames_lost.is_empty()
    }

    /// The number of time-outs of all hosts, and the largest number that is listed one by one.
    pub fn time_outs(&self) -> (u64, usize) {
        (self.hosts.0.iter().map(|(_, host)| host.time_outs).sum(), TOLD)
    }
}

impl ReportedTimeOut {
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
            operation: request.operation.word(),
            write: request.is_write(),
            device: names.component_of_device(request).name.clone(),
            block: request.lba,
            bytes: request.bytes,
            attempt: told.attempt,
            waited_ns: ns(told.at - told.since),
            place: names.line_name(told.line),
            cause: match told.loss.map(|loss| loss.cause) {
                Some(LossCause::NoAnswer) => "no_answer",
                Some(LossCause::FrameLost) => "frame_lost",
                None => "slow",
            },
            by: told.loss.map(|loss| name(loss.component)),
        }
    }
}
