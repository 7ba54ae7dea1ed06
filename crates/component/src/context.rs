//! What a component may do while it reacts.

mod without_events;

use crate::bus::segment as bus_segment;
use crate::error_log::{ErrorCounts, TimeOut};
use crate::message::Message;
use crate::network::segment;
use crate::show::{Shown, Sight};
use crate::site::{ComponentId, Site, Timer, Turn};
use crate::surroundings::{Shows, Surroundings};
use sansim_kernel::{EventKey, Span, Time};
use sansim_request::{Cause, Joined, Line, Loss, Request, RequestId, Requests, Returned, Status};

/// The time, and everything that a component can do.
///
/// Segments are named by their number in the catalogue of the component that they belong to.
pub struct Context<'a> {
    /// The present.
    pub now: Time,
    me: ComponentId,
    site: Site,
    around: &'a mut Surroundings,
}

impl<'a> Context<'a> {
    /// For a component that reacts now.
    #[inline]
    pub fn new(now: Time, me: ComponentId, around: &'a mut Surroundings) -> Self {
        Self { now, me, site: around.sites[me.index()], around }
    }

    /// Wakes the component, whatever happens until then.
    #[inline]
    pub fn wake(&mut self, at: Time, turn: Turn, timer: Timer) {
        let order = turn.order(self.site.rank, timer);
        self.around.calendar.schedule(at, order, (self.me, timer));
    }

    /// Wakes the component, unless what this returns is given to [`Context::cancel`] before.
    #[inline]
    pub fn wake_cancellable(&mut self, at: Time, turn: Turn, timer: Timer) -> EventKey {
        let order = turn.order(self.site.rank, timer);
        self.around.calendar.schedule_cancellable(at, order, (self.me, timer))
    }

    /// The same for something that does not keep the run going: when all that workloads ask for has come back it does not happen any more.
    pub fn wake_aside(&mut self, at: Time, turn: Turn, timer: Timer) -> EventKey {
        let key = self.wake_cancellable(at, turn, timer);
        self.around.asides.push(key);
        key
    }

    /// A device that this component presents has failed, by its number in the system: all who may ask it are told at this moment
    /// ([`Action::DeviceFails`](crate::Action::DeviceFails)).
    pub fn device_fails(&mut self, device: u32) {
        self.around.failed_devices.push(device);
    }

    /// Does not wake it after all. Returns false if it has been already.
    pub fn cancel(&mut self, event: EventKey) -> bool {
        self.around.calendar.cancel(event)
    }

    /// The component cannot go on and never will: the run is ended before long, and its [`fault`](crate::Component::fault) says why.
    pub fn give_up(&mut self) {
        self.around.given_up = true;
    }

    /// Sends by a port. It arrives at this instant, after what was sent before.
    #[inline]
    pub fn send(&mut self, port: u16, message: Message) {
        self.around.send(&self.site, port, message);
    }

    /// Whether anything is joined to a port.
    pub fn is_joined(&self, port: u16) -> bool {
        self.around.peer(&self.site, port).is_some()
    }

    // Requests.

    /// What is asked for.
    #[inline]
    pub fn request(&self, id: RequestId) -> &Request {
        self.around.requests.get(id)
    }

    /// All requests.
    pub fn requests(&mut self) -> &mut Requests {
        &mut self.around.requests
    }

    /// Asks for something by a port. The request waits at whoever serves there, and has to be closed when it is done.
    pub fn ask(&mut self, port: u16, request: Request) -> RequestId {
        let line = self.first_line_at(port);
        let id = self.around.requests.open(self.now, request, line);
        self.around.sources.background += u64::from(request.origin.background);
        self.show_issued(id, line);
        self.send(port, Message::Request(id, self.now));
        id
    }

    /// The same for something in the background that does not keep the run going: the component sees to it that it ends when
    /// [`Context::nobody_asks`], and closes it by [`Context::close_passing`].
    pub fn ask_passing(&mut self, port: u16, request: Request) -> RequestId {
        debug_assert!(request.origin.background);
        self.around.sources.passing += 1;
        self.ask(port, request)
    }

