//! How a circuit ends: CLS, DHD, TRANSFER.
//!
//! Sources: `crates/fc/src/loop_port/state.rs` and `signalling.rs`.

use super::account::Carried;
use super::circuit::{Circuit, Tenancy};
use super::{CircuitLoop, wake, what};
use sansim_component::{Context, Message};
use sansim_fc::al_pa::AlPa;
use sansim_fc::loop_port::signalling::{FILL_BEFORE_CLOSE, FILL_BEFORE_READY};
use sansim_kernel::Time;

impl CircuitLoop {
    /// Whether the owner goes on to its next circuit without arbitrating.
    fn keeps_loop(&self, owner: usize, tenancy: Tenancy) -> bool {
        let port = &self.ports[owner];
        let first =
            port.schedule.command_first_preemption && (port.is_unfair() || tenancy.interrupted.is_some());
        port.queued() > 0 && tenancy.allowance > 0 && (!port.schedule.is_fair() || first)
    }

    pub(super) fn shall_relinquish(&self) -> bool {
        self.circuit.as_ref().is_some_and(|circuit| {
            circuit.is_dynamic
                && !circuit.relinquished
                && circuit.tenancy.allowance > 0
                && !self.ports[circuit.owner].is_preempted(self.al_pas[circuit.other])
                && !self.keeps_loop(circuit.owner, circuit.tenancy)
        })
    }

    /// The owner sends DHD: the other end sends what it has and closes.
    pub(super) fn relinquish(&mut self, cx: &mut Context<'_>) {
        let Some(circuit) = &mut self.circuit else { return };
        circuit.relinquished = true;
        let (owner, other) = (circuit.owner, circuit.other);
        let there = self.geometry.distance(owner, other);
        let ready = self.words(1 + FILL_BEFORE_READY);
        // It has been opened for long, so that no gap is left to be kept.
        let back = self.direction(other, owner, cx.now + there + self.word, cx.now + ready + there);
        if let Some(circuit) = &mut self.circuit
            && circuit.directions[1].is_none()
        {
            circuit.directions[1] = Some(back);
        }
        let is_idle = self.of(1).is_some_and(|back| !back.is_due && back.current.is_none());
        if is_idle && !self.go_on(cx, 1) {
            if let Some(back) = self.of(1) {
                back.stream.earliest = back.stream.earliest.max(cx.now);
            }
            self.look_again(cx, 1);
        }
    }

    /// The owner sends CLS. The other end answers when it has sent what it has been given R_RDYs for.
    pub(super) fn close(&mut self, cx: &mut Context<'_>) {
        let Some(circuit) = &mut self.circuit else { return };
        let (owner, other) = (circuit.owner, circuit.other);
        let heard = cx.now + self.geometry.distance(owner, other) + self.word;
        circuit.heard = Some(heard);
        let preempted = self.ports[owner].is_preempted(self.al_pas[other]);
        let peer = self.al_pas[other];
        let left = self.ports[owner].frames.front();
        if preempted && left.is_some_and(|item| AlPa::of(item.frame.destination) == peer) {
            circuit.tenancy.interrupted = Some(other);
        }
        let Some(back) = self.circuit.as_ref().and_then(|circuit| circuit.directions[1].as_ref()) else {
            self.answer(cx, heard);
            return;
        };
        let (is_due, way) = (back.is_due, self.geometry.distance(other, owner));
        let Some(current) = &back.current else {
            if !is_due {
                // It may still have something to send before CLS comes in.
                wake(cx, heard, what::MAY_SEND, other, 1);
            }
            return;
        };
        let rules = self.rules(other, owner);
        let seen = Time(cx.now.ticks().saturating_sub((way + rules.take).ticks()));
        let processed = current.before.sent + current.run.sent_by(seen);
        let promised = rules.login.max(rules.buffers + processed) - current.before.sent;
        let frames = promised.max(current.run.started_by(heard));
        self.cut(cx, 1, frames);
    }

    /// When the other end can answer CLS: not while it has R_RDYs to send that hold back CLS, or frames in buffers that it has promised.
    fn may_answer(&self, circuit: &Circuit, heard: Time) -> Time {
        let Some(sends) = &circuit.directions[0] else { return heard };
        let (Some(last), port) = (sends.last, &self.ports[circuit.other].parameters) else { return heard };
        let rules = self.rules(circuit.owner, circuit.other);
        let there = self.geometry.distance(circuit.owner, circuit.other);
        let processed = |frame: u64| last.end_of(frame) + there + rules.take;
        let behind_ready = self.words(1 + FILL_BEFORE_CLOSE);
        let every = self.words(1 + FILL_BEFORE_READY);
        let came = heard.saturating_since(circuit.opened + self.word);
        let ready = rules.buffers.min(came.ticks() / every.ticks());
        let mut at = heard.max(circuit.opened + every * ready + behind_ready);
        let all = processed(last.frames - 1);
        if all < heard || port.close_after_frames {
            at = at.max(all + behind_ready);
        }
        let kept = rules.buffers - rules.login;
        if rules.login > 0 && kept < last.frames {
            at = at.max(processed(last.frames - 1 - kept));
        }
        at
    }

    /// The other end answers CLS, and the owner leaves the loop.
    pub(super) fn answer(&mut self, cx: &mut Context<'_>, heard: Time) {
        let Some(circuit) = &self.circuit else { return };
        let closes = self.may_answer(circuit, heard);
        let leaves = closes + self.geometry.distance(circuit.other, circuit.owner) + self.word;
        self.over(cx, leaves, closes + self.word);
    }

    /// The other end closes first, after DHD, and the owner answers.
    pub(super) fn close_first(&mut self, cx: &mut Context<'_>) {
        let Some(circuit) = &self.circuit else { return };
        let (owner, other) = (circuit.owner, circuit.other);
        let answers = cx.now + self.geometry.distance(other, owner) + self.word;
        self.over(cx, answers + self.word, answers + self.geometry.distance(owner, other) + self.word);
    }

    /// The owner leaves the loop at a time, and the other end the circuit.
    fn over(&mut self, cx: &mut Context<'_>, leaves: Time, other_leaves: Time) {
        let Some(circuit) = self.circuit.take() else { return };
        let Circuit { begin, owner, other, tenancy, .. } = circuit;
        let keeps = self.keeps_loop(owner, tenancy);
        let until = if keeps { Time(leaves.ticks() - self.word.ticks()) } else { leaves };
        let carried = circuit.directions.map(|direction| {
            direction.map_or(Carried::default(), |mut direction| {
                direction.pass();
                direction.carried
            })
        });
        self.account.ends(until - begin, &carried);
        self.turns.left((owner, leaves), (other, other_leaves));
        for port in [owner, other] {
            cx.send(port as u16, Message::CircuitEnded);
            self.note(cx.now, port);
            self.tell_head(cx, port);
        }
        if keeps {
            self.transfer = Some(tenancy);
            wake(cx, until, what::TRANSFER, owner, 0);
        } else {
            self.plan(cx);
        }
    }
}
