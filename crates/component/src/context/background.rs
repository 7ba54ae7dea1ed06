//! Background requests that a component makes for itself.

use super::Context;
use sansim_request::{Request, RequestId, Returned, Status};

/// Background requests of a component.
pub struct BackgroundHandle<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// The background requests of this component.
    #[inline]
    pub fn background(&mut self) -> BackgroundHandle<'_, 'a> {
        BackgroundHandle(self)
    }
}

impl BackgroundHandle<'_, '_> {
    /// The same for something in the background that does not keep the run going: the component sees to it that it ends when
    /// [`Context::nobody_asks`], and closes it by [`Context::close_passing`].
    pub fn ask_passing(&mut self, port: u16, request: Request) -> RequestId {
        debug_assert!(request.origin.background);
        self.0.around.sources.passing += 1;
        self.0.ask(port, request)
    }

    /// Closes a background request of [`Context::ask_passing`].
    pub fn close_passing(&mut self, id: RequestId, status: Status) -> Returned {
        self.0.around.sources.passing -= 1;
        self.0.close(id, status)
    }

    /// Opens a background request that is sent to no other component as a whole: it is in this segment until it is closed.
    pub fn begin(&mut self, request: Request, segment: usize) -> RequestId {
        let line = self.0.line(segment);
        let id = self.0.around.requests.open(self.0.now, request, line);
        self.0.around.sources.background += u64::from(request.origin.background);
        self.0.show_issued(id, line);
        id
    }

    /// Begins background work inside this component that does not keep the run going: the component ends it as soon as
    /// [`Context::nobody_asks`].
    pub fn begin_detached(&mut self, request: Request, segment: usize) -> RequestId {
        let line = self.0.line(segment);
        self.0.around.requests.open(self.0.now, request, line)
    }

    /// Closes it. Its children that are still in flight must have been kept.
    pub fn end_detached(&mut self, id: RequestId) {
        self.0.around.requests.close(self.0.now, id);
    }

    /// Whether all requests that workloads may issue have come back to them.
    pub fn sources_exhausted(&self) -> bool {
        self.0.around.sources.is_over
    }
}
