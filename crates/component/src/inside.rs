//! The interface by which a module of a controller uses the controller's resources.

use crate::build_context::BuildContext;
use crate::context::Context;
use crate::message::Message;
use crate::module::{Module, ModuleJob};
use sansim_kernel::Span;
use sansim_request::RequestId;

/// The resources of the controller that contains a component; outside a controller no job exists and nothing needs time.
#[derive(Clone, Copy, Debug, Default)]
pub struct ControllerResources {
    port: Option<u16>,
}

impl ControllerResources {
    /// The resources of the component of this build context.
    pub fn new<R>(cx: &BuildContext<'_, R>) -> Self {
        Self { port: cx.uses.clone().next() }
    }

    /// The resources at this port.
    pub fn at_port(port: u16) -> Self {
        Self { port: Some(port) }
    }

    /// Whether the component is in a controller with resources.
    pub fn has_resources(self) -> bool {
        self.port.is_some()
    }

    /// Requests a job for a request. Returns whether the component has resources; [`ControllerResources::job_completed`] must be called
    /// when the job is done.
    pub fn request_job(self, cx: &mut Context<'_>, id: RequestId, module: Module, bytes: u64) -> bool {
        self.request_numbered_job(cx, id, module, bytes, 0)
    }

    /// Requests a job for a request, with the [`number`](Job::number) of the job.
    pub fn request_numbered_job(
        self,
        cx: &mut Context<'_>,
        id: RequestId,
        module: Module,
        bytes: u64,
        number: u32,
    ) -> bool {
        let Some(port) = self.port else { return false };
        cx.keep_record(id);
        let job = ModuleJob { request: Some(id), module, time: Span::ZERO, bytes, number };
        cx.send(port, Message::Job(job));
        true
    }

    /// Sends a job that belongs to no request.
    pub fn request_own_job(self, cx: &mut Context<'_>, module: Module, time: Span, bytes: u64, number: u32) {
        if let Some(port) = self.port {
            cx.send(port, Message::Job(ModuleJob { request: None, module, time, bytes, number }));
        }
    }

    /// A job is done. The request of a finished job may no longer be needed; then this releases it.
    pub fn job_completed(self, cx: &mut Context<'_>, job: &ModuleJob) {
        if let Some(id) = job.request {
            cx.release_record(id);
        }
    }
}
