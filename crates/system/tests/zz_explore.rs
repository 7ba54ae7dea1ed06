mod common;
#[test]
fn explore() {
    let file = std::env::var("F").unwrap();
    let base = std::env::var("S").unwrap_or_default();
    for size in std::env::var("SIZES").unwrap().split(' ') {
        print!("{size:>5} KiB ");
        for depth in std::env::var("QD").unwrap().split(' ') {
            print!("QD{depth}:");
            for mix in std::env::var("MIX").unwrap().split(' ') {
                let kib: f64 = size.parse().unwrap();
                let ios = ((25_000.0 * 2.0 / kib) as u64).clamp(300, 3000);
                let mut sets = vec![
                    format!("workload.size={} B", (kib * 1024.0) as u64),
                    format!("workload.read_fraction={mix}"),
                    format!("workload.queue_depth={depth}"),
                    format!("run.measured_ios={ios}"),
                    "run.warm_up=10".into(),
                ];
                sets.extend(base.split(';').filter(|s| !s.is_empty()).map(String::from));
                let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
                let s = common::run(&file, &sets);
                print!(" {:7.2}", s.bytes_per_second / 1048576.0);
            }
            print!("  ");
        }
        println!();
    }
}
