//! The contract of all components.
//!
//! A [`Component`] is a pure state machine. It is given the time and an input: a timer of its own that is due, a [`Message`]
//! by one of its ports, an action of the scenario. It answers by its [`Context`]: wake me, send this by that port, this request
//! is in that segment, show this. It knows neither the calendar nor who is at the other end of a port.
//!
//! Wakes and entries of the ledger take effect at once. Messages go on one [`agenda`], which is emptied before the next event,
//! so nobody is entered while it reacts.
//!
//! Beside what it does it says what it [needs](demand) in a network of queues, for who works that out.
//!
//! A [`compound`] is what a scenario names: a kind says of which components it consists and how these are joined.
//!
//! [`policy`] is for decisions that users may want to make otherwise: who is next, which way, which one to drop. [`bench`] is for
//! tests of one component.

pub mod agenda;
pub mod announced;
pub mod bench;
pub mod between;
pub mod build_context;
pub mod bus;
pub mod child_requests;
pub mod component_kind;
pub mod context;
pub mod contract;
pub mod controller_side;
pub mod culprits;
pub mod demand;
pub mod error_log;
pub mod errors;
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
pub mod warm;

pub use build_context::{
    AdapterRole, AtProcessors, BuildContext, DeviceBehind, DeviceRole, HostRole, NetworkNode, NetworkRole,
    SharedRole, SourceRole, TargetDevice,
};
pub use context::Context;
pub use contract::{Action, Component};
pub use controller_side::ControllerSide;
pub use inside::Inside;
pub use leftovers::Leftovers;
pub use level::StockLevel;
pub use message::{BusTransfer, Message, PortFlow, Work, WorkOf};
pub use module::{Module, ModuleJob};
pub use network::NetworkModel;
pub use port_keys::PortKeys;
pub use runtime::{ComponentEvent, Runtime, Shows, SourceCounts};
pub use show::{Shown, Sight};
pub use site::{ComponentId, PortRef, Site, Timer, Turn};
pub use warm::{DeviceAccess, Warmed, Warmth};
