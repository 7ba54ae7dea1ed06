//! How far a disk reads ahead by itself.

sansim_schema::words! {
    /// The extent of the read-ahead of the medium after a read.
    pub enum DriveReadAhead {
        /// Not at all.
        None = "none",
        /// Until the segment is full.
        Segment = "segment",
        /// Until the segment is full, at most to the end of the track.
        Track = "track",
        /// Until the segment is full, at most to the end of the cylinder.
        Cylinder = "cylinder",
    }
}
