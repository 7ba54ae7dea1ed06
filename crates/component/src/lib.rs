//! The contract of all components.
//!
//! A [`Component`] is a pure state machine. The input of a component is the time and an event: one of its timers is due, a [`Message`]
//! arrives at one of its ports, or the scenario acts on it. A component answers through its [`Context`]: it sets a timer, sends a message
//! at a port, moves a request to a segment, or shows a sight. A component knows neither the calendar nor the component at the other end of
//! a port.
//!
//! Timers and ledger entries take effect at once. Messages are appended to one [`agenda`], which is emptied before the next event, so event
//! handlers are not re-entrant.
//!
//! A component also computes its [service demands](demand) for the analytic model.
//!
//! A [`component_kind`] is named in a scenario: it describes its components and how they are joined.
//!
//! A [`policy`] is a decision that users may want to replace: the next request, the path, the entry to evict. A [`bench`] tests one
//! component.

pub mod agenda;
pub mod announced;
pub mod bench;
pub mod between;
pub mod build_context;
pub mod bus;
pub mod by_device;
pub mod child_requests;
pub mod component_kind;
pub mod context;
pub mod contract;
pub mod controller_side;
pub mod culprits;
pub mod demand;
pub mod error_log;
pub mod errors;
pub mod groups;
pub mod incident_log;
pub mod inside;
pub mod layered;
pub mod leftovers;
mod level;
pub mod limits;
pub mod message;
pub mod module;
pub mod network;
pub mod policy;
pub mod port_keys;
pub mod runtime;
pub mod scheduling;
pub mod show;
pub mod site;
pub mod task_management;
pub mod warm;

pub use build_context::{
    AdapterRole, BuildContext, DeviceBehind, DeviceRole, HostRole, NetworkNode, NetworkRole, ProcessorPort,
    SharedRole, SourceRole, TargetDevice,
};
pub use by_device::ByDevice;
pub use context::Context;
pub use contract::{Action, Component, KeysAround, NetworkChange};
pub use controller_side::ControllerSide;
pub use inside::ControllerResources;
pub use leftovers::LeftoverFindings;
pub use level::StockLevel;
pub use message::{BusTransfer, Message, PortFlow, ProcessorWork, ProcessorWorkKind};
pub use module::{Module, ModuleJob};
pub use network::{NetworkModel, UnitTransport};
pub use port_keys::PortKeys;
pub use runtime::{ComponentEvent, Runtime, SourceCounts, WantedSights};
pub use show::{FrameHop, MoveEnd, Movement, ObservableKind, ObservedEvent};
pub use site::{ComponentId, ComponentSite, EventTurn, PortRef, Timer};
pub use task_management::TaskManagement;
pub use warm::{DeviceAccess, WarmAccessResult, WarmUpProgress};
