//! Requests: what is asked for, by whom, what became of it, and where its time went.
//!
//! A [`Request`] is the same thing to everybody who has a part in it, however many networks lie between. It may be made of
//! others, its children ([`Requests::fork`]), and is done when so many of them are as it awaits. Its [`Ledger`] says at every
//! moment where it is.

pub mod data;
pub mod ledger;
mod loss;
mod map;
mod request;
mod requests;
mod transit;

pub use data::{DataId, Words};
pub use ledger::{Dwell, Ledger, LedgerLine};
pub use loss::{Cause, Loss};
pub use map::RequestMap;
pub use request::{
    BLOCK_BYTES, LEAST_PRIORITY, NORMAL_PRIORITY, Operation, Origin, Request, RequestId, Status,
};
pub use requests::{Joined, Requests, Returned};
pub use transit::Transit;