    /// The same for a request that somebody has wanted since an earlier time: until now it was in a segment of this component.
    pub fn ask_since(&mut self, port: u16, since: Time, segment: usize, request: Request) -> RequestId {
        if since >= self.now {
            return self.ask(port, request);
        }
        let (waited, line) = (self.line(segment), self.first_line_at(port));
        let id = self.around.requests.open(since, request, waited);
        self.around.requests.enter(self.now, id, line);
        self.around.requests.tell(self.now, id, line);
        self.around.sources.background += u64::from(request.origin.background);
        self.show_issued(id, line);
        self.send(port, Message::Request(id, self.now));
        id
    }

    /// From now on the children of a request have it, until so many of them are done. They are asked for next.
    pub fn fork(&mut self, parent: RequestId, awaits: u16) {
        self.around.requests.fork(parent, awaits);
    }

    /// A request that its children have waits for so many more of them: those that are asked for next.
    pub fn await_more(&mut self, parent: RequestId, more: u16) {
        self.around.requests.await_more(parent, more);
    }

    /// Begins something that this component wants for itself in the background and asks nobody for as a whole: it is in this segment
    /// until it is closed.
    pub fn begin_in_background(&mut self, request: Request, segment: usize) -> RequestId {
        let line = self.line(segment);
        let id = self.around.requests.open(self.now, request, line);
        self.around.sources.background += u64::from(request.origin.background);
        self.show_issued(id, line);
        id
    }

    /// Begins something of this component that is no request to anybody and does not keep the run going: the component ends it as soon as
    /// [`Context::nobody_asks`].
    pub fn begin_aside(&mut self, request: Request, segment: usize) -> RequestId {
        let line = self.line(segment);
        self.around.requests.open(self.now, request, line)
    }

    /// It is over. What of it is still under way has to have been kept.
    pub fn end_aside(&mut self, id: RequestId) {
        self.around.requests.close(self.now, id);
    }

    /// Whether all that workloads may ask for has come back to them.
    pub fn nobody_asks(&self) -> bool {
        self.around.sources.is_over
    }

    /// Asks for a part of a request by a port.
    pub fn ask_child(&mut self, port: u16, parent: RequestId, request: Request) -> RequestId {
        let line = self.first_line_at(port);
        let id = self.around.requests.open_child(self.now, parent, request, line);
        self.show_issued(id, line);
        self.send(port, Message::Request(id, self.now));
        id
    }

    /// The same for a part that cannot be asked for yet: it waits in a segment of this component.
    pub fn begin_child(&mut self, parent: RequestId, request: Request, segment: usize) -> RequestId {
        let line = self.line(segment);
        let id = self.around.requests.open_child(self.now, parent, request, line);
        self.show_issued(id, line);
        id
    }

    /// The same for a part that comes behind another one, which is done just now and not closed yet: the time of that is on its way.
    pub fn begin_child_behind(
        &mut self,
        parent: RequestId,
        request: Request,
        segment: usize,
        other: RequestId,
    ) -> RequestId {
        let line = self.line(segment);
        let id = self.around.requests.open_child_behind(self.now, parent, request, line, other);
        self.show_issued(id, line);
        id
    }

    /// A request waits for a child of another one, asked for just now: both were merged into it.
    pub fn wait_for(&mut self, id: RequestId) {
        self.around.requests.wait_for(id);
    }

    /// The child that a request waited for beside the child's parent has been closed just now.
    pub fn satisfied(&mut self, id: RequestId, child: RequestId) {
        let went_on = self.around.requests.satisfied(self.now, id, child);
        if self.around.shows.requests {
            self.show(self.now, Sight::Joined(id, child));
            if let Some(line) = went_on {
                self.show(self.now, Sight::Enters(id, line));
            }
        }
    }

    /// A request of this component, which was in a segment of it until now, is asked for by a port.
    pub fn pass_on(&mut self, port: u16, id: RequestId) {
        let line = self.first_line_at(port);
        let moved = self.around.requests.tell(self.now, id, line);
        self.note(moved, id);
        self.send(port, Message::Request(id, self.now));
    }

    /// The number of the next request of a source; none if there are to be no more.
    pub fn issue_number(&mut self) -> Option<u64> {
        self.around.sources.issue()
    }

    /// A request that this component asked for has come back to it.
    pub fn close(&mut self, id: RequestId, status: Status) -> Returned {
        let returned = self.around.requests.close(self.now, id);
        if returned.request.parent.is_none() {
            self.around.sources.background_done += u64::from(returned.request.origin.background);
            self.around.returned.push((id, returned, status));
        }
        if self.around.shows.requests {
            self.show(self.now, Sight::Completed(id));
            if let Joined::Satisfied(parent, went_on) = returned.joined {
                self.show(self.now, Sight::Joined(parent, id));
                if let Some(line) = went_on {
                    self.show(self.now, Sight::Enters(parent, line));
                }
            }
        }
        returned
    }

