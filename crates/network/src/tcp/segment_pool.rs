//! The segments on links, by the tags of their frames.

use sansim_kernel::Time;
use sansim_tcp::costs::TcpSegment;

/// A segment on links, and the time at which it began to leave its node.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentOnLinks {
    pub segment: TcpSegment,
    pub began: Time,
    /// Whether the segment has left its node, and whether it has arrived or is lost.
    has_left: bool,
    is_over: bool,
}

/// Segments by number. The numbers of segments that have left and arrived, or left and are lost, are reused.
#[derive(Clone, Debug, Default)]
pub(super) struct SegmentPool {
    all: Vec<SegmentOnLinks>,
    free: Vec<u32>,
}

impl SegmentPool {
    /// A segment begins. Returns its tag.
    pub fn begin(&mut self, began: Time, segment: TcpSegment) -> u32 {
        let on_links = SegmentOnLinks { segment, began, has_left: false, is_over: false };
        if let Some(tag) = self.free.pop() {
            self.all[tag as usize] = on_links;
            return tag;
        }
        self.all.push(on_links);
        (self.all.len() - 1) as u32
    }

    /// The segment of a tag, while it is on links.
    pub fn on_links(&self, tag: u32) -> SegmentOnLinks {
        self.all[tag as usize]
    }

    /// A segment has left its node.
    pub fn left(&mut self, tag: u32) -> SegmentOnLinks {
        self.all[tag as usize].has_left = true;
        self.release(tag)
    }

    /// A segment has arrived, or is lost.
    pub fn over(&mut self, tag: u32) -> SegmentOnLinks {
        self.all[tag as usize].is_over = true;
        self.release(tag)
    }

    fn release(&mut self, tag: u32) -> SegmentOnLinks {
        let on_links = self.all[tag as usize];
        if on_links.has_left && on_links.is_over {
            self.free.push(tag);
        }
        on_links
    }
}
