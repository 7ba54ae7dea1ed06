//! Children of a request beside those that are asked for at once: parts that cannot be asked for yet, come behind another, or are waited for by others.

use super::Context;
use crate::show::Sight;
use sansim_request::{Request, RequestId};

/// Children of a request beside those that are asked for at once: parts that cannot be asked for yet, come behind another, or are waited for by others.
pub struct Children<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// Child requests with other options than a plain request for each.
    #[inline]
    pub fn children(&mut self) -> Children<'_, 'a> {
        Children(self)
    }
}

impl Children<'_, '_> {
    /// A request that its children have waits for so many more of them: those that are asked for next.
    pub fn await_more(&mut self, parent: RequestId, more: u16) {
        self.0.around.requests.await_more(parent, more);
    }

    /// The same for a part that cannot be asked for yet: it waits in a segment of this component.
    pub fn begin(&mut self, parent: RequestId, request: Request, segment: usize) -> RequestId {
        let line = self.0.line(segment);
        let id = self.0.around.requests.open_child(self.0.now, parent, request, line);
        self.0.show_issued(id, line);
        id
    }

    /// The same for a part that comes behind another one, which is done just now and not closed yet: the time of that is on its way.
    pub fn begin_behind(
        &mut self,
        parent: RequestId,
        request: Request,
        segment: usize,
        other: RequestId,
    ) -> RequestId {
        let line = self.0.line(segment);
        let id = self.0.around.requests.open_child_behind(self.0.now, parent, request, line, other);
        self.0.show_issued(id, line);
        id
    }

    /// A request waits for a child of another one, asked for just now: both were merged into it.
    pub fn wait_for(&mut self, id: RequestId) {
        self.0.around.requests.wait_for(id);
    }

    /// The child that a request waited for beside the child's parent has been closed just now.
    pub fn satisfied(&mut self, id: RequestId, child: RequestId) {
        let went_on = self.0.around.requests.satisfied(self.0.now, id, child);
        if self.0.around.shows.requests {
            self.0.show(self.0.now, Sight::Joined(id, child));
            if let Some(line) = went_on {
                self.0.show(self.0.now, Sight::Enters(id, line));
            }
        }
    }
}
