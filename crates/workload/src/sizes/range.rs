//! The sizes of requests as a range of sizes.

use sansim_kernel::RandomStream;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::Size;
use sansim_schema::{codes, table};

table! {
    /// Requests are of every multiple of a step within a range, all as likely.
    #[derive(Copy, Eq)]
    pub struct RangeParameters {
        /// The smallest, in bytes.
        least: u64 = Size::between(1, u32::MAX as u64), required r#""4 KiB""#, source "fio, bsrange";
        /// The largest, in bytes.
        most: u64 = Size::between(1, u32::MAX as u64), required r#""64 KiB""#, source "fio, bsrange";
        /// The distance between two sizes, in bytes.
        step: u64 = Size::between(1, u32::MAX as u64), follows "`least`" |_context| least, source "fio, bsrange";
    }
    checks(check_order)
}

impl RangeParameters {
    /// The mean size in bytes.
    pub fn mean(&self) -> f64 {
        0.5 * (self.least + self.largest()) as f64
    }

    /// The largest size in bytes.
    pub fn largest(&self) -> u64 {
        self.least + self.steps() * self.step
    }

    /// The number of steps from the smallest to the largest size.
    fn steps(&self) -> u64 {
        self.most.saturating_sub(self.least) / self.step.max(1)
    }

    /// The generator of these sizes.
    pub fn generator(&self) -> SizeRange {
        SizeRange::new(self)
    }

    /// Checks that the least size is the smaller one.
    fn check_order(&self, keys: &mut Keys<'_, '_>) {
        if self.least <= self.most || !keys.all_readable(&["least", "most"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("least"),
            "`least` is greater than `most`",
        )
        .with_label("swap the two");
        let most = keys.value_position("most");
        keys.report_with("least", fault, Some((most, "the largest")));
    }
}

/// Draws sizes within a range.
#[derive(Clone, Debug)]
pub struct SizeRange {
    least: u64,
    step: u64,
    count: u64,
}

impl SizeRange {
    /// A generator for this range.
    pub fn new(parameters: &RangeParameters) -> SizeRange {
        SizeRange { least: parameters.least, step: parameters.step, count: parameters.steps() + 1 }
    }

    /// Draws a size in bytes.
    pub fn draw(&mut self, random: &mut RandomStream) -> u64 {
        self.least + random.draw_below(self.count) * self.step
    }
}
