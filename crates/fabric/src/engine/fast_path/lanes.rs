//! The lanes of a switch: the routed frames of each input that wait for each output.

use super::super::buffered_frame::{FramePool, NONE};

/// The first and the last frame of a lane. The frames between them are linked by `BufferedFrame::behind`.
#[derive(Clone, Copy, Debug)]
struct Lane {
    first: u32,
    last: u32,
}

/// The lanes of a switch.
#[derive(Clone, Debug)]
pub struct SwitchLanes {
    ports: usize,
    /// The lanes by output and input.
    lanes: Vec<Lane>,
    /// For each output the inputs with frames that wait for it, as bits.
    waiting: Vec<u64>,
    /// The words of [`SwitchLanes::waiting`] for an output.
    words: usize,
}

impl SwitchLanes {
    /// The empty lanes of a switch with this number of ports.
    pub fn new(ports: usize) -> Self {
        let words = ports.div_ceil(64);
        let lanes = vec![Lane { first: NONE, last: NONE }; ports * ports];
        Self { ports, lanes, waiting: vec![0; ports * words], words }
    }

    /// A frame waits from now on, behind the other frames of its lane.
    #[inline]
    pub fn push(&mut self, output: usize, input: usize, held: u32, pool: &mut FramePool) {
        let lane = &mut self.lanes[output * self.ports + input];
        pool[held].behind = NONE;
        if lane.first == NONE {
            lane.first = held;
            self.waiting[output * self.words + input / 64] |= 1 << (input % 64);
        } else {
            pool[lane.last].behind = held;
        }
        lane.last = held;
    }

    /// The first frame of a lane leaves.
    #[inline]
    pub fn pop(&mut self, output: usize, input: usize, pool: &FramePool) {
        let lane = &mut self.lanes[output * self.ports + input];
        lane.first = pool[lane.first].behind;
        if lane.first == NONE {
            self.waiting[output * self.words + input / 64] &= !(1 << (input % 64));
        }
    }

    fn inputs_of(&self, output: usize) -> &[u64] {
        &self.waiting[output * self.words..][..self.words]
    }

    /// The first frame of the first lane of an output whose input is not below `from`, or else of the first lane.
    #[inline]
    pub fn first_from(&self, output: usize, from: usize) -> Option<u32> {
        let inputs = self.inputs_of(output);
        let of =
            |word: usize, inputs: u64| (inputs != 0).then(|| 64 * word + inputs.trailing_zeros() as usize);
        let start = from / 64;
        let at_start = inputs.get(start).and_then(|&word| of(start, word & u64::MAX << (from % 64)));
        let input = at_start
            .or_else(|| (start + 1..self.words).find_map(|word| of(word, inputs[word])))
            .or_else(|| (0..=start.min(self.words - 1)).find_map(|word| of(word, inputs[word])))?;
        Some(self.lanes[output * self.ports + input].first)
    }

    /// The inputs with frames that wait for an output, with the first frame of each.
    pub fn firsts(&self, output: usize) -> impl Iterator<Item = (usize, u32)> {
        let lanes = &self.lanes[output * self.ports..][..self.ports];
        self.inputs_of(output).iter().enumerate().flat_map(move |(number, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let input = (rest != 0).then(|| 64 * number + rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some((input, lanes[input].first))
            })
        })
    }

    /// The number of frames that wait for an output.
    #[cfg(test)]
    fn count(&self, output: usize, pool: &FramePool) -> usize {
        let lane = |(_, first)| {
            std::iter::successors(Some(first), |&held| Some(pool[held].behind).filter(|&next| next != NONE))
        };
        self.firsts(output).flat_map(lane).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::buffered_frame::tests::pool_of;

    #[test]
    fn frames_leave_a_lane_in_order_and_lanes_come_round_from_any_input() {
        for ports in [5, 64, 130] {
            let (mut lanes, mut pool) = (SwitchLanes::new(ports), pool_of(4));
            let last = ports - 1;
            for (held, input) in [(0, 2), (1, last), (2, 2), (3, 0)] {
                lanes.push(1, input, held, &mut pool);
            }
            assert_eq!((lanes.count(1, &pool), lanes.count(0, &pool)), (4, 0));
            let first = |lanes: &SwitchLanes, from| lanes.first_from(1, from);
            assert_eq!([0, 1, 2, 3, last].map(|from| first(&lanes, from)), [3, 0, 0, 1, 1].map(Some));
            assert_eq!(first(&lanes, ports), Some(3), "round all ports");
            lanes.pop(1, 2, &pool);
            assert_eq!(lanes.firsts(1).collect::<Vec<_>>(), [(0, 3), (2, 2), (last, 1)]);
            [2, last, 0].iter().for_each(|&input| lanes.pop(1, input, &pool));
            assert_eq!((first(&lanes, 0), lanes.count(1, &pool)), (None, 0));
        }
    }
}
