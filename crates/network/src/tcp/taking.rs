//! The receiver of a TCP connection: interrupts, the software that handles frames, acknowledgements, messages.

use super::{EthernetFrame, Frames, Message, TcpEndpoints, Timers, back, request_of, segment, timer};
use sansim_component::context::UnitStep;
use sansim_component::{Context, ObservableKind, ProcessorWork, ProcessorWorkKind};
use sansim_kernel::Span;
use sansim_pdu::PortSight;
use sansim_request::RequestId;
use sansim_tcp::costs::{SoftwareJob, TcpSegment};
use sansim_tcp::stream::{Acknowledgement, AcknowledgementTiming, SenderReaction};

impl TcpEndpoints {
    /// A frame has arrived at a node.
    pub(crate) fn arrived(&mut self, cx: &mut Context<'_>, frames: &mut Frames, arrived: EthernetFrame) {
        let mut frame = self.segments.over(arrived.tag).segment;
        frame.is_marked = arrived.is_marked;
        let number = usize::from(arrived.to);
        let node = &mut self.nodes[number];
        node.gathered.push_back(frame);
        if node.gathered.len() >= node.costs.frames as usize {
            self.gathered(cx, frames, number);
        } else if node.gathering.is_none() {
            node.gathering = Some(cx.wake(cx.now + node.costs.waits, timer::GATHERED, number as u32));
        }
    }

    /// The adapter of a node interrupts for the frames that it has gathered.
    pub(super) fn gathered(&mut self, cx: &mut Context<'_>, frames: &mut Frames, number: usize) {
        let node = &mut self.nodes[number];
        if let Some(key) = node.gathering.take() {
            cx.cancel_timer(key);
        }
        // A node that polls is not interrupted, and finds each frame by itself.
        node.interrupts += u64::from(node.processors.is_none_or(|processors| !processors.poll));
        self.work(cx, frames, number, SoftwareJob::Interrupt);
        let most = self.nodes[number].costs.takes_in_one;
        // The bytes that the software takes in one so far, and the stream whose they are.
        let (mut begin, mut end, mut stream) = (0, 0, u32::MAX);
        while let Some(mut frame) = self.nodes[number].gathered.pop_front() {
            let continues = frame.stream == stream && frame.begin == end && frame.end - begin <= most;
            frame.is_joined = continues && !frame.is_bare_acknowledgement();
            if !frame.is_joined {
                (begin, stream) = (frame.begin, frame.stream);
            }
            end = frame.end;
            self.work(cx, frames, number, SoftwareJob::Take(frame));
        }
    }

    /// The software of a node gets one more job.
    pub(super) fn work(
        &mut self,
        cx: &mut Context<'_>,
        frames: &mut Frames,
        number: usize,
        job: SoftwareJob,
    ) {
        let node = &mut self.nodes[number];
        if !node.jobs.is_empty() {
            // An acknowledgement is placed in the queue where the frame was that it acknowledges.
            let is_ack = matches!(job, SoftwareJob::Send(frame) if frame.is_bare_acknowledgement());
            let place = if is_ack { 1 } else { node.jobs.len() };
            node.jobs.insert(place, job);
            return;
        }
        let takes = node.costs.job_time(job);
        if takes == Span::ZERO {
            self.done(cx, frames, number, job);
            return;
        }
        node.jobs.push_back(job);
        self.begin_job(cx, number, takes);
    }

    fn begin_job(&mut self, cx: &mut Context<'_>, number: usize, takes: Span) {
        let Some(processors) = self.nodes[number].processors else {
            let node = &mut self.nodes[number];
            let until = cx.now + takes;
            (node.job_until, node.worked) = (Some(until), node.worked + takes);
            cx.wake(until, timer::WORKED, number as u32);
            return;
        };
        let request = self.nodes[number].jobs.front().and_then(|&job| self.waits_for(cx, number, job));
        let work = ProcessorWork { request, time: takes, of: ProcessorWorkKind::Network(processors.card) };
        cx.send(processors.port, Message::Work(work));
    }

    /// The request that waits only for the next job of the software of a node, if there is one: its first bytes are to be made a frame, or
    /// its last bytes are to be handled, or the interrupt for these bytes is.
    fn waits_for(&self, cx: &mut Context<'_>, number: usize, job: SoftwareJob) -> Option<RequestId> {
        match job {
            SoftwareJob::Send(frame) => {
                let stream = &self.connections.all[frame.stream as usize].stream;
                let first = stream.messages.get(stream.begun).filter(|first| first.begin == frame.begin)?;
                let request = request_of(&first.frame);
                (!frame.is_bare_acknowledgement() && cx.requests().frames_on_wire(request) == 0)
                    .then_some(request)
            }
            SoftwareJob::Take(frame) => {
                let stream = &self.connections.all[frame.stream as usize].stream;
                let is_next = frame.begin <= stream.received && !frame.is_bare_acknowledgement();
                let whole = || stream.messages.iter().take_while(|message| message.end <= frame.end);
                let request = request_of(&whole().filter(|_| is_next).last()?.frame);
                let of_it = whole().filter(|message| request_of(&message.frame) == request).count();
                (cx.requests().frames_on_wire(request) as usize == of_it).then_some(request)
            }
            SoftwareJob::Interrupt => {
                let node = &self.nodes[number];
                let brought = match node.jobs.get(1) {
                    Some(&SoftwareJob::Take(frame)) => frame,
                    _ => *node.gathered.front()?,
                };
                self.waits_for(cx, number, SoftwareJob::Take(brought))
            }
        }
    }

