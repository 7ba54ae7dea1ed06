//! Models of the policies, simple and slow: each list is a vector, with the oldest first.

/// A model of a cache.
pub trait Model {
    /// Accesses a block; returns whether the model held it.
    fn access(&mut self, block: u64) -> bool;
}

/// Removes a block from a list. Returns whether the block was in the list.
fn take(list: &mut Vec<u64>, block: u64) -> bool {
    let place = list.iter().position(|one| *one == block);
    place.map(|place| list.remove(place)).is_some()
}

macro_rules! models {
    ($($name:ident { $($field:ident: $type:ty),* })*) => {
        $(
            #[derive(Default)]
            pub struct $name {
                capacity: usize,
                $($field: $type,)*
            }

            impl $name {
                #[allow(clippy::needless_update)]
                pub fn new(capacity: usize) -> Self {
                    Self { capacity, ..Self::default() }
                }
            }
        )*
    };
}

models! {
    Lru { held: Vec<u64> }
    Fifo { held: Vec<u64> }
    Clock { held: Vec<(u64, bool)>, hand: usize }
    Sieve { held: Vec<(u64, bool)>, hand: usize }
    Slru { segments: [Vec<u64>; 4] }
    TwoQ { a1_in: Vec<u64>, a1_out: Vec<u64>, am: Vec<u64> }
    Arc { t1: Vec<u64>, t2: Vec<u64>, b1: Vec<u64>, b2: Vec<u64>, p: f64 }
    Car { t1: Vec<(u64, bool)>, t2: Vec<(u64, bool)>, b1: Vec<u64>, b2: Vec<u64>, p: f64 }
}

impl Model for Lru {
    fn access(&mut self, block: u64) -> bool {
        let hit = take(&mut self.held, block);
        self.held.push(block);
        if self.held.len() > self.capacity {
            self.held.remove(0);
        }
        hit
    }
}

impl Model for Fifo {
    fn access(&mut self, block: u64) -> bool {
        let hit = self.held.contains(&block);
        if !hit {
            self.held.push(block);
        }
        if self.held.len() > self.capacity {
            self.held.remove(0);
        }
        hit
    }
}

impl Model for Clock {
    /// The model has a real clock: frames in a circle, and a hand that points to a frame.
    fn access(&mut self, block: u64) -> bool {
        if let Some(frame) = self.held.iter_mut().find(|frame| frame.0 == block) {
            frame.1 = true;
            return true;
        }
        if self.held.len() < self.capacity {
            self.held.push((block, false));
            return false;
        }
        while self.held[self.hand].1 {
            self.held[self.hand].1 = false;
            self.hand = (self.hand + 1) % self.capacity;
        }
        self.held[self.hand] = (block, false);
        self.hand = (self.hand + 1) % self.capacity;
        false
    }
}

impl Model for Sieve {
    fn access(&mut self, block: u64) -> bool {
        if let Some(one) = self.held.iter_mut().find(|one| one.0 == block) {
            one.1 = true;
            return true;
        }
        if self.held.len() == self.capacity {
            while self.held[self.hand].1 {
                self.held[self.hand].1 = false;
                self.hand = (self.hand + 1) % self.capacity;
            }
            self.held.remove(self.hand);
            // After the youngest frame the hand returns to the oldest, even when a block comes in meanwhile.
            if self.hand == self.held.len() {
                self.hand = 0;
            }
        }
        self.held.push((block, false));
        false
    }
}

impl Slru {
    fn sizes(&self) -> Vec<usize> {
        let segments = self.capacity.min(4);
        let mut sizes = vec![self.capacity / segments; segments];
        sizes[0] += self.capacity % segments;
        sizes
    }
}

impl Model for Slru {
    fn access(&mut self, block: u64) -> bool {
        let sizes = self.sizes();
        let Some(at) = self.segments.iter().position(|segment| segment.contains(&block)) else {
            if self.segments.iter().map(Vec::len).sum::<usize>() == self.capacity {
                let lowest = self.segments.iter().position(|segment| !segment.is_empty());
                self.segments[lowest.expect("it is full")].remove(0);
            }
            let room = (0..sizes.len()).find(|at| self.segments[*at].len() < sizes[*at]);
            self.segments[room.expect("one has gone")].push(block);
            return false;
        };
        take(&mut self.segments[at], block);
        let up = (at + 1).min(sizes.len() - 1);
        self.segments[up].push(block);
        for segment in (1..=up).rev() {
            if self.segments[segment].len() > sizes[segment] {
                let falls = self.segments[segment].remove(0);
                self.segments[segment - 1].push(falls);
            }
        }
        true
    }
}

