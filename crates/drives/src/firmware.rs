//! The firmware common to all drives: commands that it rejects or fails.
//!
//! * A drive with as many commands as its `queue_limit` answers one more with QUEUE FULL.
//! * The firmware makes the configured `errors` when it gets a command. A command that the firmware does not answer stays in the drive
//!   until it is aborted.
//! * A failed drive answers all commands with a failure, including those in work, until it is repaired.
//! * A read of unreadable sectors is carried out as any other up to the first of them; then it is answered with a medium error. Assumption:
//!   the drive reports the medium error without long retries.

use crate::faults::{FaultParameters, Faults};
use sansim_component::errors::{DeviceError, DeviceErrors, ErrorParameters};
use sansim_component::{BuildContext, Context, DeviceRole, EventTurn, Timer};
use sansim_kernel::{EventKey, Order, Time};
use sansim_request::{LossCause, RequestId, Status};
use sansim_schema::catalogue::Segment;
use sansim_schema::quantities::OrUnlimited;
use sansim_schema::table;

/// The segment of a command that the drive does not answer.
pub(crate) const NO_ANSWER: Segment = Segment::wait(
    "no_answer",
    "no answer",
    "The drive has the command and does nothing for it, until it is aborted.",
)
.coloured("#994455");

table! {
    /// The firmware of a drive: the same keys for all kinds of drives.
    #[derive(Copy, Default)]
    pub struct FirmwareParameters {
        /// Most commands that a drive accepts, those in work and those that wait; it answers a further command with QUEUE FULL. It
        /// announces `queue_depth`.
        queue_limit: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "SAM-5, TASK SET FULL";
    }
    tables {
        /// The errors that each drive makes.
        errors: ErrorParameters;
        /// Faults of the medium of each drive.
        faults: FaultParameters;
    }
}

/// The firmware common to all drives: it rejects or fails commands.
#[derive(Clone, Debug)]
pub(crate) struct Firmware {
    queue_limit: Option<u64>,
    errors: DeviceErrors,
    pub faults: Faults,
    /// The segment of a command that the firmware does not answer.
    no_answer: usize,
    failed: bool,
    /// The device that the drive is, by its number in the system.
    device: Option<u32>,
    /// The time of the next random failure or repair, if a timer is set for it.
    watched: Option<(Time, EventKey)>,
    /// Commands that the drive has accepted and does not answer, with the ports by which they came.
    unanswered: Vec<(RequestId, u16)>,
}

impl Firmware {
    /// The firmware of a drive that works.
    pub(crate) fn new(queue_limit: Option<u64>, no_answer: usize) -> Self {
        let (errors, faults) = (DeviceErrors::default(), Faults::default());
        Self {
            queue_limit,
            errors,
            faults,
            no_answer,
            failed: false,
            device: None,
            watched: None,
            unanswered: Vec::new(),
        }
    }

    /// The configured firmware of the drive at this place.
    pub(crate) fn build(
        parameters: &FirmwareParameters,
        no_answer: usize,
        cx: &BuildContext<'_, DeviceRole>,
    ) -> Self {
        let errors = DeviceErrors::new(&parameters.errors, cx);
        let faults = Faults::new(&parameters.faults, cx);
        let device = cx.presents.first().copied();
        Self { errors, faults, device, ..Self::new(parameters.queue_limit, no_answer) }
    }

    /// The number of commands that the firmware keeps unanswered.
    pub(crate) fn keeps(&self) -> usize {
        self.unanswered.len()
    }

    /// Handles a new command that the firmware rejects, fails or leaves unanswered; returns false if the drive has to carry out the
    /// command. `others` is the number of other commands in the drive.
    pub(crate) fn turns_away(
        &mut self,
        cx: &mut Context<'_>,
        port: u16,
        request: RequestId,
        others: usize,
    ) -> bool {
        if self.failed || self.faults.outages.has_failed() {
            cx.answer(port, request, Status::Failed);
            return true;
        }
        if self.queue_limit.is_some_and(|limit| (others + self.keeps()) as u64 >= limit) {
            cx.answer(port, request, Status::QueueFull);
            return true;
        }
        match self.errors.draw_error() {
            None => return false,
            Some(DeviceError::Busy) => cx.answer(port, request, Status::Busy),
            Some(DeviceError::CheckCondition(sense_key)) => cx.answer(port, request, sense_key.status()),
            Some(DeviceError::NoAnswer) => {
                cx.ledger().enter_segment(request, self.no_answer);
                cx.failures().lose_request(request, LossCause::NoAnswer);
                self.unanswered.push((request, port));
            }
        }
        true
    }

    /// The initiator aborts a command. Answers the command if the firmware keeps it unanswered; returns whether it did.
    pub(crate) fn abort(&mut self, cx: &mut Context<'_>, request: RequestId) -> bool {
        let Some(place) = self.unanswered.iter().position(|&(kept, _)| kept == request) else { return false };
        let (_, port) = self.unanswered.remove(place);
        cx.answer(port, request, Status::Aborted);
        true
    }

    /// The drive fails until it is repaired: the commands that the firmware keeps fail, and so does every new command.
    pub(crate) fn fail(&mut self, cx: &mut Context<'_>) {
        self.failed = true;
        self.give_up(cx);
    }

    /// Wakes the drive by this timer when it fails or is repaired by itself, even without a command, because its initiators learn of the
    /// failure at that moment.
    pub(crate) fn watch_outages(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let at = self.faults.outages.next_phase_change();
        match self.watched {
            Some((before, _)) if before == at => return,
            Some((_, timer)) => {
                cx.cancel_timer(timer);
            }
            None => {}
        }
        let wake = |cx: &mut Context<'_>| {
            cx.set_detached_timer(at, EventTurn::turn_of_node(Order::UNITS - 1), timer)
        };
        self.watched =
            (at < Time::NEVER && !cx.background_requests().sources_exhausted()).then(|| (at, wake(cx)));
    }

    /// The drive has failed: the commands that the firmware keeps fail, and its initiators learn of it.
    pub(crate) fn give_up(&mut self, cx: &mut Context<'_>) {
        if let Some(device) = self.device {
            cx.failures().report_device_failure(device);
        }
        for (request, port) in self.unanswered.drain(..) {
            cx.answer(port, request, Status::Failed);
        }
    }

    /// Notes that the drive works again.
    pub(crate) fn repair(&mut self, now: Time) {
        self.failed = false;
        self.faults.outages.repair(now);
    }

    /// The reason why the drive could not go on, at the end of a run.
    pub(crate) fn fault(&self) -> Option<String> {
        let unanswered = self.unanswered.len();
        (unanswered > 0).then(|| {
            format!(
                "commands that it took and does not answer (`no_answer`): {unanswered}, and nobody aborts them; give the drivers \
                 of the hosts a `time_out`"
            )
        })
    }
}
