//! From a scenario to a plan: every port, adapter, driver, drive and workload with its numbers.
//!
//! The scenario has been validated, so nothing can fail here.

use crate::plan::{Length, LoopPlan, NodeKind, NodePlan, Plan, WarmUp, WorkloadPlan};
use crate::precision::{Precision, PrecisionOf};
use sansim_fc::arbitrated_loop::{LoopModel, Station};
use sansim_fc::loop_port::{Schedule, WithinSequence};
use sansim_fcp::adapter::{
    AdapterConfig, BurstDone, ProcessorOrder, ResponseCircuit, ResponseStart, SetupPer, UnitSizes,
};
use sansim_fcp::dma::DmaOrder;
use sansim_fcp::exchange::BLOCK_BYTES;
use sansim_host::driver::DriverConfig;
use sansim_host::workload::{ClosedWorkload, Pattern};
use sansim_scenario as scenario;
use sansim_scenario::{Controller, DriveGroup, PortSite, Scenario, Split, StationRef};
use sansim_storage::drive::{DriveConfig, WriteTransfer};

/// The plan of a scenario. `seed` replaces the scenario's own.
pub fn plan(scenario: &Scenario, seed: Option<u64>, model: LoopModel) -> Plan {
    let word = scenario.arbitrated_loop.word_time();
    let sites = scenario.ports();
    let stations = sites.iter().map(|site| station(scenario, site)).collect();
    let nodes = sites
        .iter()
        .map(|site| NodePlan {
            name: scenario.station_name(site.station).to_owned(),
            kind: node_kind(scenario, site),
        })
        .collect();
    let station_of = |wanted: StationRef| sites.iter().position(|site| site.station == wanted).unwrap_or(0);
    let mut by_name: Vec<&str> = scenario.workloads.iter().map(|workload| workload.name.as_str()).collect();
    by_name.sort_unstable();
    let workloads = scenario
        .workloads
        .iter()
        .map(|workload| {
            let to: Vec<usize> = workload
                .drives
                .iter()
                .flat_map(|&group| {
                    let first = station_of(StationRef::Drives(group));
                    first..first + scenario.drives[group].count as usize
                })
                .collect();
            let drives = to.len() as u32;
            let per_drive = workload.queue_depth_per == scenario::QueueDepthPer::Drive;
            WorkloadPlan {
                name: workload.name.clone(),
                rank: by_name.partition_point(|name| *name < workload.name.as_str()) as u16,
                from: station_of(StationRef::Controller(workload.controller)),
                to,
                closed: ClosedWorkload {
                    bytes: workload.size,
                    blocks: workload.size.div_ceil(BLOCK_BYTES),
                    pattern: match workload.pattern {
                        scenario::Pattern::Random => Pattern::Random,
                        scenario::Pattern::Sequential => Pattern::Sequential,
                    },
                    read_fraction: workload.read_fraction,
                    think_time: workload.think_time,
                    slots: if per_drive { workload.queue_depth * drives } else { workload.queue_depth },
                    drives,
                    slot_per_drive: per_drive,
                    requests_per_pass: workload.ios_per_pass,
                },
                capacity_blocks: workload
                    .drives
                    .iter()
                    .flat_map(|&group| {
                        let group = &scenario.drives[group];
                        std::iter::repeat_n(group.capacity / BLOCK_BYTES, group.count as usize)
                    })
                    .collect(),
            }
        })
        .collect();
    Plan {
        title: scenario.title.clone(),
        seed: seed.unwrap_or(scenario.run.seed),
        arbitrated_loop: LoopPlan { name: scenario.arbitrated_loop.name.clone(), word, stations, model },
        nodes,
        workloads,
        length: match (scenario.run.duration, scenario.run.measured_ios) {
            (Some(duration), _) => Length::For(duration),
            (None, ios) => Length::Ios(ios.unwrap_or(1)),
        },
        precision: precision(&scenario.run),
        warm_up: match scenario.run.warm_up {
            scenario::WarmUp::Auto => WarmUp::Automatic,
            scenario::WarmUp::IosPerSlot(count) => WarmUp::PerSlot(count),
            scenario::WarmUp::Until(time) => WarmUp::Until(time),
        },
    }
}

fn precision(run: &scenario::Run) -> Option<Precision> {
    let scenario::PrecisionGoal::Within(share) = run.precision else { return None };
    let of = match run.precision_of {
        scenario::PrecisionOf::ResponseTime => PrecisionOf::ResponseTime,
        scenario::PrecisionOf::Iops => PrecisionOf::Iops,
        scenario::PrecisionOf::BytesPerSecond => PrecisionOf::BytesPerSecond,
        scenario::PrecisionOf::P50 => PrecisionOf::Percentile(50.0),
        scenario::PrecisionOf::P90 => PrecisionOf::Percentile(90.0),
        scenario::PrecisionOf::P99 => PrecisionOf::Percentile(99.0),
        scenario::PrecisionOf::P99_9 => PrecisionOf::Percentile(99.9),
    };
    Some(Precision { within: share.fraction(), of, most_ios: run.most_ios })
}

