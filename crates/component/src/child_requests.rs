//! Child requests: a component in front of devices (an array, a cache, volumes) sends them on any working path.
//!
//! Devices have indices, from 0, in the order in which the component names them. A part of a request becomes its child; requests of the
//! component itself run in the background. Data pass through the memory of the component, which accepts them at once and provides them as
//! soon as there is room. A part that comes back because its path has failed continues on another path ([`PathChoice`]); the component sees
//! a part only when it is done.
//!
//! The component forwards the inputs that concern child requests: messages of the ports at which it sends them, timers with
//! [`PathChoice::TIMER`], and actions. After each forwarded input, and after each request, [`ChildRequests::next_done_child`] returns the
//! next answer, and [`ChildRequests::close_next_done`] closes it.

use crate::policy::{PathChoice, PathDecision, PathParameters};
use crate::{Action, BuildContext, Context, DeviceRole, Message};
use sansim_request::{BLOCK_BYTES, Operation, Request, RequestId, RequestMap, ReturnedRequest, Status};
use std::collections::VecDeque;
use std::ops::Range;

/// A part of a request that is done, and closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedChild {
    /// The child request. The number of the child request may be reused by the next one.
    pub part: RequestId,
    /// The device of the child request, by its index.
    pub place: u32,
    /// The status of the answer.
    pub status: Status,
    /// The child request itself, and the state of the request that it is a part of.
    pub returned: ReturnedRequest,
}

/// A child request in flight.
#[derive(Clone, Copy, Debug)]
struct Asked {
    place: u32,
    /// The port by which the child request was sent, if it was sent.
    port: Option<u16>,
    /// Whether the child request has been aborted.
    aborted: bool,
    /// Whether the child request is background work that does not keep the run going.
    passes: bool,
}

/// The child requests that a component in front of devices (an array, a cache, volumes) sends on any working path.
#[derive(Clone, Debug)]
pub struct ChildRequests {
    /// The number in the system of each device, by its index.
    devices: Vec<u32>,
    paths: PathChoice,
    /// The segment of a child request that waits for a path.
    fail_over: usize,
    asked: RequestMap<Asked>,
    /// Parts that are done and not closed.
    done: VecDeque<(RequestId, Status)>,
}

impl ChildRequests {
    /// The devices behind the component of this build context. A request that waits for a path is in the segment `fail_over`.
    pub fn new(cx: &BuildContext<'_, DeviceRole>, parameters: &PathParameters, fail_over: usize) -> Self {
        Self::with_devices(
            cx.behind.iter().map(|behind| behind.device).collect(),
            PathChoice::new(&cx.paths, parameters),
            fail_over,
        )
    }

    /// The child requests for these devices, given by their numbers in the system.
    pub fn with_devices(devices: Vec<u32>, paths: PathChoice, fail_over: usize) -> Self {
        Self {
            devices,
            paths,
            fail_over,
            asked: RequestMap::with_capacity_and_hasher(16, Default::default()),
            done: VecDeque::with_capacity(16),
        }
    }

    /// The number of devices.
    pub fn device_count(&self) -> u32 {
        self.devices.len() as u32
    }

    /// The number of a device in the system.
    pub fn device_number(&self, place: u32) -> u32 {
        self.devices[place as usize]
    }

    /// The index of a device, by its number in the system; none if the device is not behind this component.
    pub fn device_index(&self, device: u32) -> Option<u32> {
        self.devices.iter().position(|&behind| behind == device).map(|place| place as u32)
    }

    /// Returns the place of the next device that has lost all its paths for longer than a request waits; each is returned once.
    pub fn next_lost_device(&mut self) -> Option<u32> {
        while let Some(device) = self.paths.next_lost_device() {
            if let Some(place) = self.device_index(device) {
                return Some(place);
            }
        }
        None
    }

    /// Number of child requests in flight.
    pub fn child_requests_in_flight(&self) -> u32 {
        self.asked.len() as u32
    }

