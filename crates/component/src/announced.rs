//! The queue depth that a device announces to hosts at login: the commands that hosts may have in flight at the device.
//!
//! Source: Wang 2005, section 3.2.1: a storage system may report its queue depth to a client, which then issues no more than that number;
//! further requests wait in the client. Several clients share the storage system.

use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{Choice, OrUnlimited};
use sansim_schema::{table, words};

words! {
    /// The askers among which the queue depth of a device is divided.
    pub enum QueueDepthSharing {
        /// All askers of the device share its queue depth evenly.
        All = "all",
        /// Each asker of the device may have the whole queue depth.
        Each = "each",
    }
}

table! {
    /// The properties that a device announces to hosts.
    #[derive(Copy, Eq)]
    pub struct AnnouncedProperties {
        /// Queue depth that the device announces: the commands that hosts may have in flight at it; further commands wait in the host. With
        /// "unlimited" hosts apply their own limits.
        queue_depth: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "Wang 2005, 3.2.1";
        /// Whether all askers of the device share its `queue_depth` evenly, at least one each, or each of them may have all of it.
        queue_depth_for: QueueDepthSharing = Choice::<QueueDepthSharing>::ANY, default r#""all""#, source "Wang 2005, 3.2.1";
    }
    idle(of_no_depth)
}

impl Default for AnnouncedProperties {
    fn default() -> Self {
        Self { queue_depth: None, queue_depth_for: QueueDepthSharing::All }
    }
}

impl AnnouncedProperties {
    /// Marks the keys that need a queue depth as idle if none is announced.
    fn of_no_depth(&self, idle: &mut IdleKeys) {
        idle.mark_idle_unless(
            self.queue_depth.is_some(),
            &["queue_depth_for"],
            "the device announces no queue depth (`queue_depth`)",
        );
    }

    /// The most commands that one of `askers` hosts may have in flight.
    pub fn queue_depth_share(&self, askers: u64) -> Option<u64> {
        match self.queue_depth_for {
            QueueDepthSharing::Each => self.queue_depth,
            QueueDepthSharing::All => self.queue_depth.map(|depth| (depth / askers.max(1)).max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_share_a_queue_depth_and_nobody_is_left_without() {
        let announced =
            AnnouncedProperties { queue_depth: Some(32), queue_depth_for: QueueDepthSharing::All };
        assert_eq!(
            [1, 2, 3, 64].map(|askers| announced.queue_depth_share(askers)),
            [Some(32), Some(16), Some(10), Some(1)]
        );
        assert_eq!(
            AnnouncedProperties { queue_depth_for: QueueDepthSharing::Each, ..announced }
                .queue_depth_share(3),
            Some(32)
        );
        assert_eq!(AnnouncedProperties::default().queue_depth_share(3), None);
    }
}
