//! I/Os that are longer than the largest transfer: the driver splits them, and each part is a command of its own.
//!
//! Source: Linux, `block/blk-merge.c`, `bio_split_rw`, and `block/blk-mq.c`: an I/O is split from its beginning into parts of `max_sectors`, behind the
//! limits of rate and before the queue of its device; merging makes none longer. For NVMe `max_sectors` is the least of MDTS of the controller and of
//! what its transport can describe (`drivers/nvme/host/core.c`). The I/O is done when all its parts are.

use super::catalogue::segment;
use super::{Host, SPLIT};
use sansim_component::Context;
use sansim_request::{BLOCK_BYTES, Operation, ParentState, Request, RequestId, RequestMap, Status};

/// Whether a request moves more bytes than a transfer may.
fn is_longer(request: &Request, most: u64) -> bool {
    matches!(request.operation, Operation::Read | Operation::Write) && request.bytes > most
}

/// The I/Os of which a part has failed, each with the status of the first that did.
#[derive(Clone, Debug, Default)]
pub(super) struct Splits {
    failed: RequestMap<Status>,
}

impl Host {
    /// A request waits for its device, in parts if it is longer than the largest transfer.
    #[inline]
    pub(super) fn wait_in_parts(&mut self, cx: &mut Context<'_>, id: RequestId) {
        match self.parameters.largest_transfer {
            Some(most) if is_longer(cx.request(id), most) => self.split(cx, id, most),
            _ => self.wait(cx, id),
        }
    }

    #[cold]
    fn split(&mut self, cx: &mut Context<'_>, id: RequestId, most: u64) {
        let whole = *cx.request(id);
        // A request awaits 65,535 children at most, so an I/O of nearly 4 GiB may have larger parts.
        let most = if whole.bytes.div_ceil(most) > u64::from(u16::MAX) { 2 * most } else { most };
        let begins = (0..whole.bytes).step_by(most as usize);
        cx.fork_request(id, whole.bytes.div_ceil(most) as u16);
        for begin in begins {
            let bytes = most.min(whole.bytes - begin);
            let part = Request { lba: whole.lba + begin / BLOCK_BYTES, bytes, ..whole };
            let part = cx.child_requests().begin_child(id, part, segment::QUEUE);
            self.came_by(part, SPLIT);
            self.add_to_queue(cx, part);
        }
        self.take_up(cx);
    }

    /// Answers a request and those that were merged with it, of which some may be parts.
    #[cold]
    pub(super) fn report_parts(&mut self, cx: &mut Context<'_>, first: RequestId, status: Status) {
        let members: Vec<RequestId> = self.devices.merged_requests(first).collect();
        for member in members {
            let asker = self.askers[member.0 as usize];
            if asker == SPLIT {
                self.part_done(cx, member, status);
            } else {
                self.in_hand -= 1;
                cx.answer(asker, member, status);
            }
        }
    }

    /// A part of an I/O is done: with the last part the I/O is.
    pub(super) fn part_done(&mut self, cx: &mut Context<'_>, part: RequestId, status: Status) {
        let parent = cx.request(part).parent;
        if let Some(parent) = parent.filter(|_| status != Status::Good) {
            self.splits.failed.entry(parent).or_insert(status);
        }
        if let ParentState::Satisfied(whole, _) = cx.close_request(part, status).joined {
            let status = self.splits.failed.remove(&whole).unwrap_or(Status::Good);
            self.in_hand -= 1;
            cx.answer(self.askers[whole.0 as usize], whole, status);
        }
    }
}