    /// A request for bytes of a device. The bytes begin and end with blocks.
    fn request(&self, like: Request, place: u32, operation: Operation, bytes: &Range<u64>) -> Request {
        let device = self.devices[place as usize];
        Request { device, operation, lba: bytes.start / BLOCK_BYTES, bytes: bytes.end - bytes.start, ..like }
    }

    /// Sends a part of a request, which has been forked ([`Context::fork_request`]).
    pub fn ask_device(
        &mut self,
        cx: &mut Context<'_>,
        parent: RequestId,
        place: u32,
        operation: Operation,
        bytes: Range<u64>,
    ) -> RequestId {
        let part = self.request(*cx.request(parent), place, operation, &bytes);
        let port = self.paths.choose_port(cx.now, &part);
        let id = match port {
            Some(port) => cx.ask_child(port, parent, part),
            None => cx.child_requests().begin_child(parent, part, self.fail_over),
        };
        self.paths.request_sent(cx.now, id);
        self.asked.insert(id, Asked { place, port, aborted: false, passes: false });
        if port.is_none() {
            let onward = self.paths.wait_for_path(cx, id, self.fail_over);
            self.go(cx, id, onward);
        }
        id
    }

    /// Begins a part of a request, which has been forked: the part is in this segment of the component until it is sent by
    /// [`ChildRequests::send_child`].
    pub fn begin_child(
        &mut self,
        cx: &mut Context<'_>,
        parent: RequestId,
        place: u32,
        operation: Operation,
        bytes: Range<u64>,
        segment: usize,
    ) -> RequestId {
        let part = self.request(*cx.request(parent), place, operation, &bytes);
        let id = cx.child_requests().begin_child(parent, part, segment);
        self.asked.insert(id, Asked { place, port: None, aborted: false, passes: false });
        id
    }

    /// Begins a child request after another child request, which is done and not closed yet ([`ChildRequests::close_next_done`]). The begun
    /// child request is in this segment of the component until [`ChildRequests::send_child`] sends it.
    pub fn begin_child_after_sibling(
        &mut self,
        cx: &mut Context<'_>,
        (parent, other): (RequestId, RequestId),
        place: u32,
        operation: Operation,
        bytes: Range<u64>,
        segment: usize,
    ) -> RequestId {
        let part = self.request(*cx.request(parent), place, operation, &bytes);
        let id = cx.child_requests().begin_child_after_sibling(parent, part, segment, other);
        self.asked.insert(id, Asked { place, port: None, aborted: false, passes: false });
        id
    }

    /// Sends a child request that has begun.
    pub fn send_child(&mut self, cx: &mut Context<'_>, part: RequestId) {
        let onward = self.paths.decide_path(cx, part, self.fail_over);
        self.go(cx, part, onward);
    }

    /// Sends a request that the component makes for itself, in the background.
    pub fn ask_device_in_background(
        &mut self,
        cx: &mut Context<'_>,
        number: u64,
        place: u32,
        operation: Operation,
        bytes: Range<u64>,
    ) -> Option<RequestId> {
        let wanted = Request::background_request(number, operation, self.devices[place as usize], &bytes);
        let port = self.paths.choose_port(cx.now, &wanted)?;
        let id = cx.ask(port, wanted);
        self.paths.request_sent(cx.now, id);
        self.asked.insert(id, Asked { place, port: Some(port), aborted: false, passes: false });
        Some(id)
    }

    /// Sends a read that the component makes for itself and that does not keep the run going ([`BackgroundHandle::ask_detached`]).
    pub fn read_detached(
        &mut self,
        cx: &mut Context<'_>,
        number: u64,
        place: u32,
        bytes: Range<u64>,
    ) -> Option<RequestId> {
        let wanted =
            Request::background_request(number, Operation::Read, self.devices[place as usize], &bytes);
        let port = self.paths.choose_port(cx.now, &wanted)?;
        let id = cx.background_requests().ask_detached(port, wanted);
        self.paths.request_sent(cx.now, id);
        self.asked.insert(id, Asked { place, port: Some(port), aborted: false, passes: true });
        Some(id)
    }

