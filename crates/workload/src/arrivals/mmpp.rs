//! Markov-modulated Poisson arrivals.

use sansim_kernel::{RandomStream, Span, Weighted};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Frequency, ListOf, PerTime, Time};
use sansim_schema::{codes, table};

/// The most states: a process with more states could as well be a trace.
const MOST_STATES: usize = 64;
/// The most changes of state from one arrival to the next, in the mean: more changes only cost time.
const MOST_CHANGES: f64 = 10_000.0;

table! {
    /// Markov-modulated Poisson arrivals (MMPP): Poisson arrivals at a rate that depends on a state, which lasts an exponential time; the
    /// next state is any of the others, each as likely.
    pub struct MmppParameters {
        /// The rate in each state.
        rates: Vec<Frequency> = ListOf::between(2, MOST_STATES, PerTime::OR_NEVER), required r#"["1000/s", "100/s"]"#, source "Fischer and Meier-Hellstern 1993";
        /// How long each state lasts, on the average.
        sojourns: Vec<Span> = ListOf::between(2, MOST_STATES, Time::between(Span::from_us(1), Span::from_s(3_600))), required r#"["10 ms", "90 ms"]"#, source "Fischer and Meier-Hellstern 1993";
    }
    checks(check_states)
}

impl MmppParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        let states = || self.rates.iter().zip(&self.sojourns);
        let time: f64 = states().map(|(_, sojourn)| sojourn.as_s_f64()).sum();
        states().map(|(rate, sojourn)| rate.times_per_s() * sojourn.as_s_f64()).sum::<f64>() / time
    }

    /// The process from its beginning.
    pub fn generator(&self) -> MmppArrivals {
        MmppArrivals::new(self)
    }

    /// Checks that there are as many rates as sojourns, and that requests arrive at some time.
    fn check_states(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["rates", "sojourns"]) {
            return;
        }
        if self.rates.len() != self.sojourns.len() {
            let message = "there are not as many sojourns as rates";
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("sojourns"), message)
                .with_label("needs one for each rate");
            let related = (keys.value_position("rates"), "the rates");
            keys.report_with("sojourns", fault, Some(related));
            return;
        }
        let seconds: f64 = self.sojourns.iter().map(|sojourn| sojourn.as_s_f64()).sum();
        let changes_per_s = self.sojourns.len() as f64 / seconds;
        if self.rate_per_s() * MOST_CHANGES < changes_per_s {
            let fault = Diagnostic::new(
                codes::CONTRADICTION,
                keys.value_position("rates"),
                "hardly anything ever arrives",
            )
            .with_label(format!("needs an arrival in {MOST_CHANGES} changes of state"))
            .with_help("give a higher rate, or longer sojourns");
            keys.report("rates", fault);
        }
    }
}

/// Markov-modulated Poisson arrivals, stationary from the beginning.
#[derive(Clone, Debug)]
pub struct MmppArrivals {
    /// The mean time between arrivals in each state, and the mean duration of the state, in ns.
    states: Vec<(f64, f64)>,
    /// The distribution of the first state.
    first: Option<Weighted>,
    state: usize,
    /// The remaining time of the state, in ns.
    left_ns: f64,
}

impl MmppArrivals {
    /// A generator at its beginning.
    pub fn new(parameters: &MmppParameters) -> MmppArrivals {
        let states = parameters.rates.iter().zip(&parameters.sojourns);
        let states: Vec<(f64, f64)> =
            states.map(|(rate, sojourn)| (rate.gap_ns(), sojourn.as_ns_f64())).collect();
        let weights: Vec<f64> = states.iter().map(|(_, sojourn_ns)| *sojourn_ns).collect();
        MmppArrivals { first: Weighted::new(&weights), states, state: 0, left_ns: 0.0 }
    }

    /// The time to the next arrival.
    pub fn gap(&mut self, random: &mut RandomStream) -> Span {
        if let Some(first) = self.first.take() {
            self.state = first.draw(random);
            // The remainder of an exponential time has the same distribution as the whole time.
            self.left_ns = random.exponential(self.states[self.state].1);
        }
        let mut passed_ns = 0.0;
        loop {
            let gap_ns = random.exponential(self.states[self.state].0);
            if gap_ns < self.left_ns {
                self.left_ns -= gap_ns;
                return Span::from_ns_f64(passed_ns + gap_ns).min(Span::LONGEST);
            }
            passed_ns += self.left_ns;
            let other = random.draw_below(self.states.len() as u64 - 1) as usize;
            self.state = if other < self.state { other } else { other + 1 };
            self.left_ns = random.exponential(self.states[self.state].1);
        }
    }
}
