//! The use of the resources shared by the modules of a controller: jobs for the command of a request, for its data, and for its answer.

use super::{Controller, ControllerRole, InHand};
use sansim_component::{Context, Module, ModuleJob};
use sansim_request::{RequestId, Status};

impl Controller {
    /// Sends a job of a request to the resources. Returns whether the controller has resources.
    pub(super) fn asks_for(&mut self, cx: &mut Context<'_>, id: RequestId, module: Module) -> bool {
        let bytes = cx.request(id).data_bytes();
        self.asks_about(cx, id, module, bytes)
    }

    /// Sends a job of a request for this many bytes to the resources.
    pub(super) fn asks_about(
        &mut self,
        cx: &mut Context<'_>,
        id: RequestId,
        module: Module,
        bytes: u64,
    ) -> bool {
        let number = self.found_at(cx, id, module);
        let asks = self.inside.request_numbered_job(cx, id, module, bytes, number);
        if let Some(in_hand) = self.in_hand.get_mut(&id).filter(|_| asks) {
            in_hand.job = true;
        }
        asks
    }

    /// The module of a job: one for a controller that serves hosts, another for a controller behind other modules.
    fn module(&self, of_hosts: Module, internal: Module) -> Module {
        if self.stands == ControllerRole::BehindOthers { internal } else { of_hosts }
    }

    /// Sends the job for the command of a request.
    pub(super) fn asks_for_command(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        self.asks_for(cx, id, self.module(Module::Command, Module::InternalCommand))
    }

    /// Stores the data of a write in the memory, or with a controller behind others reads them from it; then a request that came to a
    /// controller that is not the owner is forwarded. Returns whether one of these steps has begun.
    pub(super) fn stores(&mut self, cx: &mut Context<'_>, id: RequestId) -> bool {
        let request = *cx.request(id);
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return false };
        if request.is_write() && !in_hand.stored {
            in_hand.stored = true;
            if self.asks_for(cx, id, self.module(Module::Data, Module::InternalData)) {
                return true;
            }
        }
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return false };
        if in_hand.foreign && !in_hand.forwarded {
            in_hand.forwarded = true;
            return self.asks_about(
                cx,
                id,
                Module::Link,
                if request.is_write() { request.data_bytes() } else { 0 },
            );
        }
        false
    }

    /// The child request of a request has come back.
    pub(super) fn is_back(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.behind = None;
            in_hand.status = Some(status);
        }
        if self.stands == ControllerRole::InBand {
            self.is_back_in_band(cx, id, status);
        } else if !self.asks_for(cx, id, self.module(Module::Completion, Module::InternalCompletion)) {
            self.answer(cx, id, status);
        }
    }

    /// The resources have finished a job.
    pub(super) fn job_done(&mut self, cx: &mut Context<'_>, job: &ModuleJob) {
        if let Some(id) = job.request
            && let Some(in_hand) = self.in_hand.get_mut(&id).filter(|in_hand| !in_hand.answered)
        {
            in_hand.job = false;
            if self.stands == ControllerRole::InBand {
                self.job_done_in_band(cx, id, job.module);
                self.inside.job_completed(cx, job);
                return;
            }
            let InHand { status, foreign, .. } = *in_hand;
            let is_data = matches!(job.module, Module::Data | Module::InternalData);
            let is_link = job.module == Module::Link;
            let request = *cx.request(id);
            let has_data = status == Some(Status::Good) && request.is_read();
            match status {
                // A forwarded request is sent back over the link before its data are sent.
                Some(_) if foreign && !is_data && !is_link => {
                    self.asks_about(cx, id, Module::Link, if has_data { request.data_bytes() } else { 0 });
                }
                Some(_) if has_data && !is_data => {
                    self.asks_for(cx, id, self.module(Module::Data, Module::InternalData));
                }
                Some(status) => self.answer(cx, id, status),
                None if is_data || is_link => self.pass_on(cx, id),
                None => self.taken(cx, id),
            }
        }
        self.inside.job_completed(cx, job);
    }
}
