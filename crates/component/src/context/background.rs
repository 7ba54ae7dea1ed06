//! Background requests that a component makes without a request of a host.

use super::Context;
use sansim_request::{Request, RequestId, ReturnedRequest, Status};

/// Background requests of a component.
pub struct BackgroundHandle<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// The background requests of this component.
    #[inline]
    pub fn background_requests(&mut self) -> BackgroundHandle<'_, 'a> {
        BackgroundHandle(self)
    }
}

impl BackgroundHandle<'_, '_> {
    /// Sends a background request that does not keep the run going: the component ends the request when
    /// [`BackgroundHandle::sources_exhausted`], and closes it by [`BackgroundHandle::close_detached`].
    pub fn ask_detached(&mut self, port: u16, request: Request) -> RequestId {
        debug_assert!(request.origin.background);
        self.0.around.sources.passing += 1;
        self.0.ask(port, request)
    }

    /// Closes a background request of [`BackgroundHandle::ask_detached`].
    pub fn close_detached(&mut self, id: RequestId, status: Status) -> ReturnedRequest {
        self.0.around.sources.passing -= 1;
        self.0.close_request(id, status)
    }

    /// Opens a background request that is sent to no other component as a whole: the request is in this segment until it is closed.
    pub fn begin_request(&mut self, request: Request, segment: usize) -> RequestId {
        let line = self.0.line(segment);
        let id = self.0.around.requests.open_request(self.0.now, request, line);
        self.0.around.sources.background += u64::from(request.origin.background);
        self.0.show_issued(id, line);
        id
    }

    /// Begins background work inside this component that does not keep the run going: the component ends it as soon as
    /// [`BackgroundHandle::sources_exhausted`].
    pub fn begin_detached(&mut self, request: Request, segment: usize) -> RequestId {
        let line = self.0.line(segment);
        self.0.around.requests.open_request(self.0.now, request, line)
    }

    /// Closes a detached background request. Children of the closed request that are still in flight must have been kept.
    pub fn end_detached(&mut self, id: RequestId) {
        self.0.around.requests.close_request(self.0.now, id);
    }

    /// Whether all requests that workloads may issue have come back to them.
    pub fn sources_exhausted(&self) -> bool {
        self.0.around.sources.is_over
    }
}
