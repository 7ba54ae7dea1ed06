//! Failures of the cache itself, and aborted requests.
//!
//! The event `do = "fail"` of a cache means that its memory fails. If it is mirrored and its partner works, the partner takes over with its
//! copy of the dirty blocks and continues without a partner. Without a working partner dirty blocks are lost, and all requests end with an
//! error until the cache is repaired; then it begins empty. Three parts can fail separately: `power`, without which all requests end with
//! an error, and dirty blocks are lost unless a battery works; the `battery`; and the `partner`. A cache that is configured with a battery
//! or a partner writes through while that part does not work.

use super::background::ToFetch;
use super::{Asked, DeviceCache, InHand, Stage};
use sansim_cache::block_cache::{CacheLoss, Failure};
use sansim_component::controller_side::MOST;
use sansim_component::{Context, Module};
use sansim_kernel::Span;
use sansim_request::{RequestId, Status};

/// The parts of a cache that can fail separately, by their keywords.
pub(super) const THINGS: &[&str] = &["power", "battery", "partner"];

/// The reason for the loss of blocks that were not mirrored.
const NOTHING: &str = "nothing protected them";

/// The number of the link between the controllers among the parts that can fail, after [`THINGS`].
pub(super) const LINK: usize = 99;

/// The mark of a job that copies all dirty data; without this mark, the number is that of a write.
pub(super) const ALL_THAT_IS_DIRTY: u32 = 1 << 31;

/// The first number of a part that is a controller.
const NODES: usize = 100;

/// The number of a controller as a part that can fail, by its rank in the order in which controllers take over the memory of the first.
pub(super) fn node(nodes: usize, rank: usize) -> usize {
    NODES + nodes * MOST + rank
}

/// The failure in which a cache is, if it has failed.
#[derive(Clone, Debug)]
pub(super) struct Failing {
    /// With several controllers: their number as far as it is known, whether each has failed (in the order in which they take over the
    /// memory of this cache), and whether the link has failed.
    nodes: usize,
    down: [bool; MOST],
    link_is_down: bool,
    /// The controller that has the memory of the cache, and the controller that has the copy or is to get one.
    at: usize,
    copy_at: usize,
    /// The number of the attempt to copy all dirty blocks to a partner.
    attempts: u32,
    gets_copy: bool,
    /// The answer to requests that were in progress when the memory of the cache failed.
    answers: Status,
    power_is_out: bool,
    memory_failed: bool,
    partner_failed: bool,
    /// The number of restarts of the cache.
    era: u32,
    /// Messages about lost blocks.
    pub(super) losses: Vec<String>,
}

impl Default for Failing {
    fn default() -> Self {
        Self {
            nodes: 2,
            down: [false; MOST],
            link_is_down: false,
            at: 0,
            copy_at: 1,
            attempts: 0,
            gets_copy: false,
            answers: Status::Failed,
            power_is_out: false,
            memory_failed: false,
            partner_failed: false,
            era: 0,
            losses: Vec::new(),
        }
    }
}

impl Failing {
    /// The answer to a request that was in progress when the memory failed.
    pub(super) fn answers(&self) -> Status {
        self.answers
    }

    /// Whether the cache works, possibly with the memory of its partner.
    pub(super) fn works(&self) -> bool {
        !self.power_is_out && !self.memory_failed
    }

    /// Whether a partner has copies of the writes.
    pub(super) fn has_partner(&self) -> bool {
        !self.partner_failed
    }

    pub(super) fn era(&self) -> u32 {
        self.era
    }

    /// The controller that has the copy of a memory in this controller: the next one that works.
    fn next_to(&self, at: usize) -> Option<usize> {
        (at + 1..self.nodes).chain(0..at).find(|&node| !self.down[node])
    }
}

impl DeviceCache {
    /// Reports the failure of the presented device whose device behind has failed.
    pub(super) fn backing_fails(&self, cx: &mut Context<'_>, place: u32) {
        for (own, _) in (0..).zip(&self.places).filter(|(_, its)| **its == Some(place)) {
            cx.failures().report_device_failure(own);
        }
    }

    /// Reports the failure of presented devices that no path reaches any more.
    pub(super) fn tell_of_lost(&mut self, cx: &mut Context<'_>) {
        while let Some(place) = self.behind.next_lost_device() {
            self.backing_fails(cx, place);
        }
    }

