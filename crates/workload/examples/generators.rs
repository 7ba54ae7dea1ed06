//! Measures the cost of a draw of each generator, in ns, and the excess over a bare random number below a bound: `cargo run --release -p
//! sansim-workload --example generators [DRAWS]`. The targets of the costs are 200 ns for an I/O of a simple pattern, 400 ns for the random
//! walk.

use sansim_kernel::RandomStream;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use sansim_workload::aims::TargetDevices;
use sansim_workload::arrivals::Process;
use sansim_workload::locations::Pattern;
use sansim_workload::sizes::SizeRule;
use sansim_workload::sizes::mix::SizeMix;
use sansim_workload::sizes::named::SMIX;
use sansim_workload::spc1::streams::STREAMS;
use sansim_workload::streams::content::ContentPlan;
use sansim_workload::streams::source::RequestSource;
use sansim_workload::streams::synthetic::Synthetic;
use sansim_workload::synthetic::StreamParameters;
use std::hint::black_box;
use std::time::Instant;

/// A region of a large array.
const REGION: u64 = 100 << 40;

fn keys<T: Tabular>(text: &str) -> T {
    T::from_toml(text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

/// The least of five measured times of a draw, in ns.
fn cost(draws: u32, mut draw: impl FnMut()) -> f64 {
    let mut once = || {
        let start = Instant::now();
        (0..draws).for_each(|_| draw());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(draws)
    };
    (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn processes() -> Vec<Process> {
    vec![
        Process::Deterministic(keys("rate = \"500/s\"")),
        Process::Poisson(keys("rate = \"500/s\"")),
        Process::Normal(keys("rate = \"500/s\"")),
        Process::Uniform(keys("rate = \"500/s\"")),
        Process::Gamma(keys("rate = \"500/s\"\ncv = 1.5")),
        Process::Hyperexponential(keys("rate = \"500/s\"\ncv = 3")),
        Process::Renewal(keys("gap = { distribution = \"pareto\", mean = \"2 ms\", shape = 1.5 }")),
        Process::Mmpp(keys("rates = [\"1000/s\", \"100/s\"]\nsojourns = [\"10 ms\", \"90 ms\"]")),
        Process::OnOff(keys(
            "rate = \"1000/s\"\non = { distribution = \"pareto\", mean = \"100 ms\", shape = 1.5 }\noff = \"1 s\"",
        )),
        Process::BModel(keys("rate = \"500/s\"")),
    ]
}

fn patterns() -> Vec<Pattern> {
    vec![
        Pattern::Uniform(keys("")),
        Pattern::Sequential(keys("")),
        Pattern::Runs(keys("to = \"60 %\"\nlength = \"10 %\"")),
        Pattern::Strided(keys("stride = \"1 MiB\"")),
        Pattern::Zones(keys(
            "accesses = [\"50 %\", \"30 %\", \"20 %\"]\nsizes = [\"5 %\", \"15 %\", \"80 %\"]",
        )),
        Pattern::HotSpot(keys("")),
        Pattern::Zipf(keys("")),
        Pattern::Pareto(keys("")),
        Pattern::Normal(keys("")),
        Pattern::Permutation(keys("")),
        Pattern::Files(keys("files = 1000000\nfile_size = \"64 KiB\"")),
        Pattern::Walk(keys("")),
        Pattern::Walk(keys("style = \"v2\"")),
    ]
}

fn main() {
    let draws = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2_000_000);
    let mut random = RandomStream::new(1, "bench");
    let bare = cost(draws, || {
        black_box(random.draw_below(black_box(1_000_003)));
    });
    let told = |what: &str, ns: f64| println!("{what:32} {ns:8.1} ns {:8.1} x", ns / bare);
    told("a number below a bound", bare);
    for process in processes() {
        let mut arrivals = process.generator();
        let ns = cost(draws, || {
            black_box(arrivals.gap(&mut random));
        });
        told(&format!("arrivals, {}", process.word()), ns);
    }
    for rule in [
        SizeRule::Fixed(keys("size = \"4 KiB\"")),
        SizeRule::Range(keys("least = \"4 KiB\"\nmost = \"64 KiB\"")),
    ] {
        let mut sizes = rule.generator();
        let ns = cost(draws, || {
            black_box(sizes.draw(&mut random));
        });
        told(&format!("sizes, {}", rule.word()), ns);
    }
    let mut mix = SizeMix::from_weighted_sizes(SMIX.parts);
    let ns = cost(draws, || {
        black_box(mix.draw(&mut random));
    });
    told("sizes, mix", ns);
    // The walk is in the largest region of an SPC-1-like load on an array of 2 TiB, the other patterns in the large region.
    let regions = |pattern: &Pattern| if pattern.word() == "walk" { (2 << 40) / 50 } else { REGION };
    for pattern in patterns() {
        let mut locations = pattern.generator(regions(&pattern), &mut random);
        let ns = cost(draws, || {
            let write = random.chance(0.5);
            black_box(locations.next(4_096, write, &mut random));
        });
        told(&format!("locations, {}", pattern.word()), ns);
    }
    // The cost of a whole I/O: its time, size, direction and place.
    let walk = STREAMS[1].read_percent;
    for (name, pattern) in [("uniform", Pattern::Uniform(keys(""))), ("walk", Pattern::Walk(keys("")))] {
        let mut arrivals = Process::Poisson(keys("rate = \"500/s\"")).generator();
        let mut locations = pattern.generator(regions(&pattern), &mut random);
        let ns = cost(draws, || {
            black_box(arrivals.gap(&mut random));
            let bytes = mix.draw(&mut random);
            let write = random.chance(f64::from(walk) / 100.0);
            black_box(locations.next(bytes, write, &mut random));
        });
        told(&format!("a whole I/O, Poisson, mix, {name}"), ns);
    }
    contents(draws, &told);
}

/// Measures a whole I/O as a stream makes it, including its device among 16; a cost above its target ends the program with an error.
fn contents(draws: u32, told: &impl Fn(&str, f64)) {
    let aims = TargetDevices {
        workload: 0,
        devices: (0..16).collect(),
        capacity_blocks: vec![1 << 31; 16],
        names: Vec::new(),
    };
    let mut slow = Vec::new();
    let streams = [
        ("uniform", "", 200.0),
        ("sequential", "", 200.0),
        ("strided", "stride = \"1 MiB\"", 200.0),
        ("zipf", "", 200.0),
        ("hot-spot", "", 200.0),
        ("permutation", "", 200.0),
        ("walk", "", 400.0),
    ];
    for spread in ["random", "turns", "concatenated"] {
        for (pattern, more, most) in streams {
            let text = format!(
                "size = {{ \"4 KiB\" = 60, \"8 KiB\" = 40 }}\nread_fraction = 0.7\nspread = \"{spread}\"\n\
                 [location]\npattern = \"{pattern}\"\n{more}"
            );
            let ContentPlan::Synthetic(plan) = keys::<StreamParameters>(&text).plan("").content else {
                continue;
            };
            let mut content = Synthetic::new(&plan, &aims, 1, "bench");
            let ns = cost(draws, || {
                black_box(content.next(None));
            });
            let what = format!("a stream, {pattern}, {spread}");
            told(&what, ns);
            if ns > most {
                slow.push(format!("{what}: {ns:.0} ns, may be {most:.0} ns"));
            }
        }
    }
    if !slow.is_empty() {
        eprintln!("{}", slow.join("\n"));
        std::process::exit(1);
    }
}
