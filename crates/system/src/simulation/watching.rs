//! What can be read off a simulation without changing it: gauges, use of loop and nodes, samples.

use super::{Event, Node, Simulation};
use crate::samples::Sample;
use crate::usage::{LoopUse, NodeUse};
use sansim_fcp::adapter::{Adapter, AdapterBlock};
use sansim_kernel::{Time, Total};
use sansim_observe::ledger::Block;
use sansim_observe::observer::{GAUGES, Gauge, Observer};
use sansim_storage::drive::Drive;

impl<O: Observer> Simulation<O> {
    /// The station at which an event happens; all that it changes is there.
    pub(super) fn station_of(&self, event: Event) -> usize {
        usize::from(match event {
            Event::Loop(station, _)
            | Event::Adapter(station, _)
            | Event::Drive(station, _)
            | Event::DriverArrival(station)
            | Event::DriverCompletion(station) => station,
            Event::Issue(workload, _) => self.routes[usize::from(workload)].0,
        })
    }

    /// Use of the loop in the measured interval, up to now or to its end.
    pub fn loop_use(&self) -> LoopUse {
        self.loop_use_at_closing.unwrap_or_else(|| self.loop_use_until(self.now())) - self.loop_use_at_opening
    }

    /// Use of the nodes in the measured interval, up to now or to its end, by station.
    pub fn node_use(&self) -> Vec<NodeUse> {
        let until = self.node_use_at_closing.clone().unwrap_or_else(|| self.node_use_until(self.now()));
        until.iter().zip(&self.node_use_at_opening).map(|(end, start)| *end - *start).collect()
    }

    /// Shows the observer that a block has begun a job.
    pub(super) fn show_block(&mut self, now: Time, until: Time, station: u8, block: AdapterBlock) {
        if let Node::Host { adapter, .. } | Node::Drive { adapter, .. } = &self.nodes[usize::from(station)]
            && let Some(exchange) = adapter.at_work(block)
        {
            self.observer.at_block(now, until, usize::from(station), block, exchange, &self.exchanges);
        }
    }

    /// Present value of every gauge of a station.
    fn read_gauges(&self, station: usize) -> [u32; GAUGES] {
        let mut values = [0; GAUGES];
        let port = &self.arbitrated_loop.ports()[station];
        let mut set = |gauge: Gauge, value: usize| values[gauge as usize] = value as u32;
        set(Gauge::PortQueue, port.queued_frames());
        set(Gauge::Buffers, port.occupied_buffers() as usize);
        set(Gauge::Credit, port.credit() as usize);
        match &self.nodes[station] {
            Node::Passive => {}
            Node::Host { adapter, driver } => {
                set(Gauge::Waiting, driver.waiting());
                set(Gauge::Outstanding, driver.outstanding() as usize);
                set(Gauge::Processor, adapter.queue(AdapterBlock::Processor));
                set(Gauge::Dma, adapter.queue(AdapterBlock::Dma) + adapter.queue(AdapterBlock::DmaIn));
            }
            Node::Drive { adapter, drive, .. } => {
                set(Gauge::Processor, adapter.queue(AdapterBlock::Processor));
                set(Gauge::Dma, adapter.queue(AdapterBlock::Dma) + adapter.queue(AdapterBlock::DmaIn));
                set(Gauge::DriveQueue, drive.waiting());
            }
        }
        values
    }

    /// Shows the observer which gauges of a station have changed.
    pub(super) fn show_gauges(&mut self, now: Time, station: usize) {
        let values = self.read_gauges(station);
        for gauge in Gauge::ALL {
            let value = values[gauge as usize];
            if self.gauges[station][gauge as usize] != value {
                self.observer.at_gauge(now, station, gauge, value);
            }
        }
        self.gauges[station] = values;
    }

    /// Use of the loop since the beginning of the run.
    pub(super) fn loop_use_until(&self, now: Time) -> LoopUse {
        self.loop_use.until(now)
    }

    /// Use of the nodes since the beginning of the run, by station.
    pub(super) fn node_use_until(&self, now: Time) -> Vec<NodeUse> {
        let of = |adapter: &Adapter, drive: Option<&Drive>| NodeUse {
            processor: adapter.busy(now, AdapterBlock::Processor),
            dma: if adapter.parameters().dma_bidirectional {
                // The mean of both channels.
                adapter.busy(now, AdapterBlock::Dma).midpoint(adapter.busy(now, AdapterBlock::DmaIn))
            } else {
                adapter.busy(now, AdapterBlock::Dma)
            },
            incoming: adapter.busy(now, AdapterBlock::Incoming),
            single_frame: adapter.busy(now, AdapterBlock::SingleFrame),
            drive: drive.map_or(Total::ZERO, |drive| drive.busy(now)),
            occupied: drive.map_or(Total::ZERO, |drive| drive.occupied(now)),
        };
        self.nodes
            .iter()
            .map(|node| match node {
                Node::Passive => NodeUse::default(),
                Node::Host { adapter, .. } => of(adapter, None),
                Node::Drive { adapter, drive, .. } => of(adapter, Some(drive)),
            })
            .collect()
    }

    /// Time in which a block was at work since the beginning of the run, of all nodes together.
    pub fn busy(&self, block: Block) -> Total {
        let now = self.now();
        if block == Block::Wire {
            return self.wire.total(now);
        }
        self.nodes.iter().map(|node| busy_in(node, now, block)).sum()
    }

    /// Takes the next sample if an event follows it within simulated time.
    #[cold]
    pub(super) fn take_sample(&mut self) -> bool {
        if self.calendar.peek_time().is_none_or(|next| next > Time::HORIZON) {
            return false;
        }
        let at = self.sampler.next;
        let stations = 0..self.nodes.len();
        let mut node_use = self.node_use_until(at);
        for (node, used) in self.nodes.iter().zip(&mut node_use) {
            if let Node::Drive { drive, .. } = node {
                // Busy with everything it can work on at a time counts as busy once.
                used.drive = used.drive / u64::from(drive.parameters().concurrency);
                used.occupied = used.occupied / u64::from(drive.parameters().concurrency);
            }
        }
        self.sampler.add(Sample {
            at,
            loop_use: self.loop_use_until(at),
            node_use,
            gauges: stations.map(|station| self.read_gauges(station)).collect(),
        });
        self.until = self.sampler.until();
        true
    }
}

/// Time in which a block of a node was at work up to now.
fn busy_in(node: &Node, now: Time, block: Block) -> Total {
    let (Node::Host { adapter, .. } | Node::Drive { adapter, .. }) = node else { return Total::ZERO };
    let blocks: &[AdapterBlock] = match block {
        Block::Message => &[AdapterBlock::MessageIn, AdapterBlock::MessageOut],
        Block::Processor => &[AdapterBlock::Processor],
        Block::Dma => &[AdapterBlock::Dma, AdapterBlock::DmaIn],
        Block::FrameProcess => &[AdapterBlock::Incoming],
        Block::SingleFrame => &[AdapterBlock::SingleFrame],
        Block::DriverArrival | Block::DriverCompletion | Block::Wire | Block::Positioning | Block::Medium => {
            return match (node, block) {
                (Node::Host { driver, .. }, Block::DriverArrival) => driver.arriving(now),
                (Node::Host { driver, .. }, Block::DriverCompletion) => driver.completing(now),
                (Node::Drive { drive, .. }, Block::Positioning) => drive.positioning(now),
                (Node::Drive { drive, .. }, Block::Medium) => drive.transferring(now),
                _ => Total::ZERO,
            };
        }
    };
    blocks.iter().map(|&block| adapter.busy(now, block)).sum()
}
