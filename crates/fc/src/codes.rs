//! The codes of problems with a loop or its addresses.

sansim_schema::codes! {
    /// The text is not one of the 127 arbitrated loop physical addresses.
    BAD_AL_PA = 208,

    /// The speed does not exist on an arbitrated loop.
    SPEED_NOT_ON_LOOP = 303,
}
