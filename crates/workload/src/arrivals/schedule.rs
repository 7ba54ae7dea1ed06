//! Schedules of arrival processes, one after another: rates that change with the time of day, a warm-up, a pause.

use super::{Arrivals, InPhase, Process};
use sansim_kernel::{RandomStream, Span, TICKS_PER_NS};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Flag, LONGEST, Time};
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table};

/// The duration of a phase is above zero, and can be represented in simulated time.
const LASTING: Time = Time { range: (TICKS_PER_NS, LONGEST) };

table! {
    /// Nothing arrives.
    #[derive(Copy, Eq)]
    pub struct ArrivalPause {}
}

table! {
    /// A part of a schedule: for so long arrivals come by this process.
    pub struct PhaseParameters {
        /// How long it lasts.
        duration: Span = LASTING, required r#""10 s""#, source "";
    }
    tables {
        /// The arrivals of the phase.
        arrivals: InPhase;
    }
}

table! {
    /// Processes one behind another, in the order of the file: rates that change with the time of day, a warm-up, a pause.
    pub struct ScheduleParameters {
        /// Whether it begins anew after the last phase; if not, nothing arrives any more.
        repeats: bool = Flag, default "true", source "ours: the load goes on as long as the run does";
    }
    named {
        /// The phases, in the order of the file.
        phases: PhaseParameters;
    }
    checks(check_phases)
}

impl ScheduleParameters {
    /// The phases, in their order.
    pub fn phases(&self) -> Vec<Phase> {
        let phase = |named: &NamedValue<PhaseParameters>| Phase {
            duration: named.described.duration,
            process: named.described.arrivals.process(),
        };
        self.phases.iter().map(phase).collect()
    }

    /// The schedule from its beginning; none if no request ever arrives.
    pub fn generator(&self) -> Option<ArrivalSchedule> {
        ArrivalSchedule::new(&self.phases(), self.repeats)
    }

    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        ArrivalSchedule::rate_per_s(&self.phases())
    }

    /// Checks that a request arrives at some time.
    fn check_phases(&self, keys: &mut Keys<'_, '_>) {
        if self.generator().is_some() || !keys.all_readable(&["phases"]) {
            return;
        }
        let fault =
            Diagnostic::new(codes::CONTRADICTION, keys.header_position(), "nothing would ever arrive")
                .with_label("a schedule needs a phase in which something does")
                .with_help(format!("add [{}.day] with a duration and arrivals", keys.full_path("phases")));
        keys.report("phases", fault);
    }
}

/// A part of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// The duration of the phase, which is above zero.
    pub duration: Span,
    /// The arrival process; none in a pause.
    pub process: Option<Process>,
}

/// The generator of a schedule. The clock of a process advances only while its phase lasts: an arrival that is due after the end of the
/// phase comes when the phase is current again.
#[derive(Clone, Debug)]
pub struct ArrivalSchedule {
    phases: Vec<Turn>,
    repeats: bool,
    /// The current phase, and its remaining time.
    now: usize,
    left: Span,
}

#[derive(Clone, Debug)]
struct Turn {
    duration: Span,
    process: Option<Arrivals>,
    /// The time of this process to its next arrival, if it is drawn.
    next: Option<Span>,
}

impl ArrivalSchedule {
    /// A schedule of these phases, repeated or once. None if no request would ever arrive: no phase has a process, or a phase has a
    /// duration of zero.
    pub fn new(phases: &[Phase], repeats: bool) -> Option<ArrivalSchedule> {
        let sound = phases.iter().any(|phase| phase.process.is_some())
            && phases.iter().all(|phase| !phase.duration.is_zero());
        let turn = |phase: &Phase| Turn {
            duration: phase.duration,
            process: phase.process.as_ref().map(Process::generator),
            next: None,
        };
        let left = phases.first()?.duration;
        sound.then(|| ArrivalSchedule { phases: phases.iter().map(turn).collect(), repeats, now: 0, left })
    }

    /// The rates of phases change.
    pub fn change(&mut self, before: &[Phase], after: &[Phase]) {
        for (turn, (was, is)) in self.phases.iter_mut().zip(before.iter().zip(after)) {
            let (Some(was), Some(is)) = (&was.process, &is.process) else { continue };
            if was != is {
                turn.process = Some(is.generator());
                turn.next = turn.next.map(|left| was.time_left_at_rate_of(is, left));
            }
        }
    }

    /// The mean number of arrivals per second, over a round of the phases, or until the end.
    pub fn rate_per_s(phases: &[Phase]) -> f64 {
        let rate = |phase: &Phase| phase.process.as_ref().map_or(0.0, Process::rate_per_s);
        let seconds: f64 = phases.iter().map(|phase| phase.duration.as_s_f64()).sum();
        phases.iter().map(|phase| rate(phase) * phase.duration.as_s_f64()).sum::<f64>() / seconds
    }

    /// The time to the next arrival; none when the last phase is over. The time to the next arrival is at most [`Span::LONGEST`].
    pub fn gap(&mut self, random: &mut RandomStream) -> Option<Span> {
        let mut passed = Span::ZERO;
        loop {
            let turn = self.phases.get_mut(self.now)?;
            if let Some(process) = &mut turn.process {
                let next = *turn.next.get_or_insert_with(|| process.gap(random));
                if next <= self.left {
                    turn.next = None;
                    self.left -= next;
                    return Some((passed + next).min(Span::LONGEST));
                }
                turn.next = Some(next - self.left);
            }
            passed += self.left;
            if passed > Span::LONGEST {
                // The arrival is later than the end of any run.
                return Some(Span::LONGEST);
            }
            self.now += 1;
            if self.now == self.phases.len() && self.repeats {
                self.now = 0;
                passed += self.skip_rounds(Span::LONGEST);
            }
            self.left = self.phases.get(self.now).map_or(Span::ZERO, |turn| turn.duration);
        }
    }

    /// Skips whole rounds without arrivals, as long as they last no longer than `most` together, and returns their duration.
    fn skip_rounds(&mut self, most: Span) -> Span {
        let round: Span = self.phases.iter().fold(Span::ZERO, |sum, turn| sum + turn.duration);
        let mut rounds = most.ticks() / round.ticks();
        for turn in self.phases.iter().filter(|turn| turn.process.is_some()) {
            // An arrival exactly at the end of its phase belongs to that round.
            let next = turn.next.unwrap_or(Span::ZERO).ticks().saturating_sub(1);
            rounds = rounds.min(next / turn.duration.ticks());
        }
        for turn in &mut self.phases {
            turn.next = turn.next.map(|next| Span(next.ticks() - rounds * turn.duration.ticks()));
        }
        Span(rounds * round.ticks())
    }
}
