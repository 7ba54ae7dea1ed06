//! The Fibre Channel adapter, initiator and target in one model, and the FCP protocol between the two.
//!
//! Source: Wang 2005, sections 4.3.2.1 to 4.3.2.3 (figures 4.9 to 4.12). The functional blocks are files of their own:
//! [`dma`] (DMA queue, scheduler and transfer), [`server`] (a block that does one thing at a time), [`adapter`] (the FCP
//! main processor, frame construction, incoming frame process and single frame transfer, and how they are joined),
//! [`exchange`] (what both ends know of a SCSI command), [`mod@unit`] (information units as bytes).
#![forbid(unsafe_code)]

pub mod adapter;
pub mod dma;
pub mod exchange;
pub mod server;
pub mod unit;