    /// Handles the failure of the memory of the cache.
    pub(super) fn memory_fails(&mut self, cx: &mut Context<'_>) {
        if self.failing.memory_failed {
            return;
        }
        let partner_takes_over = self.parameters.cache.write.mirrored && !self.failing.partner_failed;
        let mut loss = self.cache.fail(Failure::Memory);
        if partner_takes_over {
            // Initiators retry the unanswered writes that the partner lacks, so only answered ones are lost.
            loss.lost = self.lag.answered_blocks();
        }
        let unprotected = if partner_takes_over { "the partner lacked them" } else { NOTHING };
        self.begin_anew(cx, loss, "its memory failed", unprotected);
        if partner_takes_over {
            self.partner_lacks(cx);
            self.failing.partner_failed = true;
        } else {
            self.failing.memory_failed = true;
            self.fail_all(cx);
            self.all_have_failed(true);
        }
    }

    /// Handles the repair of the memory; if the partner has taken over, the repaired memory is now the partner.
    pub(super) fn memory_works(&mut self) {
        self.has_changed = true;
        if self.failing.memory_failed {
            self.failing.memory_failed = false;
        } else {
            self.failing.partner_failed = false;
            self.cache.repair(Failure::Partner);
        }
    }

    /// Applies a failure or a repair to a part of the cache.
    pub(super) fn thing_changes(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        self.has_changed = true;
        if thing >= LINK {
            self.pair_changes(cx, thing, works);
            return;
        }
        match (THINGS.get(thing), works) {
            (Some(&"power"), false) if !self.failing.power_is_out => self.power_fails(cx),
            (Some(&"power"), true) => {
                self.failing.power_is_out = false;
                if self.parameters.cache.write.flush_on_failure {
                    self.cache.flush();
                }
            }
            (Some(&"battery"), false) => {
                self.cache.fail(Failure::Battery);
                if self.failing.power_is_out {
                    let loss = self.cache.fail(Failure::Power);
                    self.all_have_failed(true);
                    self.begin_anew(cx, loss, "its battery failed while power was out", NOTHING);
                }
            }
            (Some(&"battery"), true) => self.cache.repair(Failure::Battery),
            (Some(&"partner"), _) => {
                self.failing.partner_failed = !works;
                self.partner_changes(cx, works);
            }
            _ => {}
        }
    }

    /// A controller, or the link between the controllers, fails or works again. If the controller with the cache's memory fails, the memory
    /// fails or another controller takes over; if the controller with the copy fails, or the link, the copy is out of reach. Another
    /// working controller then gets a copy of the memory.
    fn pair_changes(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        let node = thing.checked_sub(NODES).map(|node| {
            self.failing.nodes = node / MOST;
            node % MOST
        });
        let down = node.map_or(&mut self.failing.link_is_down, |node| &mut self.failing.down[node]);
        if std::mem::replace(down, !works) != works {
            return;
        }
        let at = self.failing.at;
        if node == Some(at) && !works {
            // Another controller takes over: with its copy, or with an empty memory. If another controller takes over, initiators may
            // retry.
            let has_copy = (!self.failing.partner_failed).then_some(self.failing.copy_at);
            let next = has_copy.or_else(|| self.failing.next_to(at));
            self.failing.answers = if next.is_some() { Status::Busy } else { Status::Failed };
            self.memory_fails(cx);
            if let Some(next) = next {
                self.failing.memory_failed = false;
                self.failing.at = next;
            }
        } else if let Some(node) = node.filter(|_| self.failing.memory_failed && works) {
            // The controller that works again first begins with an empty memory.
            self.failing.memory_failed = false;
            self.failing.at = node;
        }
        self.finds_partner(cx);
    }

    /// Chooses the partner: the controller that has the copy or gets a copy.
    fn finds_partner(&mut self, cx: &mut Context<'_>) {
        let Failing { copy_at, at, link_is_down, down, .. } = self.failing;
        let may_have = |node: usize| !link_is_down && node != at && !down[node];
        if !self.failing.partner_failed && may_have(copy_at) {
            return;
        }
        if !self.failing.partner_failed {
            self.failing.partner_failed = true;
            self.partner_changes(cx, false);
        }
        let next = self.failing.next_to(at).filter(|&next| may_have(next));
        if self.failing.gets_copy && next == Some(copy_at) {
            return;
        }
        self.failing.gets_copy = next.is_some();
        self.failing.attempts = self.failing.attempts.wrapping_add(1);
        let Some(next) = next else { return };
        self.failing.copy_at = next;
        let bytes = u64::from(self.cache.dirty_block_count()) * self.cache.block_bytes();
        if bytes == 0 || !self.parameters.cache.write.mirrored || !self.inside.has_resources() {
            self.has_copy(cx, self.failing.attempts | ALL_THAT_IS_DIRTY);
            return;
        }
        let number = self.failing.attempts | ALL_THAT_IS_DIRTY;
        self.inside.request_own_job(cx, Module::Link, Span::ZERO, bytes, number);
    }

