//! The protocol of adapters.

sansim_schema::words! {
    /// The messages of an I/O.
    pub enum Protocol {
        /// FCP: FCP_CMND, FCP_XFER_RDY, FCP_DATA, FCP_RSP.
        Fcp = "fcp",
        /// A request and a reply, of which one is short and the other carries the data (Molero 2001).
        TwoMessage = "two-message",
    }
}
