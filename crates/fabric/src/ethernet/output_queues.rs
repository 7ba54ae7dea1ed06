//! The frames that wait at an output, by class, and which of them is next: classes with strict priority in their order, then the others by
//! deficit round robin (Shreedhar and Varghese 1995).

use super::frame::{EthernetFrame, MOST_CLASSES};
use std::collections::VecDeque;

/// The number that names no port.
pub const NO_INPUT: u32 = u32::MAX;

/// A frame that waits at an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingFrame {
    /// The frame.
    pub frame: EthernetFrame,
    /// The port by which the frame came into the switch; [`NO_INPUT`] at the node that sends the frame.
    pub input: u32,
}

/// The weight of each class: none for a class with strict priority.
pub type ClassWeights = [Option<u32>; MOST_CLASSES];

#[derive(Clone, Debug, Default)]
struct ClassQueue {
    frames: VecDeque<WaitingFrame>,
    bytes: u64,
    /// The bytes that the class may send in its turn.
    deficit: u64,
}

/// The frames that wait at an output.
#[derive(Clone, Debug, Default)]
pub struct OutputQueues {
    queues: Vec<ClassQueue>,
    /// The classes with frames, as bits.
    waiting: u8,
    /// The class whose turn it is.
    turn: u8,
}

impl OutputQueues {
    /// Empty queues for this number of classes.
    pub fn new(classes: usize) -> Self {
        Self { queues: vec![ClassQueue::default(); classes], waiting: 0, turn: 0 }
    }

    /// The classes with frames, as bits.
    pub fn waiting_classes(&self) -> u8 {
        self.waiting
    }

    /// The bytes that wait in a class.
    pub fn class_bytes(&self, class: u8) -> u64 {
        self.queues[usize::from(class)].bytes
    }

    /// The frames that wait.
    pub fn frame_count(&self) -> usize {
        self.queues.iter().map(|queue| queue.frames.len()).sum()
    }

    /// Adds a frame.
    pub fn push(&mut self, waiting: WaitingFrame) {
        let class = waiting.frame.class;
        let queue = &mut self.queues[usize::from(class)];
        queue.bytes += u64::from(waiting.frame.bytes);
        queue.frames.push_back(waiting);
        self.waiting |= 1 << class;
    }

    /// Takes the next frame, which is in none of the `paused` classes. `largest` is the number of bytes of the largest frame.
    pub fn take_next(&mut self, paused: u8, weights: &ClassWeights, largest: u32) -> Option<WaitingFrame> {
        let ready = self.waiting & !paused;
        if ready == 0 {
            return None;
        }
        if ready.is_power_of_two() {
            return Some(self.pop(ready.trailing_zeros() as u8));
        }
        let is_ready = |class: u8| ready & 1 << class != 0;
        let strict = (0..self.queues.len() as u8)
            .find(|&class| is_ready(class) && weights[usize::from(class)].is_none());
        if let Some(class) = strict {
            return Some(self.pop(class));
        }
        loop {
            let class = self.turn;
            let queue = &mut self.queues[usize::from(class)];
            let first =
                queue.frames.front().filter(|_| is_ready(class)).map(|first| u64::from(first.frame.bytes));
            if let Some(bytes) = first
                && queue.deficit >= bytes
            {
                queue.deficit -= bytes;
                return Some(self.pop(class));
            }
            self.turn = (class + 1) % self.queues.len() as u8;
            if is_ready(self.turn) {
                let weight = weights[usize::from(self.turn)].unwrap_or(1);
                self.queues[usize::from(self.turn)].deficit += u64::from(weight) * u64::from(largest);
            }
        }
    }

    fn pop(&mut self, class: u8) -> WaitingFrame {
        let queue = &mut self.queues[usize::from(class)];
        let Some(next) = queue.frames.pop_front() else { unreachable!("a class with a bit has a frame") };
        queue.bytes -= u64::from(next.frame.bytes);
        if queue.frames.is_empty() {
            queue.deficit = 0;
            self.waiting &= !(1 << class);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(class: u8, bytes: u32) -> WaitingFrame {
        let frame = EthernetFrame {
            tag: 0,
            flow: 0,
            bytes,
            from: 0,
            to: 1,
            class,
            may_be_marked: false,
            is_marked: false,
        };
        WaitingFrame { frame, input: NO_INPUT }
    }

    fn weights(of: &[Option<u32>]) -> ClassWeights {
        std::array::from_fn(|class| of.get(class).copied().unwrap_or(Some(1)))
    }

    #[test]
    fn weights_share_an_output_in_bytes_whatever_the_sizes_of_frames() {
        let mut queues = OutputQueues::new(3);
        let weights = weights(&[Some(1), Some(2), Some(5)]);
        let mut sent = [0_u64; 3];
        for _ in 0..8_000 {
            // Each class always has frames, of different sizes.
            for (class, bytes) in [(0, 1_538), (1, 84), (2, 700)] {
                while queues.class_bytes(class) < 20_000 {
                    queues.push(waiting(class, bytes));
                }
            }
            let next = queues.take_next(0, &weights, 1_538).expect("a frame").frame;
            sent[usize::from(next.class)] += u64::from(next.bytes);
        }
        let all = sent.iter().sum::<u64>() as f64;
        for (class, share) in [(0, 0.125), (1, 0.25), (2, 0.625)] {
            assert!((sent[class] as f64 / all - share).abs() < 0.01, "{sent:?}");
        }
    }

    #[test]
    fn strict_classes_go_first_in_their_order_and_paused_classes_wait() {
        let mut queues = OutputQueues::new(3);
        let weights = weights(&[Some(1), None, None]);
        for class in [0, 2, 1, 0, 1] {
            queues.push(waiting(class, 100));
        }
        let mut order = Vec::new();
        while let Some(next) = queues.take_next(1 << 2, &weights, 1_538) {
            order.push(next.frame.class);
        }
        assert_eq!(order, [1, 1, 0, 0]);
        assert_eq!(queues.take_next(0, &weights, 1_538).map(|next| next.frame.class), Some(2));
        assert_eq!((queues.waiting_classes(), queues.frame_count()), (0, 0));
    }
}
