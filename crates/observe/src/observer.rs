//! What may be seen of a run, and who may see it.
//!
//! The system calls an [`Observer`] at everything that the observer [`Wants`]. An observer sees and changes nothing: the
//! result of a run is the same to the last bit with any observer or none. What nobody wants costs nothing.

use crate::ledger::Segment;
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::Observation;
use sansim_fc::frame::ExchangeId;
use sansim_fcp::adapter::AdapterBlock;
use sansim_fcp::exchange::ExchangeTable;
use sansim_kernel::{Span, Time};

/// Which calls an observer wants to get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// [`Observer::at_port`].
    pub ports: bool,
    /// [`Observer::at_repeater`].
    pub repeaters: bool,
    /// [`Observer::at_block`].
    pub blocks: bool,
    /// [`Observer::at_io`].
    pub ios: bool,
    /// [`Observer::at_gauge`].
    pub gauges: bool,
}

impl Wants {
    /// What either of two observers wants.
    pub fn or(self, other: Self) -> Self {
        Self {
            ports: self.ports || other.ports,
            repeaters: self.repeaters || other.repeaters,
            blocks: self.blocks || other.blocks,
            ios: self.ios || other.ios,
            gauges: self.gauges || other.gauges,
        }
    }
}

/// What stands behind a station of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing: the port only repeats.
    Passive,
    /// A host.
    Initiator,
    /// A drive.
    Target,
}

/// A station of the loop as observers name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StationName {
    /// Name in the scenario; members of a group carry their number, as `drives[3]`.
    pub name: String,
    /// Address.
    pub al_pa: AlPa,
    /// What it is.
    pub role: Role,
}

/// The system as observers name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// Title of the scenario.
    pub title: String,
    /// Name of the loop.
    pub arbitrated_loop: String,
    /// Time of a transmission word.
    pub word: Span,
    /// Stations in downstream order; observers are given their places in this list.
    pub stations: Vec<StationName>,
}

/// What happens to an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoStep {
    /// The application issues it. Its exchange may be looked at from now on.
    Issued {
        /// Station of the initiator.
        initiator: usize,
        /// Station of the drive.
        drive: usize,
    },
    /// It enters a segment of its ledger.
    Enters(Segment),
    /// The application has it back.
    Completed {
        /// It counts; it is not part of the warm-up or of the end.
        measured: bool,
    },
}

/// A number that goes up and down at a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Gauge {
    /// Requests in the driver's queue.
    Waiting,
    /// Requests that the driver has handed to the adapter.
    Outstanding,
    /// Tasks of the FCP main processor.
    Processor,
    /// Requests in the DMA queue.
    Dma,
    /// Frames waiting at the port to be sent.
    PortQueue,
    /// Incoming frame buffers that hold a frame.
    Buffers,
    /// Frames the port may send now.
    Credit,
    /// Commands that wait in the drive for others.
    DriveQueue,
}

impl Gauge {
    /// Every gauge in order.
    pub const ALL: [Self; 8] = [
        Self::Waiting,
        Self::Outstanding,
        Self::Processor,
        Self::Dma,
        Self::PortQueue,
        Self::Buffers,
        Self::Credit,
        Self::DriveQueue,
    ];

    /// Name in results: lower case with underscores.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Outstanding => "outstanding",
            Self::Processor => "processor_queue",
            Self::Dma => "dma_queue",
            Self::PortQueue => "port_queue",
            Self::Buffers => "buffers",
            Self::Credit => "credit",
            Self::DriveQueue => "drive_queue",
        }
    }
}

/// Number of gauges.
pub const GAUGES: usize = Gauge::ALL.len();

/// What an observer of a run may see. Calls come in order of time, but for frames received on the fast loop, which are
/// announced when they are sent with the time at which they will arrive.
pub trait Observer {
    /// False only for an observer that never wants anything: then the calls are not even compiled in.
    const SEES: bool = true;

    /// What is wanted. Asked once, before the run.
    fn wants(&self) -> Wants;
    /// Something happened at the port of a station that does more than repeat.
    fn at_port(&mut self, _now: Time, _station: usize, _what: Observation, _exchanges: &ExchangeTable) {}
    /// A port repeats another fill word or an item. Complete only on the reference loop.
    fn at_repeater(&mut self, _now: Time, _station: usize, _what: Observation, _exchanges: &ExchangeTable) {}
    /// A block of an adapter works for this exchange until then.
    fn at_block(
        &mut self,
        _now: Time,
        _until: Time,
        _station: usize,
        _block: AdapterBlock,
        _exchange: ExchangeId,
        _exchanges: &ExchangeTable,
    ) {
    }
    /// Something happened to an I/O.
    fn at_io(&mut self, _now: Time, _exchange: ExchangeId, _what: IoStep, _exchanges: &ExchangeTable) {}
    /// A gauge of a station shows another value.
    fn at_gauge(&mut self, _now: Time, _station: usize, _gauge: Gauge, _value: u32) {}
    /// Nothing more will be seen for a while, or ever: what is open ends now.
    fn pause(&mut self, _now: Time) {}
    /// Whether the observer cannot go on (a full disk), so that the run has no use any more.
    fn failed(&self) -> bool {
        false
    }
}

/// Sees nothing.
pub struct NoObserver;
impl Observer for NoObserver {
    const SEES: bool = false;

    fn wants(&self) -> Wants {
        Wants::default()
    }
}
