//! Requests: their content, their issuer, their result, and where their time went.
//!
//! A [`Request`] is the same for every component that works for it, however many networks lie between. A request may be split into child
//! requests ([`Requests::fork_request`]), and completes when the required number of its children have completed. The [`Ledger`] of a request
//! records where it is at every moment.

pub mod data;
pub mod ledger;
mod loss;
mod map;
mod request;
mod requests;
mod transit;

pub use data::{DataId, MessageWords};
pub use ledger::{Dwell, Ledger, LedgerLine};
pub use loss::{LossCause, LostRequest};
pub use map::RequestMap;
pub use request::{
    BLOCK_BYTES, CacheControl, DEALLOCATION_LIST_BYTES, LEAST_PRIORITY, NORMAL_PRIORITY, Operation, Request,
    RequestId, RequestOrigin, Status,
};
pub use requests::{ParentState, Requests, ReturnedRequest};
pub use transit::UnitsInTransit;
