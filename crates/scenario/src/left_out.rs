//! Whether a run simulates far more I/Os that are left out than I/Os that are measured.
//!
//! The I/Os left out are given per slot, and slots are drives times queue depth: at a depth of 65,536, ten I/Os per slot are more than a
//! million, whatever is measured. Leaving out many I/Os is allowed, and may be intended, so there is only a warning.

use crate::run::WarmUp;
use crate::scenario::Scenario;

/// The ratio of left-out to measured I/Os from which on there is a warning.
const MANY_TIMES: u64 = 10;

/// The most I/Os left out without a warning: some seconds of work.
const FEW: u64 = 100_000;

/// A warning about a run of which most I/Os are left out; none for other runs.
pub(crate) fn warning(scenario: &Scenario) -> Option<String> {
    let run = &scenario.run;
    let (WarmUp::IosPerSlot(per_slot), Some(measured)) = (run.warm_up, run.measured_ios) else { return None };
    let slots = scenario.ios_in_flight();
    let left_out = per_slot.saturating_mul(slots).saturating_mul(2);
    if left_out <= FEW || left_out / MANY_TIMES < measured {
        return None;
    }
    Some(format!(
        "{} I/Os are simulated and left out, for {} that are measured: run.warm_up = {per_slot} is for each of {} slots, at the \
         beginning and again at the end; give it as a time, such as \"20 ms\", or smaller, or measure more",
        grouped(left_out),
        grouped(measured),
        grouped(slots),
    ))
}

/// A number with separators between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