    /// Processors have done the current job of the software of a node.
    pub(super) fn was_worked(
        &mut self,
        cx: &mut Context<'_>,
        frames: &mut Frames,
        port: u16,
        work: ProcessorWork,
    ) {
        let behind = usize::from(port).checked_sub(self.nodes.len());
        let Some(&number) = behind.and_then(|place| self.at_processors.get(place)) else { return };
        let number = usize::from(number);
        let node = &mut self.nodes[number];
        node.worked += work.time;
        // The next stage of the request, unless its frame is sent on the link at once.
        let next = match node.jobs.front() {
            Some(SoftwareJob::Take(_) | SoftwareJob::Interrupt) => Some(segment::UNDER_WAY),
            Some(SoftwareJob::Send(_)) if node.sending != 0 => Some(segment::QUEUE),
            _ => None,
        };
        if let Some((request, segment)) = work.request.zip(next) {
            cx.ledger().enter_segment(request, segment);
        }
        self.worked(cx, frames, number);
    }

    /// Ends a job of the software of a node, and begins the next.
    pub(super) fn worked(&mut self, cx: &mut Context<'_>, frames: &mut Frames, number: usize) {
        self.nodes[number].job_until = None;
        // The job that is done stays in the queue until the jobs that follow from it are in the queue, too.
        let Some(&job) = self.nodes[number].jobs.front() else { return };
        self.done(cx, frames, number, job);
        self.nodes[number].jobs.pop_front();
        while let Some(&job) = self.nodes[number].jobs.front() {
            let takes = self.nodes[number].costs.job_time(job);
            if takes > Span::ZERO {
                self.begin_job(cx, number, takes);
                return;
            }
            self.done(cx, frames, number, job);
            self.nodes[number].jobs.pop_front();
        }
    }

    fn done(&mut self, cx: &mut Context<'_>, frames: &mut Frames, number: usize, job: SoftwareJob) {
        match job {
            SoftwareJob::Interrupt => {}
            SoftwareJob::Send(frame) => self.put_on_link(cx, frames, number, frame),
            SoftwareJob::Take(frame) => self.take(cx, frames, frame),
        }
    }

    /// The software of the receiver handles a frame.
    fn take(&mut self, cx: &mut Context<'_>, frames: &mut Frames, frame: TcpSegment) {
        let stream = frame.stream as usize;
        self.acknowledged(cx, frames, back(stream), frame);
        if frame.is_bare_acknowledgement() {
            return;
        }
        if self.connections.all[stream].stream.echo_changes(&self.rules, frame.is_marked) {
            self.acknowledges(cx, frames, stream);
        }
        self.connections.all[stream].stream.mark_arrived(&self.rules, frame.is_marked, frame.reduced);
        let answer = self.connections.all[stream].stream.data_arrived(&self.rules, frame.begin, frame.end);
        self.deliver(cx, stream);
        if answer == AcknowledgementTiming::Now {
            self.acknowledges(cx, frames, stream);
            return;
        }
        let one_way = &mut self.connections.all[stream];
        if one_way.delayed.is_none() && one_way.stream.owes_acknowledgement() {
            let at = cx.now + self.keys.delayed_ack;
            one_way.delayed = Some(cx.wake(at, timer::ACKNOWLEDGES, stream as u32));
        }
    }

    /// Hands over the messages that have arrived completely.
    fn deliver(&mut self, cx: &mut Context<'_>, stream: usize) {
        let to = self.connections.all[stream].to;
        if cx.wanted_sights().ports {
            let taken =
                PortSight::TookFromStream(stream as u32, self.connections.all[stream].stream.received);
            cx.report_observation(cx.now, ObservableKind::Port(to, taken));
        }
        while let Some(message) = self.connections.all[stream].stream.next_complete_message() {
            self.counts.delivered += 1;
            self.counts.bytes += message.end - message.begin;
            cx.ledger().advance_unit(
                request_of(&message.frame),
                UnitStep::Arrives { wire: segment::UNDER_WAY, queue: segment::QUEUE },
            );
            cx.send(to, Message::Received(message.frame));
        }
    }

    /// The sender of a stream gets an acknowledgement of the bytes that have arrived.
    fn acknowledged(&mut self, cx: &mut Context<'_>, frames: &mut Frames, stream: usize, frame: TcpSegment) {
        let one_way = &mut self.connections.all[stream];
        let ack = Acknowledgement {
            now: cx.now,
            upto: frame.ack,
            is_alone: frame.is_bare_acknowledgement(),
            echo: frame.echo,
            blocks: frame.blocks,
        };
        let done = one_way.stream.acknowledgement_arrived(&self.rules, &ack);
        match done {
            SenderReaction::Nothing => return,
            SenderReaction::MayBeMore => return self.send(cx, frames, stream),
            SenderReaction::More | SenderReaction::Missing(_) => {}
        }
        one_way.waits = one_way.stream.time_out(&self.rules);
        if let Some(key) = one_way.time_out.take() {
            cx.cancel_timer(key);
        }
        if !one_way.stream.is_all_acknowledged() {
            one_way.time_out = Some(cx.wake(cx.now + one_way.waits, timer::TIME_OUT, stream as u32));
        }
        self.send_again(cx, frames, stream, done);
        self.send(cx, frames, stream);
    }
}
