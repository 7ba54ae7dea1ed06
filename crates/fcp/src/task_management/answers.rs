//! The target's end of task management: it has the devices stop commands, and answers when they have.

use crate::adapter::{BLOCK, Task};
use crate::exchange::{Exchange, ExchangeId};
use crate::target::Target;
use sansim_component::{Context, LeftoverFindings, Message};
use sansim_pdu::{Pdu, PduKind, task_management as code};
use sansim_request::{RequestId, Status};
use std::collections::BTreeMap;

/// A task management function that a target carries out.
#[derive(Clone, Debug)]
struct Function {
    /// FCP_CMND of the function.
    asked_by: Pdu,
    /// The requests that the devices have not stopped yet.
    to_stop: Vec<RequestId>,
}

/// The task management of a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct ManagedTasks {
    functions: Vec<Function>,
    /// The number of LOGICAL UNIT RESETs of each device.
    resets: BTreeMap<u32, u32>,
}

impl ManagedTasks {
    /// The number of LOGICAL UNIT RESETs of a device.
    pub(crate) fn resets_of(&self, device: u32) -> u32 {
        self.resets.get(&device).copied().unwrap_or(0)
    }

    pub(crate) fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("task management left without an answer", self.functions.len() as u64);
    }
}

impl Target {
    /// FCP_CMND with a task management flag has arrived.
    pub(crate) fn function_requested(&mut self, cx: &mut Context<'_>, frame: &Pdu) {
        let device = cx.request(RequestId(frame.tag.0)).device;
        let mut commands: Vec<(RequestId, ExchangeId)> =
            self.role.by_request.iter().map(|(&request, &id)| (request, id)).collect();
        commands.sort_unstable();
        let mut to_stop = Vec::new();
        for (request, id) in commands {
            let Exchange { peer, aborted, asked, answered, status_out, failed, managed, .. } =
                self.exchanges[id];
            let is_there = frame.status == code::TARGET_RESET || cx.request(request).device == device;
            let is_own = peer == frame.source;
            if !is_there || (frame.status == code::ABORT_TASK_SET && !is_own) {
                continue;
            }
            if aborted || managed {
                // The device has been asked before to stop it.
                if asked && !answered {
                    to_stop.push(request);
                }
            } else if !status_out && !answered && !failed && !self.responds_to(id) {
                (self.exchanges[id].managed, self.exchanges[id].silent) = (true, is_own);
                if asked {
                    to_stop.push(request);
                    cx.send(BLOCK, Message::Abort(request));
                }
            }
        }
        match frame.status {
            code::LOGICAL_UNIT_RESET => *self.role.managed.resets.entry(device).or_insert(0) += 1,
            code::TARGET_RESET => self.repairs += 1,
            _ => {}
        }
        // The record of the function is kept until it is answered.
        cx.keep_record(RequestId(frame.tag.0));
        self.role.managed.functions.push(Function { asked_by: *frame, to_stop });
        self.answer_functions(cx);
    }

    /// Whether FCP_RSP of an exchange is being made, or waits for the end of a circuit.
    fn responds_to(&self, id: ExchangeId) -> bool {
        let is_made = |task: &Task| matches!(*task, Task::Response(other) if other == id);
        self.processor.has_job(is_made) || self.role.held.contains(&id)
    }

    /// The device behind the target has answered a request.
    #[inline]
    pub(crate) fn task_ended(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if !self.role.managed.functions.is_empty() {
            let functions = self.role.managed.functions.iter_mut();
            functions.for_each(|function| function.to_stop.retain(|&other| other != request));
            self.answer_functions(cx);
        }
    }

    /// No function that is being carried out is answered any more.
    #[cold]
    pub(crate) fn drop_functions(&mut self, cx: &mut Context<'_>) {
        for Function { asked_by, .. } in std::mem::take(&mut self.role.managed.functions) {
            cx.release_record(RequestId(asked_by.tag.0));
        }
    }

    /// Answers the functions that are complete.
    #[cold]
    fn answer_functions(&mut self, cx: &mut Context<'_>) {
        let complete = |function: &mut Function| function.to_stop.is_empty();
        let complete: Vec<Function> = self.role.managed.functions.extract_if(.., complete).collect();
        for Function { asked_by, .. } in complete {
            let payload = self.rules.function_response_bytes.max(self.sizes.response_payload as usize);
            self.answer(cx, asked_by, PduKind::ServiceAccept, payload);
            cx.release_record(RequestId(asked_by.tag.0));
        }
    }

    /// A command that a function ends was not passed on to its device yet.
    #[cold]
    pub(crate) fn ends_unasked(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        (exchange.failed, exchange.answered, exchange.status) = (true, true, Status::Aborted);
        self.fail_when_quiet(cx, id);
    }

    /// The device of a command has stopped, and its initiator gets no status: the exchange waits for ABTS.
    #[cold]
    pub(crate) fn ends_silently(&mut self, cx: &mut Context<'_>, id: ExchangeId) {
        let exchange = &mut self.exchanges[id];
        if exchange.answered && std::mem::replace(&mut exchange.asked, false) {
            cx.send(BLOCK, Message::Release(exchange.request));
        }
    }
}
