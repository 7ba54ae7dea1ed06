//! The learning budget: when the cache of circuits is used, and when it is suspended because too few circuits recur.

/// The budget decides whether looking up and learning circuits is worth while: after too many failures both pause, and the next pause is
/// longer. The unit is the saving by a cached input, some 2,300 instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct LearningBudget {
    most: i32,
    left: i32,
    pause: u32,
    next_pause: u32,
}

impl LearningBudget {
    pub(super) const MOST: i32 = 150;
    /// The budget of rare circuit keys, which allows noting one key and learning its outcomes and the outcomes of
    /// another key.
    pub(super) const FOR_RARE: i32 = 100;
    /// The cost of a cached circuit that has to be computed by the rules after all.
    pub(super) const LEAVING: i32 = 3;
    /// The cost of learning an outcome: some 16,000 instructions.
    pub(super) const LEARNING: i32 = 7;

    pub(super) fn new(most: i32) -> Self {
        Self { most, left: most, pause: 0, next_pause: 1_000 }
    }

    pub(super) fn pays(&mut self) {
        self.left = (self.left + 1).min(self.most);
    }

    pub(super) fn costs(&mut self, as_much: i32) {
        self.left -= as_much;
        if self.left <= 0 {
            (self.left, self.pause) = (self.most, self.next_pause);
            self.next_pause = self.next_pause.saturating_mul(4);
        }
    }

    /// Whether the budget is used up, so that circuits are not looked up for now.
    pub(super) fn is_out(&mut self) -> bool {
        let is_out = self.pause > 0;
        self.pause -= u32::from(is_out);
        is_out
    }
}
