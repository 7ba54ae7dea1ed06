//! The queues of a driver: for each device the waiting requests, and the number of outstanding ones.
//!
//! Source: Wang 2005, section 4.2.2: there is a queue for each device; its requests are waiting or outstanding, and no more are outstanding
//! than the device serves at a time.

use super::present::Present;
use super::throttle::Throttle;
use sansim_component::ByDevice;
use sansim_component::scheduling::{MergedChains, Queue, QueueOrder, QueuedRequest};
use sansim_kernel::{Span, Time};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The state of a device in the driver.
#[derive(Clone, Debug)]
struct Device {
    queue: Queue,
    /// Requests that came back with an error, and precede those in the queue.
    again: VecDeque<QueuedRequest>,
    outstanding: u64,
    /// The limit of outstanding requests of the device.
    throttle: Throttle,
    /// Whether the device is in the list of ready devices, or in the list of those without a free adapter.
    listed: bool,
}

impl Device {
    fn new(order: &QueueOrder, most: u64) -> Self {
        let (again, throttle) = (VecDeque::new(), Throttle::new(most));
        Self { queue: Queue::new(order), again, outstanding: 0, throttle, listed: false }
    }

    fn has_room(&self) -> bool {
        self.throttle.may_have_one_more(self.outstanding)
    }

    /// The oldest waiting request of the device.
    fn oldest(&self) -> Option<&QueuedRequest> {
        self.again.front().or_else(|| self.queue.oldest_waiting_request())
    }
}

/// All devices, and the order in which they are served.
#[derive(Clone, Debug)]
pub(super) struct Devices {
    devices: ByDevice<Device>,
    order: QueueOrder,
    merge: Option<u64>,
    chains: MergedChains,
    /// Devices that have room and a waiting request, ordered by the time it has waited: the number of the oldest request, and the device.
    ready: BinaryHeap<Reverse<(u64, u32)>>,
    /// The ready devices whose adapters have no free command, in the order in which this was found.
    blocked: VecDeque<u32>,
    arrived: u64,
    waiting: Present,
    merged: u64,
}

impl Devices {
    /// The queues of devices, with a limit of outstanding requests each. Waiting requests may be merged up to `merge` bytes.
    pub fn new(order: &QueueOrder, limits: impl Iterator<Item = (u32, u64)>, merge: Option<u64>) -> Self {
        let devices: ByDevice<Device> =
            limits.map(|(device, limit)| (device, Device::new(order, limit))).collect();
        let (ready, blocked) =
            (BinaryHeap::with_capacity(devices.len()), VecDeque::with_capacity(devices.len()));
        let (order, chains) = (order.clone(), MergedChains::default());
        Self {
            devices,
            order,
            merge,
            chains,
            ready,
            blocked,
            arrived: 0,
            waiting: Present::default(),
            merged: 0,
        }
    }

    /// The state of a device; a device that cannot be reached has none at first.
    #[inline]
    fn device(&mut self, number: u32) -> &mut Device {
        let order = &self.order;
        self.devices.get_or_insert_with(number, || Device::new(order, u64::MAX))
    }

    /// A request begins to wait for a device.
    pub fn add_waiting_request(&mut self, device: u32, mut one: QueuedRequest) {
        self.waiting.add_request(one.since);
        self.arrived += 1;
        one.number = self.arrived;
        let Self { devices, order, chains, merge, .. } = self;
        let of = devices.get_or_insert_with(device, || Device::new(order, u64::MAX));
        of.queue.queue_request(chains, one, *merge);
        self.list(device);
    }

    /// A request that came back with an error waits for its device again, behind earlier ones of this kind and before all others.
    pub fn add_returned_request(&mut self, device: u32, mut one: QueuedRequest) {
        let taken_back = self.merged_requests(one.request).count();
        (0..taken_back).for_each(|_| self.waiting.add_request(one.since));
        self.arrived += 1;
        one.number = self.arrived;
        self.device(device).again.push_back(one);
        self.list(device);
    }

    /// The number of outstanding requests of a device.
    pub fn outstanding_request_count(&self, device: u32) -> u64 {
        self.devices.get(device).map_or(0, |device| device.outstanding)
    }

    /// A device has reported a full queue.
    pub fn queue_full_reported(&mut self, now: Time, device: u32) {
        let device = self.device(device);
        device.throttle.queue_full_reported(now, device.outstanding);
    }

    /// Notes that a device has served a request.
    #[inline]
    pub fn request_served(&mut self, now: Time, device: u32, ramp_up_time: Span) {
        self.device(device).throttle.request_served(now, ramp_up_time);
    }

    /// Lists a device as ready if a request waits for it and it has room.
    fn list(&mut self, number: u32) {
        let device = self.device(number);
        if let Some(oldest) = device.oldest().map(|oldest| oldest.number)
            && device.has_room()
            && !device.listed
        {
            device.listed = true;
            self.ready.push(Reverse((oldest, number)));
        }
    }

    /// Whether a request might be passed on.
    #[inline]
    pub fn may_pass_any(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The next request to pass on, if there is one: it is a request of the device whose oldest request has waited longest, among those for
    /// which `finds_adapter` is true.
    pub fn next_request_to_pass(
        &mut self,
        now: Time,
        mut finds_adapter: impl FnMut(u32) -> bool,
    ) -> Option<QueuedRequest> {
        loop {
            let Reverse((_, number)) = self.ready.pop()?;
            if !finds_adapter(number) {
                self.blocked.push_back(number);
                continue;
            }
            let device = self.device(number);
            device.listed = false;
            // The device may have been throttled since it was listed.
            if !device.has_room() {
                continue;
            }
            device.outstanding += 1;
            let next = device.again.pop_front().or_else(|| device.queue.next_queued_request(now));
            self.list(number);
            if let Some(next) = &next {
                let taken = self.merged_requests(next.request).count() as u64;
                self.waiting.remove_requests(now, taken);
                self.merged += taken - 1;
            }
            return next;
        }
    }

    /// A request that was passed on to a device is back, and an adapter has room for one more.
    pub fn request_answered(&mut self, device: u32, mut finds_adapter: impl FnMut(u32) -> bool) {
        self.device(device).outstanding -= 1;
        self.list(device);
        for _ in 0..self.blocked.len() {
            let Some(number) = self.blocked.pop_front() else { return };
            if finds_adapter(number) {
                self.device(number).listed = false;
                self.list(number);
                return;
            }
            self.blocked.push_back(number);
        }
    }

    /// Paths have failed or work again, so blocked devices may find an adapter.
    pub fn paths_changed(&mut self, mut finds_adapter: impl FnMut(u32) -> bool) {
        for _ in 0..self.blocked.len() {
            let Some(number) = self.blocked.pop_front() else { return };
            if finds_adapter(number) {
                self.device(number).listed = false;
                self.list(number);
            } else {
                self.blocked.push_back(number);
            }
        }
    }

    /// The requests that were merged with this first request, including itself.
    pub fn merged_requests(
        &self,
        first: sansim_request::RequestId,
    ) -> impl Iterator<Item = sansim_request::RequestId> {
        std::iter::successors(Some(first), |id| self.chains.next_merged_request(*id))
    }

    /// The waiting requests.
    pub fn waiting_requests(&self) -> &Present {
        &self.waiting
    }

    /// The number of requests that were passed on merged into another, so far.
    pub fn merged_request_count(&self) -> u64 {
        self.merged
    }
}
