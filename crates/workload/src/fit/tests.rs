//! Tests of fits of traces that were made by a known workload.

use super::draw::draw;
use super::stream::FittedStream;
use super::*;
use sansim_trace::{Trace, TraceReadOptions, TraceWriter};

const CAPACITY: u64 = 1 << 30;
/// The seed differs from that of the fit, which would draw the very same trace.
const OTHER_SEED: u64 = 2;

/// A trace of this many requests of streams with these keys, each stream a volume.
fn trace(streams: &[&str], requests: u64) -> Trace {
    let read = |(number, toml): (usize, &&str)| {
        let toml = format!("{toml}\nspread = \"concatenated\"");
        FittedStream::read(number.to_string(), number as u32, "", toml).unwrap()
    };
    let streams: Vec<FittedStream> = streams.iter().enumerate().map(read).collect();
    let mut names = sansim_trace::VolumeNames::default();
    streams.iter().for_each(|stream| _ = names.volume_number(stream.name.as_bytes()));
    let mut writer = TraceWriter::new("made", "csv", Vec::new()).unwrap();
    draw(&streams, CAPACITY, requests, OTHER_SEED, &mut |record| writer.write(record, &names).unwrap());
    let (_, _, bytes) = writer.finish().unwrap();
    Trace::read_source("made", std::io::Cursor::new(bytes), &TraceReadOptions::default()).unwrap()
}

fn fit(mut trace: Trace) -> FittedWorkload {
    FittedWorkload::fit_to_trace(TraceStatistics::read_trace(&mut trace, &mut |_| true).unwrap(), false)
        .unwrap()
}

/// The value of a figure for the trace and for the fit.
fn both(fit: &FittedWorkload, figure: &str) -> (f64, f64) {
    let found = fit.compared.iter().find(|compared| compared.figure == figure).unwrap();
    (found.trace.unwrap(), found.fitted.unwrap())
}

/// Checks that the figures of trace and fit are within this share of each other.
fn assert_near(fit: &FittedWorkload, figures: &[(&str, f64)]) {
    for (figure, within) in figures {
        let (trace, fitted) = both(fit, figure);
        assert!(
            (fitted - trace).abs() <= within * trace.abs(),
            "{figure}: {trace} and {fitted}\n{}",
            fit.toml()
        );
    }
}

const POISSON: &str = r#"
arrivals = { process = "poisson", rate = "400/s" }
size = { "4 KiB" = 70, "64 KiB" = 30 }
read_fraction = 0.7
location = { pattern = "uniform" }"#;

#[test]
fn poisson_arrivals_are_found_to_be_such_and_the_mix_is_kept() {
    let fit = fit(trace(&[POISSON], 40_000));
    assert!(fit.toml().contains("process = \"poisson\""), "{}", fit.toml());
    assert_near(
        &fit,
        &[
            ("moved_per_s", 0.02),
            ("mean_bytes", 0.02),
            ("read_fraction", 0.02),
            ("inter_arrival_cv", 0.02),
            ("dispersion_100_ms", 0.15),
        ],
    );
    assert!(fit.distance_of_sizes.unwrap() < 0.01);
}

#[test]
fn bursts_are_kept_within_a_third_at_every_scale_that_the_trace_tells() {
    let bursty = POISSON
        .replace("process = \"poisson\"", "process = \"b-model\", b = 0.7, span = \"100 s\", levels = 14");
    let fit = fit(trace(&[&bursty], 40_000));
    let figures = ["inter_arrival_cv", "dispersion_10_ms", "dispersion_100_ms", "dispersion_1_s"];
    assert_near(&fit, &figures.map(|figure| (figure, 0.34)));
    assert!(both(&fit, "dispersion_1_s").0 > 5.0, "the trace is bursty");
}

#[test]
fn gaps_of_a_high_cv_are_kept() {
    let gaps = POISSON.replace("process = \"poisson\"", "process = \"hyperexponential\", cv = 3.0");
    assert_near(&fit(trace(&[&gaps], 40_000)), &[("inter_arrival_cv", 0.1), ("dispersion_1_s", 0.4)]);
}

#[test]
fn a_volume_that_is_partly_sequential_gets_two_streams_that_are_as_sequential_together() {
    let runs = POISSON.replace(
        "\"uniform\" }",
        "\"runs\", from = \"0 %\", to = \"90 %\", length = \"0.02 %\", align = \"4 KiB\" }",
    );
    let fit = fit(trace(&[&runs], 40_000));
    assert!(fit.toml().contains("all-sequential") && fit.toml().contains("all-random"), "{}", fit.toml());
    let (trace, fitted) = both(&fit, "sequential_share");
    assert!((0.2..0.95).contains(&trace) && (trace - fitted).abs() < 0.02, "{trace} and {fitted}");
}

#[test]
fn what_is_met_again_is_met_again_as_often() {
    let zipf =
        POISSON.replace("\"uniform\" }", "\"zipf\", theta = 1.0 }").replace("\"64 KiB\"", "\"4096 B\"");
    let fit = fit(trace(&[&zipf], 40_000));
    assert!(fit.toml().contains("theta = "), "{}", fit.toml());
    let (trace, fitted) = both(&fit, "touched_again_share");
    assert!(trace > 0.3 && (trace - fitted).abs() < 0.03, "{trace} and {fitted}");
}

