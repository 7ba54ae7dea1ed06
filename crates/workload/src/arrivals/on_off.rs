//! On-off arrivals: requests come in on periods, and none come in off periods.

use sansim_kernel::{Distribution, RandomStream, Span};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Frequency, PerTime, TimeOrDistribution};
use sansim_schema::{codes, table, words};

/// The most on periods from one arrival to the next, in the mean: more periods only cost time.
const MOST_PERIODS: f64 = 10_000.0;

words! {
    /// The spacing of arrivals within an on period.
    pub enum OnOffSpacing {
        /// The same time from each to the next.
        Even = "even",
        /// As of a Poisson process.
        Random = "random",
    }
}

table! {
    /// On and off periods by turns: arrivals at one rate in the first, none in the second. With Pareto periods of a shape from 1 to 2 many
    /// such sources together are self-similar, with a Hurst parameter of (3 - shape) / 2.
    pub struct OnOffParameters {
        /// How many arrive while it is on.
        rate: Frequency = PerTime::ANY, required r#""500/s""#, source "Willinger et al. 1997";
        /// How long it is on.
        on: Distribution = TimeOrDistribution::POSITIVE, required r#"{ distribution = "pareto", mean = "100 ms", shape = 1.5 }"#, source "Willinger et al. 1997";
        /// How long it is off.
        off: Distribution = TimeOrDistribution::ANY, required r#"{ distribution = "exponential", mean = "1 s" }"#, source "Willinger et al. 1997";
        /// How the arrivals lie within an on period.
        spacing: OnOffSpacing = Choice::<OnOffSpacing>::ANY, default r#""even""#, source "Willinger et al. 1997";
    }
    checks(check_periods)
}

impl OnOffParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        self.rate.times_per_s() * self.share()
    }

    /// The share of the time in which the process is on.
    fn share(&self) -> f64 {
        self.on.mean_ns() / (self.on.mean_ns() + self.off.mean_ns())
    }

    /// The process from its beginning.
    pub fn generator(&self) -> OnOffArrivals {
        OnOffArrivals::new(self)
    }

    /// Checks that periods have a mean, and that requests arrive at some time.
    fn check_periods(&self, keys: &mut Keys<'_, '_>) {
        for (key, period) in [("on", &self.on), ("off", &self.off)] {
            if keys.all_readable(&[key]) && period.mean_ns().is_infinite() {
                let fault =
                    Diagnostic::new(codes::OUT_OF_RANGE, keys.value_position(key), "its mean is infinite")
                        .with_label("a period needs a mean")
                        .with_help("give the Pareto distribution a `cap`, or a `shape` above 1");
                keys.report(key, fault);
            }
        }
        let rare = self.on.mean_ns() * MOST_PERIODS < self.rate.gap_ns();
        if rare && keys.all_readable(&["rate", "on"]) {
            let fault = Diagnostic::new(
                codes::CONTRADICTION,
                keys.value_position("rate"),
                "hardly anything ever arrives",
            )
            .with_label(format!("needs an arrival in {MOST_PERIODS} on periods"))
            .with_help("give a higher rate, or longer on periods");
            let related = keys.value_position("on");
            keys.report_with("rate", fault, Some((related, "the on periods")));
        }
    }
}

/// Arrivals in on and off periods. The process begins at a random point of a period, so that parallel sources do not begin together; the
/// clock of the arrivals stops while the process is off.
#[derive(Clone, Debug)]
pub struct OnOffArrivals {
    parameters: OnOffParameters,
    /// The remaining time of the on period, in ns; none before the beginning.
    left_ns: Option<f64>,
}

impl OnOffArrivals {
    /// A generator at its beginning.
    pub fn new(parameters: &OnOffParameters) -> OnOffArrivals {
        OnOffArrivals { parameters: parameters.clone(), left_ns: None }
    }

    /// The time to the next arrival.
    pub fn gap(&mut self, random: &mut RandomStream) -> Span {
        let OnOffParameters { rate, on, off, spacing } = &self.parameters;
        let draw = |period: &Distribution, random: &mut RandomStream| period.draw(random).as_ns_f64();
        let mut passed_ns = 0.0;
        let mut left_ns = match self.left_ns {
            Some(left_ns) => left_ns,
            None if random.chance(self.parameters.share()) => random.unit_f64() * draw(on, random),
            None => {
                passed_ns = random.unit_f64() * draw(off, random);
                draw(on, random)
            }
        };
        let mut needed_ns = match (spacing, self.left_ns) {
            (OnOffSpacing::Random, _) => random.exponential(rate.gap_ns()),
            (OnOffSpacing::Even, Some(_)) => rate.gap_ns(),
            (OnOffSpacing::Even, None) => random.unit_f64() * rate.gap_ns(),
        };
        while needed_ns > left_ns {
            needed_ns -= left_ns;
            passed_ns += left_ns + draw(off, random);
            left_ns = draw(on, random);
        }
        self.left_ns = Some(left_ns - needed_ns);
        Span::from_ns_f64(passed_ns + needed_ns).min(Span::LONGEST)
    }
}