    /// Notes that a partner has a copy of all dirty data. While the copy was made, all writes went through.
    pub(super) fn has_copy(&mut self, cx: &mut Context<'_>, number: u32) {
        if !self.failing.gets_copy || number != self.failing.attempts | ALL_THAT_IS_DIRTY {
            return;
        }
        self.failing.gets_copy = false;
        self.failing.partner_failed = false;
        self.has_changed = true;
        self.partner_changes(cx, true);
    }

    fn partner_changes(&mut self, cx: &mut Context<'_>, works: bool) {
        if works {
            self.cache.repair(Failure::Partner);
        } else {
            self.cache.fail(Failure::Partner);
            self.nobody_lags(cx);
        }
    }

    fn power_fails(&mut self, cx: &mut Context<'_>) {
        let kept = self.cache.keeps_without_power();
        let loss = self.cache.fail(Failure::Power);
        self.failing.answers = Status::Failed;
        self.begin_anew(cx, loss, "power failed", NOTHING);
        self.failing.power_is_out = true;
        self.fail_all(cx);
        self.all_have_failed(!kept);
    }

    /// Restarts the cache after a failure. Child requests in flight no longer concern a restarted cache, but later destages must not
    /// overtake earlier ones.
    fn begin_anew(&mut self, cx: &mut Context<'_>, loss: CacheLoss, why: &str, unprotected: &str) {
        self.failing.era += 1;
        let destages = self.under_way.iter().filter(|(_, part)| matches!(part.what, Asked::Destage));
        let destages = destages.map(|(&part, under_way)| (part, under_way.blocks.clone()));
        self.ordered.extend(destages);
        self.ordered.sort_unstable_by_key(|(part, _)| *part);
        self.ordered.dedup_by_key(|(part, _)| *part);
        self.to_destage.clear();
        for ToFetch { blocks, .. } in std::mem::take(&mut self.to_fetch) {
            self.nobody_fetches(cx, &blocks);
        }
        self.to_fetch.extend(loss.fetch.into_iter().map(|blocks| ToFetch { blocks, must: true }));
        self.restart_flushes();
        self.has_changed = true;
        let lost: u64 = loss.lost.iter().map(|blocks| blocks.end - blocks.start).sum();
        self.counts.lost += lost;
        if lost > 0 {
            let bytes = lost * self.cache.block_bytes();
            let what = format!("{lost} blocks ({bytes} B) with acknowledged writes were lost");
            self.failing.losses.push(format!("{what} at {}, as {why} and {unprotected}", cx.now));
        }
    }

    /// Ends all requests of the cache with an error.
    fn fail_all(&mut self, cx: &mut Context<'_>) {
        let unanswered = self.in_hand.iter().filter(|(_, in_hand)| in_hand.stage != Stage::Answered);
        let mut ids: Vec<RequestId> = unanswered.map(|(&id, _)| id).collect();
        ids.sort_unstable();
        for id in ids {
            self.memory.forget(id);
            self.waiting.retain(|waiting| *waiting != id);
            match self.in_hand.get_mut(&id) {
                Some(in_hand) if in_hand.stage == Stage::Behind => {
                    in_hand.lost = true;
                    self.abort_parts(cx, id);
                }
                Some(_) => self.answer(cx, id, self.failing.answers()),
                None => {}
            }
        }
    }

    /// Aborts the child requests of a request.
    fn abort_parts(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let is_of = |what: Asked| match what {
            Asked::Fetch(of) => of == Some(id),
            Asked::Bypass(of) | Asked::Through(of) | Asked::Onward(of) => of == id,
            Asked::Destage => false,
        };
        let parts = self.under_way.iter().filter(|(_, part)| is_of(part.what));
        let mut parts: Vec<RequestId> = parts.map(|(&part, _)| part).collect();
        parts.sort_unstable();
        for part in parts {
            self.behind.abort_child(cx, part);
        }
    }

    /// The initiator aborts a request. A write that the cache already holds is completed; a look-up or a transfer ends first.
    pub(super) fn abort(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.aborted {
            return;
        }
        in_hand.aborted = true;
        let InHand { stage, .. } = *in_hand;
        match stage {
            Stage::Data | Stage::Awaits | Stage::Flushes => self.answer(cx, id, Status::Aborted),
            Stage::Waits => {
                self.waiting.retain(|waiting| *waiting != id);
                self.answer(cx, id, Status::Aborted);
            }
            Stage::Behind => self.abort_parts(cx, id),
            Stage::Memory | Stage::LookUp | Stage::Partner | Stage::Answered => {}
        }
    }
}
