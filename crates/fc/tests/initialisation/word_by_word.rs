//! Ports that see each word, and know only what they receive.

use sansim_fc::arbitrated_loop::initialisation::InitialisationStep;
use sansim_fc::initialisation_frame::InitialisationFrame;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Idle,
    Lip,
    ArbF0,
    Close,
    /// A word of a frame: its kind, its number from 0, and the port that began it.
    Frame(InitialisationFrame, u64, usize),
}

#[derive(Clone, Debug)]
enum Phase {
    Monitoring,
    /// Waits for its own LIPs, and sends LIPs.
    Initialising,
    OpenInit {
        lips: u64,
        idles: u64,
    },
    SelectsMaster {
        best: usize,
        /// When the best name may be sent.
        from: u64,
        sending: Option<(usize, u64)>,
        gap: u64,
        sent_any: bool,
    },
    Master {
        f0_from: u64,
    },
    PassesFrames,
}

#[derive(Clone, Debug)]
struct Port {
    phase: Phase,
    lips_in_a_row: u64,
    sends: VecDeque<(u64, InitialisationFrame)>,
    sending: Option<(InitialisationFrame, u64)>,
    next_of_master: usize,
}

/// Goes on from slot to slot until the master has its CLS back. All delays are whole words. Returns the steps, by slot.
pub(super) fn steps(
    delays: &[u64],
    begins: usize,
    hold: u64,
    al_time: u64,
) -> Vec<(u64, usize, InitialisationStep)> {
    let count = delays.len();
    // The words on the way to each port, the oldest first.
    let mut ways: Vec<VecDeque<Word>> =
        delays.iter().map(|&delay| std::iter::repeat_n(Word::Idle, delay as usize).collect()).collect();
    let port = Port {
        phase: Phase::Monitoring,
        lips_in_a_row: 0,
        sends: VecDeque::new(),
        sending: None,
        next_of_master: 0,
    };
    let mut ports = vec![port; count];
    ports[begins].phase = Phase::Initialising;
    let mut steps: Vec<(u64, usize, InitialisationStep)> = Vec::new();
    let mut closing = vec![false; count];
    let (mut shows_lip, mut shows_f0) = (vec![false; count], vec![false; count]);
    for now in 0.. {
        let received: Vec<Word> =
            ways.iter_mut().map(|way| way.pop_front().expect("a word is on the way")).collect();
        for place in 0..count {
            let (word, port) = (received[place], &mut ports[place]);
            let sent = port.slot(now, place, word, (hold, al_time));
            match sent {
                Word::Lip if !std::mem::replace(&mut shows_lip[place], true) => {
                    steps.push((now, place, InitialisationStep::Lip));
                }
                Word::ArbF0 if !std::mem::replace(&mut shows_f0[place], true) => {
                    steps.push((now, place, InitialisationStep::ArbF0));
                }
                Word::Close => {
                    closing[place] = true;
                    steps.push((now, place, InitialisationStep::Close));
                }
                Word::Frame(frame, 0, by) if frame != InitialisationFrame::SelectMaster || by == 0 => {
                    let step = InitialisationStep::Frame(frame);
                    if !steps.iter().any(|&(_, other, of)| (other, of) == (place, step)) {
                        steps.push((now, place, step));
                    }
                }
                _ => {}
            }
            let next = (place + 1) % count;
            ways[next].push_back(sent);
            if word == Word::Close && closing[place] && sent != Word::Close {
                return steps;
            }
        }
    }
    unreachable!("the slots do not end")
}