    /// The same for what was asked for by [`Context::ask_passing`].
    pub fn close_passing(&mut self, id: RequestId, status: Status) -> Returned {
        self.around.sources.passing -= 1;
        self.close(id, status)
    }

    fn show_issued(&mut self, id: RequestId, line: Line) {
        if self.around.shows.requests {
            self.show(self.now, Sight::Issued(id, line));
        }
    }

    /// Keeps the record of a request: an exchange is open for it.
    #[inline]
    pub fn keep(&mut self, id: RequestId) {
        self.around.requests.keep(id);
    }

    /// Keeps it no more.
    #[inline]
    pub fn release(&mut self, id: RequestId) {
        self.around.requests.release(id);
    }

    /// Answers a request.
    pub fn answer(&mut self, port: u16, id: RequestId, status: Status) {
        self.send(port, Message::Done(id, status));
    }

    /// Answers a request whose data were moved by way of the memory of this component: those of a read that succeeded go first.
    pub fn answer_from_memory(&mut self, port: u16, id: RequestId, status: Status) {
        let request = self.request(id);
        if !request.is_write() && status == Status::Good {
            let bytes = request.bytes;
            self.send(port, Message::DataOut(id, bytes));
        }
        self.answer(port, id, status);
    }

    /// What the memory of this component says to what a server tells of its data: it takes them, and gives those for which there is
    /// room, at once.
    #[inline]
    pub fn move_by_memory(&mut self, port: u16, told: Message) {
        match told {
            Message::Room(request, upto) => self.send(port, Message::DataIn(request, upto)),
            Message::DataOut(request, upto) => self.send(port, Message::Taken(request, upto)),
            _ => {}
        }
    }

    // The ledger.

    /// The request is in a segment of this component.
    #[inline]
    pub fn enter(&mut self, id: RequestId, segment: usize) {
        let line = self.line(segment);
        let moved = self.around.requests.enter(self.now, id, line);
        self.note(moved, id);
    }

    /// It is held in a segment of this component for data that are to come.
    #[inline]
    pub fn hold(&mut self, id: RequestId, segment: usize) {
        let line = self.line(segment);
        let moved = self.around.requests.hold(self.now, id, line);
        self.note(moved, id);
    }

    /// In hindsight: of the time since it is in a segment of this component, so much at its beginning was spent in another one. Nobody who watches is
    /// shown that.
    pub fn was(&mut self, id: RequestId, segment: usize, other: usize, spent: Span) {
        let (line, other) = (self.line(segment), self.line(other));
        self.around.requests.was(self.now, id, line, other, spent);
    }

    /// It is in a segment of this component, or what follows its frames is, if some are under way.
    #[inline]
    pub fn tell(&mut self, id: RequestId, segment: usize) {
        let line = self.line(segment);
        let moved = self.around.requests.tell(self.now, id, line);
        self.note(moved, id);
    }

    /// The same for data on their way into frames: it stays where it is held for them.
    #[inline]
    pub fn prepare(&mut self, id: RequestId, segment: usize) {
        let line = self.line(segment);
        let moved = self.around.requests.prepare(self.now, id, line);
        self.note(moved, id);
    }

    /// The same for data that wait for the bus at a port.
    pub fn prepare_waits(&mut self, port: u16, id: RequestId) {
        let line = self.line_at(port, bus_segment::QUEUE);
        let moved = self.around.requests.prepare(self.now, id, line);
        self.note(moved, id);
    }

    /// What follows its frames waits in the queue of the network at a port.
    #[inline]
    pub fn tell_queued(&mut self, port: u16, id: RequestId) {
        let line = self.line_at(port, segment::QUEUE);
        let moved = self.around.requests.tell(self.now, id, line);
        self.note(moved, id);
    }

    /// It waits for the network at a port.
    pub fn tell_waits(&mut self, port: u16, id: RequestId) {
        let line = self.line_at(port, segment::WAITS);
        let moved = self.around.requests.tell(self.now, id, line);
        self.note(moved, id);
    }

