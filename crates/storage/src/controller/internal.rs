//! The queue of what is asked for behind: the internal I/Os of Wang 2005, 3.2.2. A driver has no more than so many under way by each of the
//! adapters; the others wait here, for each device in the order that is chosen.
//!
//! Of several devices that can be asked the one goes first of which a request has waited longest.

use sansim_component::policy::Paths;
use sansim_component::scheduling::{Chains, Order, Queue, Waiting};
use sansim_kernel::Time;
use sansim_request::{Request, RequestId};

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Internal {
    order: Order,
    /// By the number of the device behind.
    queues: Vec<Option<Queue>>,
    chains: Chains,
    /// Numbers requests as they come.
    came: u64,
    waiting: u32,
}

impl Internal {
    pub(super) fn new(order: &Order) -> Self {
        Self { order: order.clone(), queues: Vec::new(), chains: Chains::default(), came: 0, waiting: 0 }
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting
    }

    /// A request waits that is for a device behind.
    pub(super) fn comes(&mut self, now: Time, id: RequestId, behind: &Request) {
        let device = behind.device as usize;
        if device >= self.queues.len() {
            self.queues.resize_with(device + 1, || None);
        }
        let queue = self.queues[device].get_or_insert_with(|| Queue::new(&self.order));
        let mut one = Waiting::new(id, behind, now);
        one.number = self.came;
        queue.push(&mut self.chains, one, None);
        self.came += 1;
        self.waiting += 1;
    }

    /// The next one that can be asked for.
    pub(super) fn next(&mut self, now: Time, paths: &Paths) -> Option<RequestId> {
        if self.waiting == 0 {
            return None;
        }
        let oldest = |queue: &Option<Queue>| queue.as_ref().and_then(Queue::oldest).map(|one| one.number);
        let queues = self.queues.iter().enumerate();
        let can_be = queues.filter_map(|(device, queue)| {
            oldest(queue).filter(|_| paths.has_room(device as u32)).map(|number| (number, device))
        });
        let (_, device) = can_be.min()?;
        let next = self.queues[device].as_mut().and_then(|queue| queue.pop(now))?;
        self.waiting -= 1;
        Some(next.request)
    }
}
