//! The keys of a mirror.

use sansim_component::policy::PolicyName;
use sansim_schema::quantities::Choice;
use sansim_schema::table;

table! {
    /// A mirror: a write goes to all copies and is done when the last of them is done; a read goes to one.
    #[derive(Copy, Eq)]
    pub struct MirrorParameters {
        /// The policy that chooses the copy to read.
        read_policy: PolicyName = Choice::<PolicyName>::ANY, default r#""balanced""#, source "Linux md, drivers/md/raid1.c, read_balance";
    }
}
