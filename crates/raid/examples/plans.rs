//! Measures the cost of plans, in ns: `cargo run --release -p sansim-raid --example plans [PLANS] [LEVEL]`. The target of the cost is 300
//! ns for a small write.

use sansim_kernel::RandomStream;
use sansim_raid::{Array, ArrayParameters, MemberState, RequestPlan};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::hint::black_box;
use std::time::Instant;

/// The capacity of a member is 4 TB.
const MEMBER: u64 = 4_000_000_000_000;

fn array(layout: &str, members: usize) -> Array {
    let text = format!("[layout]\n{layout}");
    let keys =
        ArrayParameters::from_toml(&text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    Array::new(&keys, &vec![MEMBER; members]).unwrap_or_else(|error| panic!("{error}"))
}

/// The least of forty measured times for a plan that is made and worked off, in ns; offsets are drawn before.
fn cost(array: &Array, bytes: u64, write: bool, plans: usize) -> f64 {
    let mut random = RandomStream::new(1, "places");
    let places: Vec<u64> =
        (0..plans).map(|_| random.draw_below(array.layout.capacity() / bytes) * bytes).collect();
    let (mut plan, mut ready) = (RequestPlan::new(), Vec::new());
    let mut once = || {
        let start = Instant::now();
        for offset in &places {
            let planned = if write {
                array.plan_write(*offset, bytes, &mut (), &mut plan)
            } else {
                array.plan_read(*offset, bytes, &mut (), &mut plan)
            };
            black_box(planned).unwrap_or_else(|error| panic!("{error}"));
            ready.clear();
            plan.list_first_operations(&mut ready);
            while let Some(operation) = ready.pop() {
                plan.complete_operation(black_box(operation), &mut ready);
            }
        }
        start.elapsed().as_secs_f64() * 1e9 / plans as f64
    };
    (0..40).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let plans = std::env::args().nth(1).and_then(|plans| plans.parse().ok()).unwrap_or(20_000);
    let only = std::env::args().nth(2).map(|level| format!("level = \"{level}\""));
    println!("{:44} {:>10} {:>10} {:>10} {:>10}", "", "read 4K", "write 4K", "write 1M", "degraded");
    for (text, members) in [
        ("level = \"0\"", 8),
        ("level = \"1\"", 2),
        ("level = \"1+0\"", 8),
        ("level = \"5\"", 8),
        ("level = \"6\"", 12),
        ("level = \"declustered\"\ndata = 8\nparity = 2\nspares = 2", 60),
    ] {
        if only.as_ref().is_some_and(|only| !text.starts_with(only)) {
            continue;
        }
        let mut array = array(text, members);
        let [read, write] = [false, true].map(|write| cost(&array, 4096, write, plans));
        let long = cost(&array, 1 << 20, true, plans / 10);
        array.health.set_member_state(1, MemberState::Failed);
        let degraded =
            if array.layout.erasure_code().checks() > 0 { cost(&array, 4096, true, plans) } else { f64::NAN };
        let name = format!("{} of {members}", text.replace('\n', ", "));
        println!("{name:44.44} {read:10.0} {write:10.0} {long:10.0} {degraded:10.0}");
    }
}
