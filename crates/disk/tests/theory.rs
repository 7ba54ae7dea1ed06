//! Tests of disks against formulas, and of laws that no disk may break.

use sansim_disk::alone::{CommandSums, serve_commands};
use sansim_disk::{BufferHit, Disk, DiskCommand, DiskParameters, Preset, ServedCommand};
use sansim_kernel::{RandomStream, Span, Time};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

fn disk(keys: &str) -> Disk {
    let parameters =
        DiskParameters::from_toml(keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    Disk::new(&parameters, &mut RandomStream::new(7, "phase")).expect("a disk")
}

/// Reads of 8 blocks, uniform over the disk, at this rate per second.
fn random(disk: &Disk, rate: f64, reads: u64) -> impl Iterator<Item = DiskCommand> + use<> {
    let (mut arrivals, mut places) = (RandomStream::new(3, "arrivals"), RandomStream::new(3, "places"));
    let (mut arrival, last) = (Time::ZERO, disk.capacity() - 7);
    (0..reads).map(move |id| {
        arrival += Span::from_ns_f64(arrivals.exponential(1e9 / rate));
        DiskCommand {
            id,
            write: false,
            force_unit_access: false,
            lbn: places.draw_below(last),
            blocks: 8,
            arrival,
        }
    })
}

fn serve_all(
    disk: &mut Disk,
    trace: impl Iterator<Item = DiskCommand>,
    each: impl FnMut(&Disk, &ServedCommand),
) {
    serve_commands(disk, trace, each).expect("blocks that there are");
}

#[test]
fn the_mean_seek_over_uniform_cylinders_is_that_of_the_fact_sheet() {
    let disk = disk("");
    let mean = disk.mechanics().seek.mean_seek_time().as_ns_f64() / 1e6;
    assert!((mean / 5.47 - 1.0).abs() < 0.002, "{mean}");
}

#[test]
fn the_wait_of_fcfs_is_that_of_pollaczek_and_khinchine() {
    for (rate, reads, within) in [(30.0, 2_000_000, 0.01), (80.0, 2_000_000, 0.01)] {
        // The overhead elapses while a command waits, so with an overhead a command that meets an idle disk would last longer than others.
        let mut disk = disk("segments = 0\nread_overhead = \"0 ns\"");
        let trace = random(&disk, rate, reads);
        let (mut wait, mut first, mut second, mut count) = (0.0, 0.0, 0.0, 0.0);
        serve_all(&mut disk, trace, |_, served| {
            let service = (served.done - served.begin).as_s_f64();
            (first, second, count) = (first + service, second + service * service, count + 1.0);
            wait += (served.begin - served.command.arrival).as_s_f64();
        });
        let (first, second, wait): (f64, f64, f64) = (first / count, second / count, wait / count);
        let formula = rate * second / (2.0 * (1.0 - rate * first));
        println!(
            "{rate}/s: utilization {:.3}, wait {:.4} ms, formula {:.4} ms",
            rate * first,
            wait * 1e3,
            formula * 1e3
        );
        assert!((wait / formula - 1.0).abs() < within, "{wait} {formula}");
    }
}

#[test]
fn sequential_reading_runs_at_the_rate_of_the_zone() {
    // Reads each zone of each drive whose skew covers its switches, 64 blocks at a time, each read when the last is done.
    let mut zones = 0;
    for preset in ["st39102lw", "st34501n", "dnes-309170w", "atlas-iii"] {
        let keys = format!(
            "preset = \"{preset}\"\nread_overhead = \"0 ns\"\nhit_overhead = \"0 ns\"\nblock_transfer = \"0 ns\"\nsegment_blocks = 500\nread_over = true"
        );
        let mut disk = disk(&keys);
        let data =
            Preset::EVERY.into_iter().find(|one| one.to_string() == preset).expect("a preset").preset_data();
        let mut now = Time::ZERO;
        let laid: Vec<(u64, u64, u32)> = disk.mechanics().geometry.zones().collect();
        for (zone, (from, _, sectors)) in data.zones.iter().zip(laid) {
            let period = disk.mechanics().rotation.revolution_time().as_ns_f64();
            let tracks = u64::from(data.surfaces);
            let cylinder = tracks * u64::from(sectors);
            let skews = (tracks - 1) * u64::from(zone.track_skew) + u64::from(zone.cylinder_skew);
            let covers =
                |skew: u32, switch: Span| f64::from(skew) / f64::from(sectors) * period >= switch.as_ns_f64();
            if !covers(zone.track_skew, data.head_switch)
                || !covers(zone.cylinder_skew, disk.mechanics().seek.seek_time(1))
            {
                continue;
            }
            zones += 1;
            // The time of ten cylinders, and the skew before each but the first.
            let blocks = 10 * cylinder / 64 * 64;
            let whole = |blocks: u64| blocks as f64 / f64::from(sectors) * period;
            let last = (blocks - 1) % cylinder / u64::from(sectors);
            let crossed = (blocks - 1) / cylinder * skews + last * u64::from(zone.track_skew);
            let formula = whole(blocks + crossed);
            let (mut begin, mut end, mut almost) = (Time::ZERO, Time::ZERO, 0);
            for number in 0..blocks / 64 {
                disk.submit_command(DiskCommand {
                    id: number,
                    write: false,
                    force_unit_access: false,
                    lbn: from + number * 64,
                    blocks: 64,
                    arrival: now,
                })
                .expect("blocks");
                let served = disk.begin_command(disk.next_event()).expect("a command");
                begin = if number == 0 { served.transfer_begin } else { begin };
                almost += u64::from(served.hit == BufferHit::Almost);
                (now, end) = (served.done, served.done);
            }
            let took = (end - begin).as_ns_f64();
            assert!(
                (took / formula - 1.0).abs() < 1e-6,
                "{preset}, {sectors} sectors: {took} ns, formula {formula} ns"
            );
            assert_eq!(almost, blocks / 64 - 1, "the medium reads on between commands");
            now += Span::from_ms(100);
        }
    }
    assert!(zones >= 25, "{zones}");
}

#[test]
fn a_faster_spindle_with_the_same_seeks_is_never_slower_on_average() {
    let mut before = f64::INFINITY;
    for rpm in [5_400, 7_200, 10_045, 15_000] {
        let mut disk = disk(&format!("rpm = {rpm}"));
        let (trace, mut sums) = (random(&disk, 40.0, 50_000), CommandSums::default());
        serve_all(&mut disk, trace, |_, served| sums.add(served));
        let (response, rotation) = (sums.mean_ms(sums.response), sums.mean_ms(sums.rotation));
        assert!(response < before, "{rpm} rpm: {response} ms after {before} ms");
        // The mean latency is half a revolution, since the angle of the platters is independent of the angle of the sector.
        assert!((rotation / (30_000.0 / f64::from(rpm)) - 1.0).abs() < 0.01, "{rpm} rpm: {rotation} ms");
        before = response;
    }
}

#[test]
fn the_same_seed_gives_the_same_times_and_another_phase_gives_others() {
    let done = |seed: u64| {
        let mut disk =
            Disk::new(&DiskParameters::of(Preset::St39102lw), &mut RandomStream::new(seed, "phase"))
                .expect("a disk");
        let (trace, mut done) = (random(&disk, 50.0, 100), Vec::new());
        serve_all(&mut disk, trace, |_, served| done.push(served.done));
        done
    };
    assert_eq!(done(1), done(1));
    assert_ne!(done(1), done(2));
}

#[test]
fn a_little_age_shortens_the_longest_wait_and_much_of_it_is_first_come_first_served() {
    let serve_with = |queue: &str, reads: u64| {
        let mut disk = disk(&format!("[queue]\n{queue}"));
        let (trace, mut served) = (random(&disk, 150.0, reads), Vec::new());
        serve_all(&mut disk, trace, |_, one| served.push((one.command.id, one.done - one.command.arrival)));
        served
    };
    let figures = |queue: &str| {
        let served = serve_with(queue, 100_000);
        let mean = served.iter().map(|(_, response)| response.as_s_f64()).sum::<f64>() / served.len() as f64;
        (mean, served.iter().map(|(_, response)| *response).max().unwrap_or(Span::ZERO).as_s_f64())
    };
    let (sptf, aged) = (figures("order = \"sptf\""), figures("order = \"aged-sptf\"\nweight = 0.02"));
    println!("mean and longest response: SPTF {sptf:?} s, aged {aged:?} s");
    assert!(aged.1 < 0.6 * sptf.1, "the longest: {aged:?} {sptf:?}");
    assert!(aged.0 > sptf.0 && aged.0 < 1.03 * sptf.0, "the mean: {aged:?} {sptf:?}");
    assert_eq!(
        serve_with("order = \"aged-sptf\"\nweight = 1e6", 5_000),
        serve_with("order = \"fcfs\"", 5_000)
    );
}