    /// Sends a child request by the port that the path policy has chosen.
    fn go(&mut self, cx: &mut Context<'_>, part: RequestId, onward: PathDecision) {
        match onward {
            PathDecision::By(port) => {
                if let Some(asked) = self.asked.get_mut(&part) {
                    asked.port = Some(port);
                }
                self.paths.request_sent(cx.now, part);
                cx.pass_request_on(port, part);
            }
            PathDecision::Waits => {}
            PathDecision::NoWay => self.done.push_back((part, Status::Failed)),
        }
    }

    /// Sends the child requests that waited for a path and now have one.
    fn go_on(&mut self, cx: &mut Context<'_>) {
        while let Some((part, onward)) = self.paths.next_ready_request(cx, self.fail_over) {
            self.go(cx, part, onward);
        }
    }

    /// Handles a message at a port by which the component sends child requests. Returns whether the message belonged to one of these child
    /// requests.
    pub fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) -> bool {
        match message {
            Message::WriteCredit(part, _) | Message::ReadDataUpTo(part, _)
                if self.asked.contains_key(&part) =>
            {
                cx.move_through_memory(port, message);
                true
            }
            Message::Done(part, status) if self.asked.contains_key(&part) => {
                self.comes_back(cx, port, part, status);
                true
            }
            _ => false,
        }
    }

    fn comes_back(&mut self, cx: &mut Context<'_>, port: u16, part: RequestId, status: Status) {
        self.paths.request_answered(cx, part, port);
        let Some(asked) = self.asked.get_mut(&part) else { return };
        // The component at the other end is done with the child request in any case.
        cx.send(port, Message::Release(part));
        asked.port = None;
        if status != Status::Unreachable {
            self.done.push_back((part, status));
        } else if asked.aborted {
            self.done.push_back((part, Status::Aborted));
        } else {
            let onward = self.paths.path_failed(cx, part, port, self.fail_over);
            self.go(cx, part, onward);
        }
    }

    /// The next child request that is done, with its status, before it is closed: the component may now begin further child requests after
    /// it ([`ChildRequests::begin_child_after_sibling`]). [`ChildRequests::close_next_done`] closes it.
    pub fn next_done_child(&self) -> Option<(RequestId, Status)> {
        self.done.front().copied()
    }

    /// Closes the next part that is done.
    pub fn close_next_done(&mut self, cx: &mut Context<'_>) -> Option<CompletedChild> {
        let (part, status) = self.done.pop_front()?;
        let asked = self.asked.remove(&part)?;
        let returned = if asked.passes {
            cx.background_requests().close_detached(part, status)
        } else {
            cx.close_request(part, status)
        };
        Some(CompletedChild { part, place: asked.place, status, returned })
    }

    /// Aborts a child request; the aborted request is still answered with a status.
    pub fn abort_child(&mut self, cx: &mut Context<'_>, part: RequestId) {
        let Some(asked) = self.asked.get_mut(&part) else { return };
        if asked.aborted || self.done.iter().any(|&(done, _)| done == part) {
            return;
        }
        asked.aborted = true;
        match asked.port {
            Some(port) => cx.send(port, Message::Abort(part)),
            None => {
                self.paths.drop_waiting_request(part);
                self.done.push_back((part, Status::Aborted));
            }
        }
    }

    /// A timer of the path choice is due.
    pub fn handle_due_timer(&mut self, cx: &mut Context<'_>) {
        self.paths.handle_due_timer(cx);
        self.go_on(cx);
    }

    /// Applies a failure or a repair of the scenario to a path.
    pub fn apply_action(&mut self, cx: &mut Context<'_>, action: Action) {
        self.paths.apply_action(cx, action);
        self.go_on(cx);
    }

    /// The reason why child requests cannot go on, at the end of a run.
    pub fn stuck_reason(&self) -> Option<String> {
        self.paths.stuck_reason()
    }
}
