//! Limits of rate and bandwidth in a driver: of each workload, of each device, of the host as a whole.
//!
//! A request passes the limits in this order when it comes, before it waits for its device, as Linux has its limits before the scheduler.
//! Each limit holds back only requests beyond it, first come, first served: requests held back for a workload or a device do not hold up
//! others.

use super::catalogue::segment;
use super::what;
use sansim_component::limits::{LimitParameters, RateLimit};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{EventKey, Time};
use sansim_request::RequestId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Limits that a request passes, by their place in the order; the last is the limit of the host.
const WORKLOAD: u8 = 0;
const DEVICE: u8 = 1;
const ALL: u8 = 3;

/// A request that a limit holds back: the time until which it is held, its number among the held requests, the request, and the number of
/// limits that it has passed then.
type Held = (Time, u64, RequestId, u8);

/// The limits of rate and bandwidth in a driver: of workloads, of devices and of the host.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    /// Whether any limit applies.
    bind: bool,
    /// The limit of the workload at each port; none for a workload without a limit.
    workloads: Vec<Option<RateLimit>>,
    /// The limit of each device, and the limits of the devices that have had requests so far.
    each_device: Option<RateLimit>,
    devices: Vec<RateLimit>,
    host: Option<RateLimit>,
    held: BinaryHeap<Reverse<Held>>,
    numbered: u64,
    /// The time at which the first held request continues, and the timer for it.
    timer: Option<(Time, EventKey)>,
}

impl Limits {
    /// Limits of each workload by its port, of each device and of the host.
    pub fn new(workloads: &[LimitParameters], device: &LimitParameters, host: &LimitParameters) -> Self {
        let limit = |limits: &LimitParameters| limits.has_limit().then(|| RateLimit::new(limits));
        let bind = workloads.iter().chain([device, host]).any(LimitParameters::has_limit);
        Self {
            bind,
            workloads: workloads.iter().map(limit).collect(),
            each_device: limit(device),
            devices: Vec::new(),
            host: limit(host),
            held: BinaryHeap::new(),
            numbered: 0,
            timer: None,
        }
    }

    /// The limits have other values from now on. Requests that are held back keep the times at which they go on.
    pub fn change(
        &mut self,
        workloads: &[LimitParameters],
        device: &LimitParameters,
        host: &LimitParameters,
    ) {
        self.bind = workloads.iter().chain([device, host]).any(LimitParameters::has_limit);
        let count = self.workloads.len().max(workloads.len());
        self.workloads.resize(count, None);
        for (limit, after) in self.workloads.iter_mut().zip(workloads) {
            *limit = RateLimit::change(*limit, after);
        }
        self.each_device = RateLimit::change(self.each_device, device);
        match self.each_device {
            Some(each) => self.devices.iter_mut().for_each(|limit| {
                *limit = RateLimit::change(Some(*limit), device).unwrap_or(each);
            }),
            None => self.devices.clear(),
        }
        self.host = RateLimit::change(self.host, host);
    }

    fn limit(&mut self, which: u8, port: u16, device: u32) -> Option<&mut RateLimit> {
        match which {
            WORKLOAD => self.workloads.get_mut(usize::from(port))?.as_mut(),
            DEVICE => {
                let (each, device) = (self.each_device?, device as usize);
                if device >= self.devices.len() {
                    self.devices.resize(device + 1, each);
                }
                self.devices.get_mut(device)
            }
            _ => self.host.as_mut(),
        }
    }

    /// Whether a request that came by a port and has passed this many limits is held back by a further limit.
    pub fn is_held_by_limit(&mut self, cx: &mut Context<'_>, id: RequestId, port: u16, passed: u8) -> bool {
        if !self.bind {
            return false;
        }
        for which in passed..ALL {
            let (device, bytes) = (cx.request(id).device, cx.request(id).data_bytes());
            let Some(limit) = self.limit(which, port, device) else { continue };
            let at = limit.next_start_time(cx.now, bytes);
            if at > cx.now {
                self.numbered += 1;
                self.held.push(Reverse((at, self.numbered, id, which + 1)));
                cx.ledger().enter_segment(id, segment::HELD_BACK);
                self.watch_the_first(cx);
                return true;
            }
        }
        false
    }

    /// The next held request that may continue now, and the number of limits that it has passed.
    pub fn next_released_request(&mut self, cx: &mut Context<'_>) -> Option<(RequestId, u8)> {
        let &Reverse((at, _, id, passed)) = self.held.peek()?;
        if at > cx.now {
            self.watch_the_first(cx);
            return None;
        }
        self.held.pop();
        Some((id, passed))
    }

    /// Sets the timer for the first held request.
    fn watch_the_first(&mut self, cx: &mut Context<'_>) {
        let Some(&Reverse((at, ..))) = self.held.peek() else { return };
        match self.timer {
            Some((set, _)) if set > cx.now && set <= at => return,
            Some((set, timer)) if set > cx.now => {
                cx.cancel_timer(timer);
            }
            _ => {}
        }
        let timer = cx.set_cancellable_timer(
            at,
            EventTurn::turn_of_node(u32::from(what::LIMIT)),
            Timer::new(what::LIMIT, 0),
        );
        self.timer = Some((at, timer));
    }
}
