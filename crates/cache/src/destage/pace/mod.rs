//! When blocks are destaged: how urgent that is with so many dirty ones. Each policy is a file here with its keys, and a line
//! in the list below.

mod at_once;
mod linear;
mod watermarks;

use sansim_schema::alternatives;

/// Says how urgent destaging is.
pub trait DestagePaceRule {
    /// How urgent it is while `dirty` of at most `limit` blocks are: 0 if none need go, 1 if they have to go as fast as they
    /// can, between them the share of that rate at which they should.
    fn urgency(&mut self, dirty: u32, limit: u32) -> f64;

    /// The numbers of dirty blocks between which it keeps them during writes: at the upper one destaging begins, or runs as fast as it can; at the
    /// lower one it pauses.
    fn marks(&self, limit: u32) -> (u32, u32);

    /// How many blocks are dirty once it is settled, as far as that is known of a stream of writes without time.
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
    pub enum AnyPace: DestagePaceRule {
        fn urgency(&mut self, dirty: u32, limit: u32) -> f64;
        fn marks(&self, limit: u32) -> (u32, u32);
        fn settled(&self, limit: u32) -> u32;
    }
    /// A policy of this kind that has seen nothing yet.
    pub fn pace();
}

/// So many blocks are this share of the limit.
fn mark(share: sansim_schema::quantities::Share, limit: u32) -> u32 {
    (u64::from(limit) * share.millionths / 1_000_000) as u32
}

/// That the low mark lies below the high one.
fn check_marks(keys: &mut sansim_schema::keys::Keys<'_, '_>, sound: bool) {
    use sansim_schema::codes;
    use sansim_schema::fault::Diagnostic;
    if sound || !keys.are_sound(&["low", "high"]) {
        return;
    }
    let fault =
        Diagnostic::new(codes::OUT_OF_RANGE, keys.value("low"), "the low mark is not below the high mark")
            .label("must be less than `high`")
            .help(format!("lower {}, or raise {}", keys.full("low"), keys.full("high")));
    let high = keys.written("high").map(|place| (place, "the high mark"));
    keys.report_with("low", fault, high);
}
