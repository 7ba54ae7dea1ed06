//! The stripes with blocks that can be destaged, the next stripe on top: a heap that knows the position of each stripe, so that ranks may
//! change.

use super::order::{AnyDestageOrder, DestageCandidate, DestageOrder, DestageOrderRule, StripeRank};
use crate::index::Index;
use crate::slot::CacheSlot;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Clone, Copy, Debug)]
struct Stripe {
    number: u64,
    rank: StripeRank,
    ready: u32,
    /// The index of the stripe in the heap; in a free entry the next free entry.
    place: u32,
}

/// The index that means: no entry.
const NONE: u32 = u32::MAX;

/// The stripes with blocks that can be destaged, as a heap with the next stripe on top.
#[derive(Clone, Debug)]
pub(crate) struct DestageQueue {
    order: AnyDestageOrder,
    /// The number of blocks of a stripe.
    blocks: u32,
    now: u64,
    stripes: Vec<Stripe>,
    free: u32,
    index: Index,
    /// Entries of `stripes`; no entry has a lesser rank than the entry at half its index.
    heap: Vec<u32>,
    /// For an order that chooses: places of the heap whose stripes come next by rank, and the candidates.
    frontier: BinaryHeap<Reverse<(StripeRank, usize)>>,
    candidates: Vec<DestageCandidate>,
}

impl DestageQueue {
    /// A queue for stripes of this many blocks.
    pub(crate) fn new(order: &DestageOrder, blocks: u32) -> Self {
        let order = order.order();
        Self {
            order,
            blocks,
            now: 0,
            stripes: Vec::new(),
            free: NONE,
            index: Index::new(),
            heap: Vec::new(),
            frontier: BinaryHeap::new(),
            candidates: Vec::new(),
        }
    }

    fn find(&self, number: u64) -> Option<u32> {
        let stripes = &self.stripes;
        self.index
            .find(number, |slot| stripes[slot.slot_index()].number == number)
            .map(|slot| slot.slot_index() as u32)
    }

    /// One more block of a stripe can be destaged.
    pub(crate) fn add(&mut self, number: u64) {
        self.now += 1;
        if let Some(entry) = self.find(number) {
            self.stripes[entry as usize].ready += 1;
            self.rank_anew(entry);
            return;
        }
        let candidate =
            DestageCandidate { number, ready: 1, blocks: self.blocks, now: self.now, before: None };
        let stripe =
            Stripe { number, rank: self.order.rank(candidate), ready: 1, place: self.heap.len() as u32 };
        let entry = if self.free == NONE {
            self.stripes.push(stripe);
            self.stripes.len() as u32 - 1
        } else {
            let free = self.free;
            self.free = self.stripes[free as usize].place;
            self.stripes[free as usize] = stripe;
            free
        };
        self.index.add(number, CacheSlot::at(entry));
        self.heap.push(entry);
        self.settle(stripe.place as usize);
    }

    /// A block that can be destaged is written again.
    pub(crate) fn written(&mut self, number: u64) {
        self.now += 1;
        if let Some(entry) = self.find(number) {
            self.rank_anew(entry);
        }
    }

    /// One block fewer of a stripe can be destaged.
    pub(crate) fn take(&mut self, number: u64) {
        let Some(entry) = self.find(number) else { return };
        let stripe = &mut self.stripes[entry as usize];
        stripe.ready -= 1;
        if stripe.ready > 0 {
            self.rank_anew(entry);
            return;
        }
        let place = stripe.place;
        stripe.place = self.free;
        self.free = entry;
        self.index.remove(number, CacheSlot::at(entry));
        self.heap.swap_remove(place as usize);
        if let Some(moved) = self.heap.get(place as usize) {
            self.stripes[*moved as usize].place = place;
            self.settle(place as usize);
        }
    }

    /// The number of the stripe that is destaged next, among the stripes that are not held back from destaging; the queue counts the stripe
    /// as destaged.
    pub(crate) fn next(&mut self, rests: impl Fn(u64) -> bool) -> Option<u64> {
        if let Some(window) = self.order.window() {
            return self.choose(window, rests);
        }
        let mut stripe = self.stripes[*self.heap.first()? as usize];
        if rests(stripe.number) {
            // The top stripe rests only rarely; then all stripes have to be compared.
            let stripes = self.heap.iter().map(|entry| self.stripes[*entry as usize]);
            stripe = stripes.filter(|stripe| !rests(stripe.number)).min_by_key(|stripe| stripe.rank)?;
        }
        self.order.took(stripe.number, stripe.rank);
        Some(stripe.number)
    }

    /// The stripe that the order chooses among the first ones by rank, at most so many.
    fn choose(&mut self, window: usize, rests: impl Fn(u64) -> bool) -> Option<u64> {
        self.candidates.clear();
        self.frontier.clear();
        if !self.heap.is_empty() {
            self.frontier.push(Reverse((self.rank_at(0), 0)));
        }
        // No stripe has a lesser rank than the one above it in the heap, so the next one is always below one that came before.
        while self.candidates.len() < window
            && let Some(Reverse((rank, place))) = self.frontier.pop()
        {
            for child in [2 * place + 1, 2 * place + 2] {
                if child < self.heap.len() {
                    self.frontier.push(Reverse((self.rank_at(child), child)));
                }
            }
            let Stripe { number, ready, .. } = self.stripes[self.heap[place] as usize];
            if !rests(number) {
                let (blocks, now) = (self.blocks, self.now);
                self.candidates.push(DestageCandidate { number, ready, blocks, now, before: Some(rank) });
            }
        }
        if self.candidates.is_empty() {
            return None;
        }
        let chosen = self.candidates[self.order.choose(&self.candidates)];
        self.order.took(chosen.number, chosen.before.unwrap_or_default());
        Some(chosen.number)
    }

    fn rank_anew(&mut self, entry: u32) {
        let Stripe { number, rank, ready, place } = self.stripes[entry as usize];
        let candidate =
            DestageCandidate { number, ready, blocks: self.blocks, now: self.now, before: Some(rank) };
        self.stripes[entry as usize].rank = self.order.rank(candidate);
        self.settle(place as usize);
    }

    fn rank_at(&self, place: usize) -> StripeRank {
        self.stripes[self.heap[place] as usize].rank
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.heap.swap(one, other);
        for place in [one, other] {
            self.stripes[self.heap[place] as usize].place = place as u32;
        }
    }

    /// Moves the entry at an index up or down until the heap is ordered again.
    fn settle(&mut self, mut place: usize) {
        while place > 0 && self.rank_at(place) < self.rank_at((place - 1) / 2) {
            self.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
        loop {
            let children =
                [2 * place + 1, 2 * place + 2].into_iter().filter(|child| *child < self.heap.len());
            let Some(least) = children.min_by_key(|child| self.rank_at(*child)) else { return };
            if self.rank_at(least) >= self.rank_at(place) {
                return;
            }
            self.swap(least, place);
            place = least;
        }
    }

    /// The bytes of memory of the queue.
    pub(crate) fn bytes(&self) -> usize {
        self.stripes.capacity() * size_of::<Stripe>()
            + self.heap.capacity() * size_of::<u32>()
            + self.index.bytes()
    }
}
