//! The pace of destaging: its urgency, given the number of dirty blocks. Each policy is a file here with its keys, and a line in the list
//! below.

mod at_once;
mod linear;
mod watermarks;

use sansim_schema::alternatives;

/// A pace policy: it returns the urgency of destaging.
pub trait DestagePaceRule {
    /// The urgency while `dirty` blocks of at most `limit` are dirty: 0 if no block need be destaged, 1 if destaging has to run at its
    /// highest rate, in between the share of that rate at which it should run.
    fn urgency(&mut self, dirty: u32, limit: u32) -> f64;

    /// The numbers of dirty blocks between which the policy keeps their number during writes: at the upper mark destaging begins, or runs
    /// at its highest rate; at the lower mark it pauses.
    fn marks(&self, limit: u32) -> (u32, u32);

    /// The number of dirty blocks once destaging is settled, as far as it is known for a stream of writes without time.
    fn settled(&self, limit: u32) -> u32;
}

alternatives! {
    /// When dirty blocks are destaged.
    pub enum DestagePace by "when", default "watermarks", source "ours: two marks, as most write-back caches have them" {
        AtOnce(at_once::AtOnce) = "at-once",
        Watermarks(watermarks::WatermarkParameters => watermarks::Watermarks) = "watermarks",
        Linear(linear::Linear) = "linear",
    }
    /// One of the policies, with what it remembers.
    pub enum AnyDestagePace: DestagePaceRule {
        fn urgency(&mut self, dirty: u32, limit: u32) -> f64;
        fn marks(&self, limit: u32) -> (u32, u32);
        fn settled(&self, limit: u32) -> u32;
    }
    /// A policy of this kind that has seen nothing yet.
    pub fn pace();
}

/// The number of blocks that is this share of the limit.
fn mark(share: sansim_schema::quantities::Share, limit: u32) -> u32 {
    (u64::from(limit) * share.millionths / 1_000_000) as u32
}

/// Checks that the low mark is below the high mark.
fn check_marks(keys: &mut sansim_schema::keys::Keys<'_, '_>, sound: bool) {
    use sansim_schema::codes;
    use sansim_schema::fault::Diagnostic;
    if sound || !keys.all_readable(&["low", "high"]) {
        return;
    }
    let fault = Diagnostic::new(
        codes::OUT_OF_RANGE,
        keys.value_position("low"),
        "the low mark is not below the high mark",
    )
    .with_label("must be less than `high`")
    .with_help(format!("lower {}, or raise {}", keys.full_path("low"), keys.full_path("high")));
    let high = keys.written_position("high").map(|place| (place, "the high mark"));
    keys.report_with("low", fault, high);
}