impl Port {
    fn slot(&mut self, now: u64, me: usize, word: Word, (hold, al_time): (u64, u64)) -> Word {
        // A primitive sequence is recognised by three equal words, and the port reacts in the next slot.
        let recognised = self.lips_in_a_row >= 3;
        self.lips_in_a_row = if word == Word::Lip { self.lips_in_a_row + 1 } else { 0 };
        match &mut self.phase {
            Phase::Monitoring if recognised => {
                self.phase = Phase::OpenInit { lips: 0, idles: 0 };
                self.slot_in_open_init(now, me, al_time)
            }
            Phase::Monitoring => word,
            Phase::Initialising if recognised => {
                self.phase = Phase::OpenInit { lips: 0, idles: 0 };
                self.slot_in_open_init(now, me, al_time)
            }
            Phase::Initialising => Word::Lip,
            Phase::OpenInit { .. } => self.slot_in_open_init(now, me, al_time),
            Phase::SelectsMaster { best, from, .. } => {
                if word == Word::ArbF0 {
                    self.phase = Phase::PassesFrames;
                    return word;
                }
                // The last word of the frame came in the slot before the next.
                if let Word::Frame(InitialisationFrame::SelectMaster, 11, by) = word {
                    let may_go_at = now + 1 + hold;
                    if by == me {
                        self.phase = Phase::Master { f0_from: may_go_at };
                        return self.selecting(now, me);
                    }
                    if by < *best {
                        (*best, *from) = (by, may_go_at);
                    }
                }
                self.selecting(now, me)
            }
            Phase::Master { f0_from } => {
                let f0_from = *f0_from;
                self.master(now, me, word, f0_from, hold)
            }
            Phase::PassesFrames => {
                if let Word::Frame(frame, number, _) = word
                    && number + 1 == frame.length_in_words()
                {
                    self.sends.push_back((now + 1 + hold, frame));
                }
                match word {
                    Word::Frame(..) => self.next_word(now, me).unwrap_or(Word::Idle),
                    _ => self.next_word(now, me).unwrap_or(word),
                }
            }
        }
    }

    fn slot_in_open_init(&mut self, now: u64, me: usize, al_time: u64) -> Word {
        let Phase::OpenInit { lips, idles } = &mut self.phase else { unreachable!("in OPEN-INIT") };
        if *lips < 12 {
            *lips += 1;
            return Word::Lip;
        }
        if *idles < al_time {
            *idles += 1;
            return Word::Idle;
        }
        self.phase = Phase::SelectsMaster { best: me, from: 0, sending: None, gap: 0, sent_any: false };
        self.selecting(now, me)
    }

    /// The next word of LISM after LISM.
    fn selecting(&mut self, now: u64, me: usize) -> Word {
        let Phase::SelectsMaster { best, from, sending, gap, sent_any } = &mut self.phase else {
            return Word::Idle;
        };
        let length = InitialisationFrame::SelectMaster.length_in_words();
        if sending.is_none() && *gap == 0 {
            let name = if now >= *from { *best } else { me };
            (*sending, *sent_any) = (Some((name, 0)), true);
        }
        match sending {
            Some((name, number)) => {
                let word = Word::Frame(InitialisationFrame::SelectMaster, *number, *name);
                *number += 1;
                if *number == length {
                    (*sending, *gap) = (None, 6);
                }
                word
            }
            None => {
                *gap -= 1;
                Word::Idle
            }
        }
    }

    fn master(&mut self, now: u64, me: usize, word: Word, f0_from: u64, hold: u64) -> Word {
        if now < f0_from {
            return Word::Idle;
        }
        match word {
            // The answer to the first ARB(F0) that is back begins in the next slot.
            Word::ArbF0 if self.next_of_master == 0 => {
                self.next_of_master = 1;
                self.sends.push_back((now + 1, InitialisationFrame::ALL[1]));
            }
            Word::Frame(frame, number, _)
                if number + 1 == frame.length_in_words() && frame != InitialisationFrame::SelectMaster =>
            {
                self.next_of_master += 1;
                match InitialisationFrame::ALL.get(self.next_of_master) {
                    Some(&next) => self.sends.push_back((now + 1 + hold, next)),
                    None => self.phase = Phase::Master { f0_from: now + 1 + hold },
                }
                if self.next_of_master == InitialisationFrame::ALL.len() {
                    self.sends.push_back((now + 1 + hold, InitialisationFrame::LoopPosition));
                }
            }
            _ => {}
        }
        if self.next_of_master == InitialisationFrame::ALL.len() {
            let is_due = self.sends.front().is_some_and(|&(at, _)| at == now);
            return if is_due { Word::Close } else { Word::Idle };
        }
        if self.next_of_master == 0 {
            return Word::ArbF0;
        }
        self.next_word(now, me).unwrap_or(Word::Idle)
    }

    fn next_word(&mut self, now: u64, me: usize) -> Option<Word> {
        if self.sending.is_none()
            && let Some(&(at, frame)) = self.sends.front()
            && at <= now
        {
            self.sends.pop_front();
            self.sending = Some((frame, 0));
        }
        let (frame, number) = self.sending?;
        self.sending = (number + 1 < frame.length_in_words()).then_some((frame, number + 1));
        Some(Word::Frame(frame, number, me))
    }
}
