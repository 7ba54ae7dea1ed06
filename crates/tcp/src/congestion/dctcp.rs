//! DCTCP (RFC 8257): the sender follows the share of bytes that switches have marked, and makes its window smaller by half of that share.

use super::NewAcknowledgement;

/// The weight of the newest window in the share of marked bytes (RFC 8257, 4.2).
const GAIN: f64 = 1.0 / 16.0;

/// The state of DCTCP.
#[derive(Clone, Debug)]
pub struct Dctcp {
    /// The estimated share of marked bytes.
    alpha: f64,
    /// The bytes acknowledged and marked since the estimate was last updated, and the place in the stream at which it is updated next.
    acknowledged: u64,
    marked: u64,
    update_at: u64,
}

impl Default for Dctcp {
    fn default() -> Self {
        Self { alpha: 1.0, acknowledged: 0, marked: 0, update_at: 0 }
    }
}

impl Dctcp {
    /// Bytes are acknowledged; once for the bytes of a window the estimate is updated.
    pub fn bytes_acknowledged(&mut self, ack: &NewAcknowledgement) {
        self.acknowledged += ack.bytes;
        self.marked += if ack.echo { ack.bytes } else { 0 };
        if ack.upto > self.update_at {
            let share = self.marked as f64 / self.acknowledged as f64;
            self.alpha = (1.0 - GAIN) * self.alpha + GAIN * share;
            (self.acknowledged, self.marked, self.update_at) = (0, 0, ack.sent_upto);
        }
    }

    /// The bytes that a reduction leaves of a window.
    pub fn reduced(&self, window: u64) -> u64 {
        (window as f64 * (1.0 - self.alpha / 2.0)) as u64
    }
}