impl Model for TwoQ {
    fn access(&mut self, block: u64) -> bool {
        if take(&mut self.am, block) {
            self.am.push(block);
            return true;
        }
        if self.a1_in.contains(&block) {
            return true;
        }
        let remembered = take(&mut self.a1_out, block);
        if self.a1_in.len() + self.am.len() == self.capacity {
            if self.a1_in.len() > self.capacity / 4 || self.am.is_empty() {
                self.a1_out.push(self.a1_in.remove(0));
                if self.a1_out.len() > self.capacity / 2 {
                    self.a1_out.remove(0);
                }
            } else {
                self.am.remove(0);
            }
        }
        if remembered {
            self.am.push(block)
        } else {
            self.a1_in.push(block)
        }
        false
    }
}

impl Arc {
    fn replace(&mut self, in_b2: bool) {
        let length = self.t1.len() as f64;
        if !self.t1.is_empty() && (length > self.p || in_b2 && length == self.p) {
            self.b1.push(self.t1.remove(0));
        } else {
            self.b2.push(self.t2.remove(0));
        }
    }
}

impl Model for Arc {
    /// The cases are I to IV of figure 4 of the ARC paper.
    fn access(&mut self, block: u64) -> bool {
        let (c, b1, b2) = (self.capacity, self.b1.len() as f64, self.b2.len() as f64);
        if take(&mut self.t1, block) || take(&mut self.t2, block) {
            self.t2.push(block);
            return true;
        }
        if self.b1.contains(&block) {
            self.p = (self.p + (b2 / b1).max(1.0)).min(c as f64);
            self.replace(false);
            take(&mut self.b1, block);
            self.t2.push(block);
            return false;
        }
        if self.b2.contains(&block) {
            self.p = (self.p - (b1 / b2).max(1.0)).max(0.0);
            self.replace(true);
            take(&mut self.b2, block);
            self.t2.push(block);
            return false;
        }
        if self.t1.len() + self.b1.len() == c {
            if self.t1.len() < c {
                self.b1.remove(0);
                self.replace(false);
            } else {
                self.t1.remove(0);
            }
        } else {
            let all = self.t1.len() + self.t2.len() + self.b1.len() + self.b2.len();
            if all >= c {
                if all == 2 * c {
                    self.b2.remove(0);
                }
                self.replace(false);
            }
        }
        self.t1.push(block);
        false
    }
}

impl Model for Car {
    /// The lines are 1 to 23 of figure 2 of the CAR paper, and its replace().
    fn access(&mut self, block: u64) -> bool {
        let c = self.capacity;
        if let Some(one) = self.t1.iter_mut().chain(&mut self.t2).find(|one| one.0 == block) {
            one.1 = true;
            return true;
        }
        let remembered = self.b1.contains(&block) || self.b2.contains(&block);
        if self.t1.len() + self.t2.len() == c {
            loop {
                if self.t1.len() as f64 >= self.p.max(1.0) {
                    match self.t1.remove(0) {
                        (block, false) => break self.b1.push(block),
                        (block, true) => self.t2.push((block, false)),
                    }
                } else {
                    match self.t2.remove(0) {
                        (block, false) => break self.b2.push(block),
                        (block, true) => self.t2.push((block, false)),
                    }
                }
            }
            if !remembered {
                if self.t1.len() + self.b1.len() == c {
                    self.b1.remove(0);
                } else if self.t1.len() + self.t2.len() + self.b1.len() + self.b2.len() == 2 * c {
                    self.b2.remove(0);
                }
            }
        }
        let (b1, b2) = (self.b1.len() as f64, self.b2.len() as f64);
        if take(&mut self.b1, block) {
            self.p = (self.p + (b2 / b1).max(1.0)).min(c as f64);
            self.t2.push((block, false));
        } else if take(&mut self.b2, block) {
            self.p = (self.p - (b1 / b2).max(1.0)).max(0.0);
            self.t2.push((block, false));
        } else {
            self.t1.push((block, false));
        }
        false
    }
}

/// A model of LFU, with dynamic ageing if requested: for each block its worth, the time of its last use, and the number of uses.
pub struct Lfu {
    capacity: usize,
    ages: bool,
    age: u64,
    now: u64,
    held: Vec<(u64, u64, u64, u64)>,
}

impl Lfu {
    pub fn new(capacity: usize, ages: bool) -> Self {
        Self { capacity, ages, age: 0, now: 0, held: Vec::new() }
    }
}

impl Model for Lfu {
    fn access(&mut self, block: u64) -> bool {
        self.now += 1;
        if let Some(one) = self.held.iter_mut().find(|one| one.3 == block) {
            let uses = one.2 + 1;
            *one = (self.age + uses, self.now, uses, block);
            return true;
        }
        if self.held.len() == self.capacity {
            let least = self.held.iter().copied().min().expect("it is full");
            self.held.retain(|one| *one != least);
            self.age = if self.ages { least.0 } else { 0 };
        }
        self.held.push((self.age + 1, self.now, 1, block));
        false
    }
}
