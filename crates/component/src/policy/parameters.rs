//! Which way a host or a controller takes to a device where there are several.

use super::PolicyName;
use sansim_describe::quantities::Choice;
use sansim_describe::table;

table! {
    /// How one of several ways to a device is chosen.
    #[derive(Copy, Eq)]
    pub struct PathParameters {
        /// By which of several ways a request goes to its device, as adapters and networks lead there.
        path: PolicyName = Choice::<PolicyName>::ANY, default r#""first""#, source "";
    }
}
