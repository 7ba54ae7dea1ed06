//! The interface of a source of requests.

use super::Context;
use crate::message::Message;
use sansim_kernel::Time;
use sansim_request::{Request, RequestId};

/// The interface of a source of requests.
pub struct SourceHandle<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// The source interface of this component.
    #[inline]
    pub fn source(&mut self) -> SourceHandle<'_, 'a> {
        SourceHandle(self)
    }
}

impl SourceHandle<'_, '_> {
    /// The number of the next request of a source; none if there are to be no more.
    pub fn next_request_number(&mut self) -> Option<u64> {
        self.0.around.sources.issue()
    }

    /// Sends a request that exists since an earlier time: until now it was in a segment of this component.
    pub fn ask_with_issue_time(
        &mut self,
        port: u16,
        since: Time,
        segment: usize,
        request: Request,
    ) -> RequestId {
        if since >= self.0.now {
            return self.0.ask(port, request);
        }
        let (waited, line) = (self.0.line(segment), self.0.first_line_at(port));
        let id = self.0.around.requests.open_request(since, request, waited);
        self.0.around.requests.enter_line(self.0.now, id, line);
        self.0.around.requests.set_following_line(self.0.now, id, line);
        self.0.around.sources.background += u64::from(request.origin.background);
        self.0.show_issued(id, line);
        self.0.send(port, Message::Request(id, self.0.now));
        id
    }
}
