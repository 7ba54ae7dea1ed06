//! Errors of devices in background requests of the cache: a device with an error is retried after a pause, a limited number of times in a
//! row. After the last retry the cache gives the device up until it serves another request.

use super::{DeviceCache, what};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::Span;

#[derive(Clone, Copy, Debug, Default)]
struct Device {
    rests: bool,
    given_up: bool,
    /// The number of failures in a row.
    times: u32,
}

/// The errors of devices in background requests of a cache, and the retries.
#[derive(Clone, Debug)]
pub(super) struct Trouble {
    devices: Vec<Device>,
    retry_time: Span,
    retries: u32,
    /// The number of devices that pause, and the number of those that are given up.
    resting: u32,
    given_up: u32,
}

impl Trouble {
    pub(super) fn new(devices: usize, retry_time: Span, retries: u32) -> Self {
        Self { devices: vec![Device::default(); devices], retry_time, retries, resting: 0, given_up: 0 }
    }

    /// Whether any device is paused.
    pub(super) fn any(&self) -> bool {
        self.resting > 0
    }

    pub(super) fn rests(&self, place: u32) -> bool {
        self.devices.get(place as usize).is_some_and(|device| device.rests)
    }

    pub(super) fn is_given_up(&self, place: u32) -> bool {
        self.devices.get(place as usize).is_some_and(|device| device.given_up)
    }

    pub(super) fn is_any_given_up(&self) -> bool {
        self.given_up > 0
    }

    /// A device has carried out a request.
    pub(super) fn over(&mut self, place: u32) {
        let Some(device) = self.devices.get_mut(place as usize) else { return };
        self.resting -= u32::from(device.rests);
        self.given_up -= u32::from(device.given_up);
        *device = Device::default();
    }
}

impl DeviceCache {
    /// A device has failed a background request that must be carried out.
    pub(super) fn has_trouble(&mut self, cx: &mut Context<'_>, place: u32) {
        let Trouble { retry_time, retries, .. } = self.trouble;
        let Some(device) = self.trouble.devices.get_mut(place as usize) else { return };
        if device.rests {
            return;
        }
        device.rests = true;
        device.times += 1;
        self.trouble.resting += 1;
        if device.times > retries {
            device.given_up = true;
            self.trouble.given_up += 1;
            // Writes that wait for space may have to be written through.
            self.has_changed = true;
            return;
        }
        let turn = EventTurn::turn_of_node(256 + place);
        cx.set_timer(cx.now + retry_time, turn, Timer::new(what::RETRY, place));
    }

    /// The pause of a device is over, and it is tried again.
    pub(super) fn retry_due(&mut self, _cx: &mut Context<'_>, place: u32) {
        let Some(device) = self.trouble.devices.get_mut(place as usize) else { return };
        if device.rests && !device.given_up {
            device.rests = false;
            self.trouble.resting -= 1;
        }
    }
}