fn station(scenario: &Scenario, site: &PortSite) -> Station {
    let word = scenario.arbitrated_loop.word_time();
    let (port, schedule) = match site.station {
        StationRef::Controller(index) => {
            let controller = &scenario.controllers[index];
            (Some(&controller.port), schedule_of(controller))
        }
        StationRef::Drives(index) => {
            let drives = &scenario.drives[index];
            (Some(&drives.port), if drives.fair { Schedule::FAIR } else { Schedule::UNFAIR })
        }
        StationRef::Passive(_) => (None, Schedule::FAIR),
    };
    Station {
        al_pa: site.al_pa,
        schedule,
        full_duplex: port.is_some_and(|p| p.full_duplex),
        incoming_buffers: port.map_or(1, |p| p.incoming_buffers),
        login_credit: port.map_or(0, |p| p.login_credit),
        frames_per_tenancy: port.and_then(|p| p.frames_per_tenancy).map(|frames| frames as u32),
        dynamic_half_duplex: port.is_some_and(|p| p.dynamic_half_duplex),
        delay: site.delay,
        cable: site.cable,
        frame_reaction_words: port.map_or(1, |p| p.frame_reaction.span.ticks().div_ceil(word.ticks()).max(1)),
        close_after_frames: port.is_some_and(|p| p.close_after_frames),
        ready_between_frames: port.is_some_and(|p| p.ready_between_frames),
        within_sequence: port.map_or_else(WithinSequence::default, |p| p.within_sequence),
        access_in_circuit: scenario.arbitrated_loop.access_in_circuit,
    }
}

fn schedule_of(controller: &Controller) -> Schedule {
    Schedule {
        fair: controller.schedule != scenario::Schedule::Unfair,
        command_queue: controller.command_first_queue,
        command_arbitration: controller.command_first_arbitration,
        command_preemption: controller.command_first_preemption,
        command_closes_opened: controller.command_first_closes_opened,
    }
}

fn node_kind(scenario: &Scenario, site: &PortSite) -> NodeKind {
    match site.station {
        StationRef::Passive(_) => NodeKind::Passive,
        StationRef::Controller(index) => {
            let controller = &scenario.controllers[index];
            NodeKind::Initiator {
                adapter: adapter(scenario, site, &controller.adapter, false),
                driver: DriverConfig {
                    arrival_time: controller.driver.arrival_time,
                    completion_time: controller.driver.completion_time,
                    outstanding_limit: controller.driver.outstanding_limit,
                },
            }
        }
        StationRef::Drives(index) => {
            let drives = &scenario.drives[index];
            NodeKind::Target {
                adapter: adapter(scenario, site, &drives.adapter, true),
                drive: drive(drives),
                write_burst_bytes: pieces(drives.burst, drives.cache),
                read_sequence_bytes: pieces(drives.read_sequence, drives.cache),
            }
        }
    }
}

/// The size of bursts or sequences; what does not fit into the cache is cut.
fn pieces(split: Split, cache: Option<u64>) -> Option<u64> {
    match split {
        Split::Whole => cache,
        Split::Pieces(bytes) => Some(cache.map_or(bytes, |cache| bytes.min(cache))),
    }
}

fn adapter(
    scenario: &Scenario,
    site: &PortSite,
    described: &scenario::Adapter,
    target: bool,
) -> AdapterConfig {
    AdapterConfig {
        al_pa: site.al_pa,
        target,
        max_payload: described.max_payload as u16,
        outgoing_buffers: described.outgoing_buffers,
        sizes: UnitSizes {
            command: scenario.fcp.command_payload as u16,
            transfer_ready: scenario.fcp.xfer_rdy_payload as u16,
            response: scenario.fcp.response_payload as u16,
        },
        message_time: described.message_time,
        commands_in_execution: described.commands_in_execution,
        processor_order: match described.processor_order {
            scenario::ProcessorOrder::Fcfs => ProcessorOrder::Fcfs,
            scenario::ProcessorOrder::TransferReadyFirst => ProcessorOrder::TransferReadyFirst,
            scenario::ProcessorOrder::CommandFirst => ProcessorOrder::CommandFirst,
        },
        command_time: described.command_time,
        request_bytes: described.request_bytes,
        xfer_rdy_time: described.xfer_rdy_time,
        response_time: described.response_time,
        response_start: match described.response_start {
            scenario::ResponseStart::Fetched => ResponseStart::Fetched,
            scenario::ResponseStart::Sent => ResponseStart::Sent,
        },
        response_circuit: match described.response_circuit {
            scenario::ResponseCircuit::Shared => ResponseCircuit::Shared,
            scenario::ResponseCircuit::Own => ResponseCircuit::Own,
        },
        dma_bytes_per_second: described.dma_bandwidth,
        dma_setup_time: described.dma_setup_time,
        dma_order: match described.dma_order {
            scenario::DmaOrder::Fcfs => DmaOrder::Fcfs,
            scenario::DmaOrder::RoundRobin => DmaOrder::RoundRobin,
        },
        dma_request_first: described.dma_request_first,
        dma_setup_per: match described.dma_setup_per {
            scenario::DmaSetupPer::Sequence => SetupPer::Sequence,
            scenario::DmaSetupPer::Frame => SetupPer::Frame,
        },
        dma_bidirectional: described.dma_bidirectional,
        burst_done: match described.burst_done {
            scenario::BurstDone::Received => BurstDone::Received,
            scenario::BurstDone::Stored => BurstDone::Stored,
        },
        frame_time: described.frame_time,
        single_frame_time: described.single_frame_time,
    }
}

fn drive(drives: &DriveGroup) -> DriveConfig {
    DriveConfig {
        access: drives.access_time,
        bytes_per_second: Some(drives.transfer_rate),
        concurrency: drives.concurrency,
        write_transfer: match drives.write_transfer {
            scenario::WriteTransfer::BeforeData => WriteTransfer::BeforeData,
            scenario::WriteTransfer::AfterData => WriteTransfer::AfterData,
        },
        cache: drives.cache,
    }
}
