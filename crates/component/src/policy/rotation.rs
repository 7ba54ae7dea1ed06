//! The tie-break among equals: a list in which the last chosen moves to the end.
//!
//! The path selectors of Linux keep their list of valid paths in the same order (`drivers/md/dm-ps-queue-length.c`,
//! `dm-ps-service-time.c`).

use super::ChoiceCandidate;

/// The tie-break of a policy among equal candidates: the one that was chosen longest ago.
#[derive(Clone, Debug, Default)]
pub struct TurnRotation {
    /// The numbers of the candidates; the first candidate was chosen longest ago.
    row: Vec<u16>,
}

impl TurnRotation {
    /// The index of the preferred candidate; among equal candidates the one that was chosen longest ago. The chosen candidate moves to the
    /// end of the list.
    pub fn choose_candidate(
        &mut self,
        candidates: &[ChoiceCandidate],
        is_better: impl Fn(&ChoiceCandidate, &ChoiceCandidate) -> bool,
    ) -> usize {
        for candidate in candidates {
            if !self.row.contains(&candidate.number) {
                self.row.push(candidate.number);
            }
        }
        let mut best = None;
        for (stands, &number) in self.row.iter().enumerate() {
            let Some(place) = candidates.iter().position(|candidate| candidate.number == number) else {
                continue;
            };
            if best.is_none_or(|(_, other): (usize, usize)| is_better(&candidates[place], &candidates[other]))
            {
                best = Some((stands, place));
            }
        }
        let Some((stands, place)) = best else { return 0 };
        self.row[stands..].rotate_left(1);
        place
    }
}