#[test]
fn each_volume_is_a_stream_with_its_own_mix_and_many_volumes_are_one() {
    let writes = POISSON.replace("read_fraction = 0.7", "read_fraction = 0.0").replace("400/s", "100/s");
    let two = fit(trace(&[POISSON, &writes], 20_000));
    assert_eq!(two.streams.len(), 2);
    assert_eq!(two.left_out, [] as [String; 0]);
    let of = |info: &TraceInfo| info.volumes.iter().map(|volume| volume.reads).collect::<Vec<u64>>();
    assert!(of(&two.drawn)[0] > 10_000);
    assert_eq!(of(&two.drawn)[1], 0);
    let many = fit(trace(&[POISSON; together::MOST_VOLUMES + 1], 20_000));
    assert_eq!(many.streams.len(), 1);
    assert_eq!(many.left_out, ["9 volumes are one: each gets a stream of its own up to 8"]);
}

#[test]
fn volumes_are_one_if_that_is_asked_for_and_odd_sizes_are_told() {
    let odd = POISSON.replace("\"4 KiB\" = 70", "\"1000 B\" = 70");
    let measured = TraceStatistics::read_trace(&mut trace(&[POISSON, &odd], 2_000), &mut |_| true).unwrap();
    let wide = measured.whole.sizes.iter().find(|size| size.bytes == 1_000).unwrap().requests;
    let fit = FittedWorkload::fit_to_trace(measured, true).unwrap();
    assert_eq!(fit.streams.len(), 1);
    let widened = format!("{wide} requests are widened to whole blocks of 512 bytes");
    assert_eq!(fit.left_out, ["2 volumes are one", &widened]);
}

#[test]
fn too_little_to_be_fitted_says_so() {
    let measured = TraceStatistics::read_trace(&mut trace(&[POISSON], 99), &mut |_| true).unwrap();
    assert_eq!(
        FittedWorkload::fit_to_trace(measured, false).unwrap_err(),
        "99 reads and writes are too few to be fitted; at least 100 are needed"
    );
    assert!(TraceStatistics::read_trace(&mut trace(&[POISSON], 20_000), &mut |_| false).is_none());
}

#[test]
fn a_fit_is_the_same_every_time() {
    let twice = [0; 2].map(|_| fit(trace(&[POISSON], 2_000)).toml());
    assert_eq!(twice[0], twice[1]);
}

/// A fit of two volumes that get the requests of one bursty stream alternately.
fn of_one_stream(as_one: bool) -> FittedWorkload {
    let bursty = POISSON
        .replace("process = \"poisson\"", "process = \"b-model\", b = 0.7, span = \"100 s\", levels = 14");
    let mut names = sansim_trace::VolumeNames::default();
    ["even", "odd"].iter().for_each(|name| _ = names.volume_number(name.as_bytes()));
    let mut writer = TraceWriter::new("made", "csv", Vec::new()).unwrap();
    for (number, record) in trace(&[&bursty], 40_000).enumerate() {
        let volume = number as u32 % 2;
        writer.write(&sansim_trace::TraceRecord { volume, ..record.unwrap() }, &names).unwrap();
    }
    let (_, _, bytes) = writer.finish().unwrap();
    let mut trace =
        Trace::read_source("made", std::io::Cursor::new(bytes), &TraceReadOptions::default()).unwrap();
    FittedWorkload::fit_to_trace(TraceStatistics::read_trace(&mut trace, &mut |_| true).unwrap(), as_one)
        .unwrap()
}

#[test]
fn bursts_that_volumes_have_together_are_told_as_what_a_stream_for_each_loses() {
    let fit = of_one_stream(false);
    for together in &fit.together {
        // Doubled counts have four times the variance, and the sum of two independent counts has twice the variance.
        let ratio = together.index / together.apart;
        assert!((1.8..=2.0).contains(&ratio), "{together:?}");
        let place = fit.trace.dispersion.iter().find(|one| one.scale_s == together.scale_s).unwrap();
        assert!((place.index.unwrap() / together.index - 1.0).abs() < 1e-9, "{together:?}");
    }
    assert_eq!(fit.together.len(), 3, "100 s have nine whole bins of 10 s");
    assert!(
        fit.left_out[0].starts_with("volumes are busy together: the index of dispersion at"),
        "{:?}",
        fit.left_out
    );
    let as_one = of_one_stream(true);
    assert!(as_one.together.is_empty() && !as_one.left_out.iter().any(|text| text.contains("busy together")));
}

#[test]
fn volumes_that_have_nothing_to_do_with_each_other_are_not_said_to_be_busy_together() {
    let fit = fit(trace(&[POISSON, POISSON], 40_000));
    assert!(!fit.together.is_empty());
    assert!(fit.left_out.is_empty(), "{:?}", fit.left_out);
}
