//! Random device errors: the share of commands that a device does not execute, and its answers.
//!
//! Source: Wang 2005, section 3.1.4: the driver checks how a command ended, and may issue it again, depending on the error. The answers
//! with an error are those of SAM-5 of SCSI: BUSY, CHECK CONDITION, or no answer. Independent errors with a fixed probability for each
//! command are an assumption.

use crate::build_context::BuildContext;
use sansim_kernel::RandomStream;
use sansim_request::Status;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Fraction};
use sansim_schema::{codes, table, words};

words! {
    /// The sense key of a CHECK CONDITION: its cause, by which a host decides what to do. Source: SPC-4, sense keys.
    pub enum SenseKey {
        /// Something has happened that hosts have to know, such as a reset. The command is repeated.
        UnitAttention = "unit-attention",
        /// The device is becoming ready. The command is repeated after a wait.
        NotReady = "not-ready",
        /// The device has ended the command, after an error of its port. The command is repeated.
        AbortedCommand = "aborted-command",
        /// The device has failed, and repeating does not help.
        HardwareError = "hardware-error",
    }
}

impl SenseKey {
    /// The status of a command that ends with this sense key.
    pub fn status(self) -> Status {
        match self {
            Self::UnitAttention => Status::CheckCondition,
            Self::NotReady => Status::NotReady,
            Self::AbortedCommand => Status::AbortedCommand,
            Self::HardwareError => Status::Failed,
        }
    }
}

table! {
    /// The probabilities with which a device fails a command, independently for each command.
    #[derive(Copy)]
    pub struct ErrorParameters {
        /// Probability that the device answers a command with BUSY at once.
        busy: f64 = Fraction, default "0.0", source "SAM-5, status codes";
        /// Probability that the device answers a command with CHECK CONDITION at once, as for a condition that must be reported to hosts
        /// first.
        check_condition: f64 = Fraction, default "0.0", source "SAM-5, status codes";
        /// The sense key of CHECK CONDITION by `check_condition`. Hosts repeat the command at once after `"unit-attention"` and
        /// `"aborted-command"`, after `driver.busy_wait` after `"not-ready"`, and not after `"hardware-error"`.
        sense_key: SenseKey = Choice::<SenseKey>::ANY, default r#""unit-attention""#, source "SPC-4, sense keys; Linux, drivers/scsi/scsi_lib.c";
        /// Probability that the device accepts a command and never answers it. Hosts need a `driver.time_out` then.
        no_answer: f64 = Fraction, default "0.0", source "Wang 2005, 3.1.4";
    }
    checks(check_sum)
}

impl Default for ErrorParameters {
    /// No errors.
    fn default() -> Self {
        Self { busy: 0.0, check_condition: 0.0, sense_key: SenseKey::UnitAttention, no_answer: 0.0 }
    }
}

impl ErrorParameters {
    fn sum(&self) -> f64 {
        self.busy + self.check_condition + self.no_answer
    }

    /// Checks that the probabilities add up to at most 1.
    fn check_sum(&self, keys: &mut Keys<'_, '_>) {
        const ALL: [&str; 3] = ["busy", "check_condition", "no_answer"];
        if self.sum() <= 1.0 || !keys.all_readable(&ALL) {
            return;
        }
        let written = ALL.into_iter().rfind(|key| keys.written_position(key).is_some()).unwrap_or(ALL[0]);
        let message = format!("the probabilities of errors add up to {}", self.sum());
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(written), message)
            .with_label("together they must be at most 1")
            .with_help("give each error its own share of the commands");
        keys.report(written, fault);
    }
}

/// An error of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// The device answers the command with BUSY.
    Busy,
    /// The device answers the command with CHECK CONDITION.
    CheckCondition(SenseKey),
    /// The device does not answer the command.
    NoAnswer,
}

/// The errors of one device.
#[derive(Clone, Debug, Default)]
pub struct DeviceErrors {
    parameters: ErrorParameters,
    /// The random stream; none if the device makes no errors.
    random: Option<RandomStream>,
}

impl DeviceErrors {
    /// The errors of the component of this build context. If all probabilities are 0, no random number is drawn.
    pub fn new<R>(parameters: &ErrorParameters, cx: &BuildContext<'_, R>) -> Self {
        let stream = format!("{}/{}/errors", cx.group, cx.member);
        let random = (parameters.sum() > 0.0).then(|| RandomStream::new(cx.seed, &stream));
        Self { parameters: *parameters, random }
    }

    /// The error of the next command, if it has one.
    #[inline]
    pub fn draw_error(&mut self) -> Option<DeviceError> {
        let value = self.random.as_mut()?.unit_f64();
        let ErrorParameters { busy, check_condition, .. } = self.parameters;
        if value < busy {
            Some(DeviceError::Busy)
        } else if value < busy + check_condition {
            Some(DeviceError::CheckCondition(self.parameters.sense_key))
        } else if value < self.parameters.sum() {
            Some(DeviceError::NoAnswer)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(parameters: ErrorParameters) -> DeviceErrors {
        DeviceErrors { parameters, random: Some(RandomStream::new(1, "errors")) }
    }

    #[test]
    fn errors_come_as_often_as_is_said() {
        let mut errors = errors(ErrorParameters {
            busy: 0.1,
            check_condition: 0.2,
            no_answer: 0.05,
            ..ErrorParameters::default()
        });
        let mut counts = [0_u32; 4];
        for _ in 0..100_000 {
            let place = match errors.draw_error() {
                Some(DeviceError::Busy) => 0,
                Some(DeviceError::CheckCondition(_)) => 1,
                Some(DeviceError::NoAnswer) => 2,
                None => 3,
            };
            counts[place] += 1;
        }
        // The tolerances are four standard deviations of binomial counts: 380, 506, 276 and 604.
        for (count, (mean, most)) in
            counts.into_iter().zip([(10_000, 380), (20_000, 506), (5_000, 276), (65_000, 604)])
        {
            assert!(count.abs_diff(mean) < most, "{counts:?}");
        }
    }

    #[test]
    fn a_device_that_always_fails_always_does() {
        let mut errors = errors(ErrorParameters { no_answer: 1.0, ..ErrorParameters::default() });
        assert!((0..1000).all(|_| errors.draw_error() == Some(DeviceError::NoAnswer)));
        assert_eq!(DeviceErrors::default().draw_error(), None);
    }
}
