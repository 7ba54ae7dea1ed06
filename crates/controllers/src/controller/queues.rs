//! The two queues of a controller, which have the same form: the storage-side queue of requests that it does not work on yet, and the
//! internal queue of child requests (the internal I/Os of Wang 2005, 3.2.2), of which a driver has a limited number in flight by each
//! adapter.
//!
//! Requests that wait for a device continue in the chosen order. Among several devices with room, the device with the longest waiting
//! request goes first.

use sansim_component::scheduling::{MergedChains, Queue, QueueOrder, QueuedRequest};
use sansim_kernel::Time;
use sansim_request::{Request, RequestId};

/// The storage-side queue of a controller, or its internal queue of child requests.
#[derive(Clone, Debug)]
pub(super) struct Queues {
    order: QueueOrder,
    /// The queue of each device, by the device's number.
    queues: Vec<Option<Queue>>,
    chains: MergedChains,
    /// The number of requests that have come, by which they are numbered.
    came: u64,
    waiting: u32,
}

impl Queues {
    pub(super) fn new(order: &QueueOrder) -> Self {
        Self {
            order: order.clone(),
            queues: Vec::new(),
            chains: MergedChains::default(),
            came: 0,
            waiting: 0,
        }
    }

    /// The number of waiting requests.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting
    }

    /// A request waits.
    pub(super) fn comes(&mut self, now: Time, id: RequestId, request: &Request) {
        let device = request.device as usize;
        if device >= self.queues.len() {
            self.queues.resize_with(device + 1, || None);
        }
        let queue = self.queues[device].get_or_insert_with(|| Queue::new(&self.order));
        let mut one = QueuedRequest::new(id, request, now);
        one.number = self.came;
        queue.queue_request(&mut self.chains, one, None);
        self.came += 1;
        self.waiting += 1;
    }

    /// A request waits no more, if it waited.
    pub(super) fn forget(&mut self, id: RequestId, device: u32) {
        let queue = self.queues.get_mut(device as usize).and_then(Option::as_mut);
        self.waiting -= u32::from(queue.is_some_and(|queue| queue.remove_waiting(id)));
    }

    /// The next request that continues, of the devices that have room.
    pub(super) fn next(&mut self, now: Time, has_room: impl Fn(u32) -> bool) -> Option<RequestId> {
        if self.waiting == 0 {
            return None;
        }
        let oldest = |queue: &Option<Queue>| {
            queue.as_ref().and_then(Queue::oldest_waiting_request).map(|one| one.number)
        };
        let queues = self.queues.iter().enumerate();
        let can_be = queues.filter_map(|(device, queue)| {
            oldest(queue).filter(|_| has_room(device as u32)).map(|number| (number, device))
        });
        let (_, device) = can_be.min()?;
        let next = self.queues[device].as_mut().and_then(|queue| queue.next_queued_request(now))?;
        self.waiting -= 1;
        Some(next.request)
    }
}