    /// It waits for the server at a port to provide its next data.
    pub fn tell_provided(&mut self, port: u16, id: RequestId) {
        let line = self.around.peer(&self.site, port);
        let line = line.map_or(Line(0), |end| Line(self.around.sites[end.component.index()].provides));
        let moved = self.around.requests.tell(self.now, id, line);
        self.note(moved, id);
    }

    /// What followed its frames is where it was told to be, now that the last has come in.
    #[inline]
    pub fn tell_again(&mut self, id: RequestId) {
        let moved = self.around.requests.tell_again(self.now, id);
        self.note(moved, id);
    }

    /// A frame of it is given to the network at a port.
    #[inline]
    pub fn frame_queued(&mut self, port: u16, id: RequestId) {
        let line = self.line_at(port, segment::QUEUE);
        let moved = self.around.requests.frame_queued(self.now, id, line);
        self.note(moved, id);
    }

    /// A frame of it that came by another network is given to the one at a port.
    pub fn frame_crosses(&mut self, port: u16, id: RequestId) {
        let line = self.line_at(port, segment::QUEUE);
        let moved = self.around.requests.enter(self.now, id, line);
        self.note(moved, id);
    }

    /// A frame of it has been taken from the network.
    #[inline]
    pub fn frame_taken(&mut self, id: RequestId) {
        self.around.requests.frame_taken(id);
    }

    /// For a network: the first word of a frame of it is on the wire.
    #[inline]
    pub fn frame_leaves(&mut self, id: RequestId) {
        self.around.requests.frame_leaves(id);
    }

    /// For a network: the last word of a frame of it is in. `wire` and `queue` are segments of the network.
    #[inline]
    pub fn frame_arrives(&mut self, id: RequestId, wire: usize, queue: usize) {
        let (wire, queue) = (self.line(wire), self.line(queue));
        let moved = self.around.requests.frame_arrives(self.now, id, wire, queue);
        self.note(moved, id);
    }

    /// Shows in which line a request is, if it has entered it just now.
    #[inline]
    fn note(&mut self, moved: bool, id: RequestId) {
        if moved && self.around.shows.requests {
            self.show_line(id);
        }
    }

    /// Out of line, because hardly any run is watched.
    #[cold]
    fn show_line(&mut self, id: RequestId) {
        let line = self.around.requests.line(id);
        self.show(self.now, Sight::Enters(id, line));
    }

    #[inline]
    fn line(&self, segment: usize) -> Line {
        Line(self.site.first_line + segment as u32)
    }

    /// A segment of whoever is at the other end of a port.
    fn line_at(&self, port: u16, segment: usize) -> Line {
        let end = self.around.peer(&self.site, port);
        end.map_or(Line(0), |end| Line(self.around.sites[end.component.index()].first_line + segment as u32))
    }

    fn first_line_at(&self, port: u16) -> Line {
        self.line_at(port, 0)
    }

    // What goes wrong.

    /// A request is in a segment of this component whatever others tell of it, until [`Context::let_go`].
    pub fn keep_in(&mut self, id: RequestId, segment: usize) {
        let line = self.line(segment);
        let moved = self.around.requests.keep_in(self.now, id, line);
        self.note(moved, id);
    }

    /// It is where others tell again.
    pub fn let_go(&mut self, id: RequestId) {
        self.around.requests.let_go(id);
    }

    /// A request gets no answer, because of something at this component. Nobody goes by that but who tells people.
    pub fn lose(&mut self, id: RequestId, cause: Cause) {
        self.around.requests.lose(id, Loss { component: self.me.0, cause });
        if cause == Cause::FrameLost {
            self.around.errors.frame_lost(self.me);
        }
    }

    /// What this host has met with so far.
    pub fn errors(&mut self) -> &mut ErrorCounts {
        self.around.errors.of(self.me)
    }

    /// A request that this host passed on at a time, for the how manieth time, timed out. `told` is what is said of it.
    pub fn timed_out(&mut self, id: RequestId, told: Request, since: Time, attempt: u32) {
        let (line, loss) = self.around.requests.whereabouts(id);
        let time_out = TimeOut { at: self.now, host: self.me, request: told, attempt, since, line, loss };
        self.around.errors.timed_out(time_out);
    }

    // Showing.

    /// What is wanted to be seen.
    #[inline]
    pub fn shows(&self) -> Shows {
        self.around.shows
    }

    /// Shows something to observers, at this time or a later one.
    pub fn show(&mut self, at: Time, what: Sight) {
        self.around.shown.push(Shown { at, component: self.me, what });
    }
}
