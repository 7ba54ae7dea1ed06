//! What fails of the cache itself, and who does not want something any more.
//!
//! The event `do = "fail"` of a cache is the failure of its memory. If it is mirrored and its partner works, that takes over with its copy of
//! what is dirty, and goes on without a partner. Else what is dirty is lost, and all that the cache has in work and is asked for ends with
//! an error until it is repaired; then it begins empty. By themselves can fail: `power`, with which everything ends with an error until it
//! is back, and what is dirty is lost unless a battery works; the `battery` and the `partner`, without which a cache that is described
//! to have them writes through.

use super::background::ToFetch;
use super::{Asked, DeviceCache, InHand, Stage};
use sansim_cache::block_cache::{Failure, Loss};
use sansim_component::Context;
use sansim_request::{RequestId, Status};

/// What can fail by itself, by the words for it.
pub(super) const THINGS: &[&str] = &["power", "battery", "partner"];

/// What of a pair of controllers its memory and its copy hang on: the controller in which it is at home, the other one, and the link between
/// them. They come behind [`THINGS`].
pub(super) const HOME: usize = 100;
pub(super) const OTHER: usize = 101;
pub(super) const LINK: usize = 102;

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Failing {
    /// Of a pair of controllers: which of them have failed, and the link.
    down: [bool; 3],
    /// The other one has taken over: its memory is there.
    is_at_other: bool,
    /// What is told of requests that it had when its memory failed.
    answers: Status,
    power_is_out: bool,
    memory_failed: bool,
    partner_failed: bool,
    /// How often the cache has begun anew.
    era: u32,
    /// What was lost, in words.
    pub(super) losses: Vec<String>,
}

impl Default for Failing {
    fn default() -> Self {
        Self {
            down: [false; 3],
            is_at_other: false,
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
    /// What is told of a request that was there when the memory failed.
    pub(super) fn answers(&self) -> Status {
        self.answers
    }

    /// Whether the cache works, be it by its partner.
    pub(super) fn works(&self) -> bool {
        !self.power_is_out && !self.memory_failed
    }

    /// Whether somebody has a copy of what is written.
    pub(super) fn has_partner(&self) -> bool {
        !self.partner_failed
    }

    pub(super) fn era(&self) -> u32 {
        self.era
    }
}

impl DeviceCache {
    /// Its memory fails.
    pub(super) fn memory_fails(&mut self, cx: &mut Context<'_>) {
        if self.failing.memory_failed {
            return;
        }
        let partner_takes_over = self.parameters.cache.write.mirrored && !self.failing.partner_failed;
        let loss = self.cache.fail(Failure::Memory);
        self.begin_anew(cx, loss, "its memory failed");
        if partner_takes_over {
            self.failing.partner_failed = true;
        } else {
            self.failing.memory_failed = true;
            self.fail_all(cx);
        }
    }

    /// Its memory is repaired; where the partner has taken over it is the partner now.
    pub(super) fn memory_works(&mut self) {
        self.has_changed = true;
        if self.failing.memory_failed {
            self.failing.memory_failed = false;
        } else {
            self.failing.partner_failed = false;
            self.cache.repair(Failure::Partner);
        }
    }

    /// Something of it fails, or works again.
    pub(super) fn thing_changes(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        self.has_changed = true;
        if thing >= HOME {
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
                    self.begin_anew(cx, loss, "its battery failed while power was out");
                }
            }
            (Some(&"battery"), true) => self.cache.repair(Failure::Battery),
            (Some(&"partner"), _) => {
                self.failing.partner_failed = !works;
                if works {
                    self.cache.repair(Failure::Partner);
                } else {
                    self.cache.fail(Failure::Partner);
                }
            }
            _ => {}
        }
    }

    /// Something of the pair of controllers in which it is fails, or works again. With the controller where its memory is that fails, or the
    /// other one takes over; with the other one, or the link, its copy is out of reach.
    fn pair_changes(&mut self, cx: &mut Context<'_>, what: usize, works: bool) {
        let before = std::mem::replace(&mut self.failing.down[what - HOME], !works);
        if before != works {
            return;
        }
        let at_other = self.failing.is_at_other;
        let is_memory = what != LINK && (what == OTHER) == at_other;
        if is_memory && !works {
            // The other controller takes over: with what it has a copy of, or with nothing. Then who asks may ask again.
            let other = if at_other { HOME } else { OTHER };
            let takes_over = !self.failing.down[other - HOME];
            self.failing.answers = if takes_over { Status::Busy } else { Status::Failed };
            self.memory_fails(cx);
            if takes_over {
                self.failing.memory_failed = false;
                self.failing.is_at_other = !at_other;
            }
        } else if self.failing.memory_failed && works && what != LINK {
            // Whichever is back first begins anew.
            self.failing.memory_failed = false;
            self.failing.is_at_other = what == OTHER;
        }
        let [home, other, link] = self.failing.down;
        let partner_works = !link && if self.failing.is_at_other { !home } else { !other };
        if partner_works == self.failing.partner_failed {
            self.failing.partner_failed = !partner_works;
            if partner_works {
                self.cache.repair(Failure::Partner);
            } else {
                self.cache.fail(Failure::Partner);
            }
        }
    }

    fn power_fails(&mut self, cx: &mut Context<'_>) {
        let loss = self.cache.fail(Failure::Power);
        self.failing.answers = Status::Failed;
        self.begin_anew(cx, loss, "power failed");
        self.failing.power_is_out = true;
        self.fail_all(cx);
    }

    /// The cache is as it comes back after a failure. What is on its way does not concern it any more, but what it destages later
    /// must not overtake what it has destaged.
    fn begin_anew(&mut self, cx: &mut Context<'_>, loss: Loss, why: &str) {
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
        self.has_changed = true;
        let lost: u64 = loss.lost.iter().map(|blocks| blocks.end - blocks.start).sum();
        self.counts.lost += lost;
        if lost > 0 {
            let bytes = lost * self.cache.block_bytes();
            let what = format!("{lost} blocks ({bytes} B) with acknowledged writes were lost");
            self.failing.losses.push(format!("{what} at {}, as {why} and nothing protected them", cx.now));
        }
    }

    /// Everything that it has in work ends with an error.
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

    /// What is asked for behind for a request is not wanted any more.
    fn abort_parts(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let is_of = |what: Asked| match what {
            Asked::Fetch(of) => of == Some(id),
            Asked::Bypass(of) | Asked::Through(of) => of == id,
            Asked::Destage => false,
        };
        let parts = self.under_way.iter().filter(|(_, part)| is_of(part.what));
        let mut parts: Vec<RequestId> = parts.map(|(&part, _)| part).collect();
        parts.sort_unstable();
        for part in parts {
            self.behind.abort(cx, part);
        }
    }

    /// The one who asked does not want a request any more. What is held in the cache already is done; what is looked up or moved comes to the
    /// end of that.
    pub(super) fn abort(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.aborted {
            return;
        }
        in_hand.aborted = true;
        let InHand { stage, .. } = *in_hand;
        match stage {
            Stage::Data | Stage::Awaits => self.answer(cx, id, Status::Aborted),
            Stage::Waits => {
                self.waiting.retain(|waiting| *waiting != id);
                self.answer(cx, id, Status::Aborted);
            }
            Stage::Behind => self.abort_parts(cx, id),
            Stage::Memory | Stage::LookUp | Stage::Partner | Stage::Answered => {}
        }
    }
}
