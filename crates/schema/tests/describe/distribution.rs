//! Tests of times and their distributions as they are written, and of numbers, lists and frequencies.

use sansim_kernel::{Distribution, Span};
use sansim_schema::context::Facts;
use sansim_schema::quantities::{Frequency, ListOf, Number, PerTime, Size, TimeOrDistribution};
use sansim_schema::table;
use sansim_schema::table::Tabular;
use sansim_schema::writer::TomlWriter;

table! {
    /// Something that takes its time.
    pub struct Something {
        /// How long it takes.
        takes: Distribution = TimeOrDistribution::ANY, default r#""0 ns""#, source "";
        /// How long until the next.
        gap: Distribution = TimeOrDistribution::POSITIVE, default r#""1 ms""#, source "";
        /// How often.
        rate: Frequency = PerTime::ANY, default r#""500/s""#, source "";
        /// How skewed.
        theta: f64 = Number::between(0.0, 2.5), default "1.1", source "";
        /// How large.
        sizes: Vec<u64> = ListOf::between(1, 3, Size::between(1, 1 << 30)), default r#"["4 KiB"]"#, source "";
    }
}

fn read(text: &str) -> Result<Something, String> {
    Something::from_toml(text, &Facts::default()).map_err(|report| report.to_string())
}

fn refused(text: &str, because: &str) {
    let report = read(text).expect_err(text);
    assert!(report.contains(because), "{text}:\n{report}");
}

#[test]
fn every_distribution_reads_back_as_it_is_written() {
    assert_eq!(Something::unreadable_defaults(&Facts::default()), Vec::<&str>::new());
    for value in [
        "\"2 ms\"",
        "{ distribution = \"exponential\", mean = \"2 ms\" }",
        "{ distribution = \"uniform\", low = \"1 ms\", high = \"2 ms\" }",
        "{ distribution = \"normal\", mean = \"2 ms\", deviation = \"500 us\" }",
        "{ distribution = \"gamma\", mean = \"2 ms\", cv = 1.5 }",
        "{ distribution = \"erlang\", mean = \"2 ms\", phases = 4 }",
        "{ distribution = \"hyperexponential\", mean = \"2 ms\", cv = 3.0 }",
        "{ distribution = \"lognormal\", mean = \"2 ms\", cv = 0.5 }",
        "{ distribution = \"weibull\", mean = \"2 ms\", shape = 0.5 }",
        "{ distribution = \"pareto\", least = \"2 ms\", shape = 1.5 }",
        "{ distribution = \"pareto\", mean = \"2 ms\", shape = 0.9, cap = \"1 s\" }",
        "{ distribution = \"empirical\", values = [\"1 ms\", \"2 ms\"], weights = [1.0, 3.5] }",
    ] {
        let something = read(&format!("takes = {value}")).unwrap_or_else(|report| panic!("{report}"));
        let mut writer = TomlWriter::new(Facts::default());
        something.write(&mut writer);
        assert!(writer.out.contains(&format!("takes = {value}\n")), "{}", writer.out);
        assert_eq!(read(&writer.out), Ok(something), "{value}");
    }
    let fixed =
        read("takes = { distribution = \"fixed\", value = \"1 s\" }").map(|something| something.takes);
    assert_eq!(fixed, Ok(Distribution::Fixed(Span::from_s(1))));
    let equal = read("takes = { distribution = \"empirical\", values = [\"1 ms\", \"3 ms\"] }");
    assert_eq!(equal.map(|something| something.takes.mean_ns()), Ok(2e6));
}

#[test]
fn what_is_no_distribution_says_why_and_what_instead() {
    let takes = |keys: &str| format!("takes = {{ distribution = {keys} }}");
    for (keys, because) in [
        ("\"gamma\", mean = \"2 ms\"", "\"gamma\" needs cv = a number, 0.001 to 100"),
        ("\"gamma\", mean = \"2 ms\", cv = 0", "must be from 0.001 to 100"),
        ("\"hyperexponential\", mean = \"2 ms\", cv = 0.5", "must be from 1 to 100"),
        ("\"erlang\", mean = \"2 ms\", phases = 0", "must be at least 1"),
        ("\"pareto\", shape = 1.5", "needs either `least` or `mean`"),
        ("\"pareto\", least = \"1 s\", mean = \"1 s\", shape = 1.5", "needs either `least` or `mean`"),
        ("\"pareto\", mean = \"1 s\", shape = 1.0", "the mean is infinite for a shape up to 1"),
        ("\"pareto\", least = \"1 s\", shape = 1.5, cap = \"1 ms\"", "the `cap` leaves nothing"),
        ("\"pareto\", least = \"0 s\", shape = 1.5", "begins above zero"),
        ("\"empirical\", values = []", "needs at least 1"),
        ("\"empirical\", values = [\"1 s\"], weights = [1, 2]", "not as many weights as values"),
        ("\"empirical\", values = [\"1 s\"], weights = [0]", "all weights are zero"),
        ("\"weibul\", mean = \"2 ms\", shape = 1", "did you mean \"weibull\"?"),
    ] {
        refused(&takes(keys), because);
    }
    refused("gap = \"0 ns\"", "must be at least 1 ns on the average");
    refused(
        "gap = { distribution = \"exponential\", mean = \"0 ns\" }",
        "must be at least 1 ns on the average",
    );
}

#[test]
fn a_frequency_is_written_per_second_minute_or_hour() {
    let rate = |text: &str| read(&format!("rate = \"{text}\"")).map(|something| something.rate);
    assert_eq!(rate("500/s"), Ok(Frequency::per_s(500)));
    assert_eq!(rate("90 /min"), Ok(Frequency { micro_per_s: 1_500_000 }));
    assert_eq!(Frequency::per_s(500).gap_ns(), 2e6);
    refused("rate = \"500\"", "/s");
    refused("rate = 500", "write \"500 /s\"");
    refused("rate = \"500 IOPS\"", "did you mean \"500 /s\"?");
    refused("rate = \"5 kIOPS\"", "did you mean \"5000 /s\"?");
    refused("rate = \"0/s\"", "must be at least 0.000001/s");
    refused("rate = \"5 MB/s\"", "a rate");
}

#[test]
fn numbers_and_lists_keep_to_their_bounds() {
    refused("theta = 3", "must be from 0 to 2.5");
    refused("theta = \"1.1\"", "write 1.1 without quotes");
    refused("sizes = []", "needs at least 1");
    refused("sizes = [\"1 B\", \"1 B\", \"1 B\", \"1 B\"]", "must have at most 3");
    refused("sizes = \"1 B\"", "a list in brackets");
    let sizes = read("sizes = [\"1 KiB\", \"3 B\"]").map(|something| something.sizes);
    assert_eq!(sizes, Ok(vec![1024, 3]));
}
