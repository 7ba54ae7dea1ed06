//! Pause by priority (PFC, IEEE 802.1Qbb): when a switch asks the other end of a link to pause, and the room that it needs behind that.
//!
//! A pause lasts until the switch lets the other end go on, as if it was renewed in time: the longest pause of one frame is 65,535 times 512
//! bit times.

use super::frame::PAUSE_FRAME_BYTES;
use sansim_kernel::Span;

/// The thresholds of pauses of a class, for the bytes that came in by one port and wait in the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseRule {
    /// The bytes above which the other end is to pause.
    pub above: u64,
    /// The bytes below which the other end may go on.
    pub below: u64,
    /// The room for bytes that come after the pause was asked for.
    pub headroom: u64,
}

impl PauseRule {
    /// The most bytes that come in above the threshold. The frame that passes it may be above it but for a byte. The frame that the own
    /// transmitter sends must end before the pause frame can go, as must pause frames of other classes; the pause frame crosses the cable; the
    /// other end takes its time to respond, and ends the frame that it has begun. The bytes in the cable, and in the switch before its
    /// memory (`times` with the time to respond), comes in besides.
    pub fn exact_headroom_bytes(rate: u64, delay: Span, times: Span, largest: u64, classes: usize) -> u64 {
        let on_link = |span: Span| {
            let ticks = u128::from(span.ticks()) * u128::from(rate);
            u64::try_from(ticks.div_ceil(u128::from(Span::from_s(1).ticks()))).unwrap_or(u64::MAX)
        };
        let pause_frames = classes as u64 * u64::from(PAUSE_FRAME_BYTES);
        3 * largest + pause_frames + 2 * on_link(delay) + on_link(times)
    }

    /// The most bytes that may wait.
    pub fn most_bytes(&self) -> u64 {
        self.above + self.headroom
    }
}

/// A request to the other end of a link, for one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseRequest {
    /// The class.
    pub class: u8,
    /// Whether the other end is to pause; it may go on otherwise.
    pub stops: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headroom_is_the_sum_of_what_may_still_come() {
        // 100 m at 100 Gb/s are 500 ns each way, 6,250 bytes; three frames of 4,238 bytes, one pause frame.
        let bytes = PauseRule::exact_headroom_bytes(12_500_000_000, Span::from_ns(500), Span::ZERO, 4_238, 1);
        assert_eq!(bytes, 3 * 4_238 + 84 + 2 * 6_250);
        // A response of 1 us adds 12,500 bytes, a second class a pause frame.
        let more =
            PauseRule::exact_headroom_bytes(12_500_000_000, Span::from_ns(500), Span::from_us(1), 4_238, 2);
        assert_eq!(more - bytes, 12_500 + 84);
    }
}
