use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::{LoopModel, Station};
use sansim_fc::loop_port::Schedule;
use sansim_fcp::adapter::*;
use sansim_fcp::dma::DmaOrder;
use sansim_host::{driver::DriverConfig, workload::ClosedWorkload};
use sansim_kernel::Span;
use sansim_storage::drive::*;
use sansim_system::{plan::*, simulation::*};
use std::collections::HashMap;

struct Dump(f64, f64);
impl Observer for Dump {
    fn sees_ports(&self) -> bool {
        self.1 > 0.0
    }
    fn at_port(
        &mut self,
        now: sansim_kernel::Time,
        st: usize,
        what: sansim_fc::arbitrated_loop::Observation,
    ) {
        use sansim_fc::arbitrated_loop::Observation as O;
        let t = now.as_ns_f64() / 1e3;
        if t < self.0 || t > self.1 {
            return;
        }
        match what {
            O::SentItem(sansim_fc::word::Item::Frame(f)) => println!(
                "{t:10.2} {st:3} -> {} {:?} x{} n{}",
                f.destination, f.kind, f.exchange.0, f.sequence_count
            ),
            O::SentItem(sansim_fc::word::Item::Signal(s)) if format!("{s}") != "R_RDY" => {
                println!("{t:10.2} {st:3} {s}")
            }
            O::State(s) if format!("{s:?}").starts_with("Arbi") => println!("{t:10.2} {st:3} {s:?}"),
            _ => {}
        }
    }
}
fn main() {
    let mut opt: HashMap<String, String> = HashMap::new();
    for a in std::env::args().skip(1) {
        let (k, v) = a.split_once('=').unwrap();
        opt.insert(k.into(), v.into());
    }
    let get = |k: &str, d: f64| opt.get(k).map_or(d, |v| v.parse().unwrap());
    let word = Span::from_ns(19);
    let delay = Span((get("delay", 6.0) * word.ticks() as f64) as u64);
    let drives = get("drives", 16.0) as usize;
    let n = get("n", 4000.0) as u64;
    let published: &[(u64, [f64; 6])] = &[
        (1, [7.32, 7.32, 7.27, 7.27, 7.31, 7.31]),
        (2, [14.47, 14.47, 14.37, 14.37, 14.44, 14.44]),
        (4, [28.29, 28.29, 27.97, 27.97, 28.21, 28.21]),
        (8, [54.13, 54.13, 53.18, 53.18, 53.86, 53.86]),
        (16, [0.0; 6]),
        (32, [102.56, 165.09, 163.09, 161.5, 107.54, 157.69]),
        (64, [117.72, 193.14, 182.93, 183.63, 146.05, 190.66]),
        (128, [0.0; 6]),
        (256, [144.33, 194.57, 187.42, 187.42, 176.0, 192.81]),
        (512, [0.0; 6]),
        (1024, [152.97, 194.94, 188.57, 188.57, 186.37, 193.03]),
    ];
    println!("size   {:>22} {:>22} {:>22} {:>22} {:>22} {:>22}", "R-N", "R-C", "W-N", "W-C", "M-N", "M-C");
    for (kb, cells) in published {
        if let Some(k) = opt.get("kb") {
            if k.split(',').all(|x| x.parse::<u64>().unwrap() != *kb) {
                continue;
            }
        }
        print!("{kb:>5}K ");
        for (i, cell) in cells.iter().enumerate() {
            if let Some(c) = opt.get("c") {
                if c.parse::<usize>().unwrap() != i {
                    continue;
                }
            }
            let read = [1.0, 0.0, 0.66][i / 2];
            let schedule = if i % 2 == 0 {
                Schedule::FAIR
            } else {
                Schedule {
                    fair: true,
                    command_queue: get("l1", 1.0) > 0.0,
                    command_arbitration: get("l2", 1.0) > 0.0,
                    command_preemption: get("l3", 1.0) > 0.0,
                }
            };
            let bytes = kb * 1024;
            let sizes = UnitSizes { command: 28, transfer_ready: 12, response: 24 };
            let base = AdapterConfig {
                al_pa: AlPa::of_rank(1).unwrap(),
                target: false,
                max_payload: 2048,
                outgoing_buffers: get("out", 3.0) as u32,
                sizes,
                message_time: Span::ZERO,
                command_time: Span::from_ns(43_900),
                request_bytes: get("request", 64.0) as u64,
                xfer_rdy_time: Span::from_ns(11_800),
                response_time: Span::ZERO,
                response_start: ResponseStart::Fetched,
                dma_bytes_per_second: 1_064_000_000,
                dma_setup_time: Span::from_ns(15_500),
                dma_order: DmaOrder::Fcfs,
                dma_setup_per: if get("iframe", 0.0) > 0.0 { SetupPer::Frame } else { SetupPer::Sequence },
                frame_time: Span::from_ns(400),
                single_frame_time: Span::from_ns(20_200),
            };
            let mut stations = vec![];
            let mut nodes = vec![];
            for s in 0..=drives {
                let al_pa = AlPa::of_rank(1 + s).unwrap();
                stations.push(Station {
                    al_pa,
                    schedule: if s == 0 { schedule } else { Schedule::FAIR },
                    full_duplex: false,
                    incoming_buffers: if s == 0 { 3 } else { 2 },
                    login_credit: 0,
                    delay,
                    cable: Span::ZERO,
                    frame_reaction_words: 1,
                    close_after_frames: false,
                });
                nodes.push(NodePlan {
                    name: format!("n{s}"),
                    kind: if s == 0 {
                        NodeKind::Initiator {
                            adapter: base,
                            driver: DriverConfig {
                                arrival_time: Span::ZERO,
                                completion_time: Span::ZERO,
                                outstanding_limit: 255,
                            },
                        }
                    } else {
                        NodeKind::Target {
                            adapter: AdapterConfig {
                                al_pa,
                                target: true,
                                command_time: Span::from_ns(47_400),
                                response_time: Span::from_ns(10_300),
                                response_start: if get("rsp", 0.0) > 0.0 {
                                    ResponseStart::Sent
                                } else {
                                    ResponseStart::Fetched
                                },
                                dma_setup_per: if get("tframe", 1.0) > 0.0 {
                                    SetupPer::Frame
                                } else {
                                    SetupPer::Sequence
                                },
                                ..base
                            },
                            drive: DriveConfig {
                                access: AccessTime::Fixed(Span::from_us(
                                    (get("access", 2.0) * 1000.0) as u64,
                                )),
                                bytes_per_second: Some(50 << 20),
                                concurrency: 1,
                                write_transfer: [WriteTransfer::BeforeData, WriteTransfer::AfterData]
                                    [get("after", 0.0) as usize],
                            },
                            write_burst_bytes: Some((get("burst", 64.0) as u64) << 10),
                            read_sequence_bytes: None,
                        }
                    },
                });
            }
            let plan = Plan {
                title: String::new(),
                seed: 1,
                arbitrated_loop: LoopPlan {
                    name: "loop".into(),
                    word,
                    stations,
                    model: if get("ref", 0.0) > 0.0 { LoopModel::Reference } else { LoopModel::Fast },
                },
                nodes,
                workloads: vec![WorkloadPlan {
                    name: "w".into(),
                    from: 0,
                    to: (1..=drives).collect(),
                    closed: ClosedWorkload {
                        bytes,
                        read_fraction: read,
                        think_time: Span::ZERO,
                        slots: drives as u32 * get("qd", 1.0) as u32,
                        drives: drives as u32,
                        slot_per_drive: true,
                    },
                }],
                measured_ios: n,
                warm_up: WarmUp::PerSlot(10),
            };
            let mut sim = Simulation::new(&plan, false, Dump(get("from", 0.0), get("to", 0.0)));
            let start = std::time::Instant::now();
            while sim.run_events(1 << 16) {}
            let wall = start.elapsed().as_secs_f64();
            let events = sim.events();
            let simulated = sim.now().as_s_f64();
            let b = *sim.balance();
            assert_eq!(b.ledger_errors, 0);
            assert_eq!(b.frames_sent, b.frames_received);
            assert_eq!(b.issued, b.completed);
            let use_ = sim.loop_use();
            let (m, _) = sim.into_parts();
            let (c, _, o, e, _) = m.finish(sansim_kernel::Time::ZERO);
            let mb = n as f64 * bytes as f64 / (e - o).as_s_f64() / 1048576.0;
            if *cell > 0.0 {
                print!("{mb:>8.2} ({:>+6.2}%)      ", (mb / cell - 1.0) * 100.0)
            } else {
                print!("{mb:>8.2}                ")
            }
            if opt.contains_key("v") {
                println!(
                    "\n   events/io {:.1} ratio {:.1} Mev/s {:.1} mean {:.1}us own {:.3} ten/io {:.2}",
                    events as f64 / b.issued as f64,
                    simulated / wall,
                    events as f64 / wall / 1e6,
                    c.all.mean_ns() / 1e3,
                    use_.owned.as_s_f64() / (e - o).as_s_f64(),
                    use_.tenancies as f64 / n as f64
                );
                for (s, t) in sansim_observe::ledger::Segment::ALL.iter().zip(&c.spent) {
                    if *t > 0 {
                        print!("{}={:.1} ", s.name(), *t as f64 / 561e3 / n as f64);
                    }
                }
                println!();
            }
        }
        println!();
    }
}
