//! The keys of a mirror.

use sansim_component::policy::{PATH, PolicyName};
use sansim_rules::{RuleName, RuleOf};
use sansim_schema::table;

table! {
    /// A mirror: a write goes to all copies and is done when the last of them is done; a read goes to one.
    pub struct MirrorParameters {
        /// The policy that chooses the copy to read.
        read_policy: RuleName<PolicyName> = RuleOf::<PolicyName>::decision(&PATH), default r#""balanced""#, source "Linux md, drivers/md/raid1.c, read_balance";
    }
}
