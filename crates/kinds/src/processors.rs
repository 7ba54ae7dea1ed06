//! The processors of a host, and who has them work.

use crate::Member;
use sansim_processors::{ProcessorParameters, Processors};

/// Adds the processors to a member whose first part they work for, if there are any.
pub(crate) fn join_processors(member: &mut Member, processors: &ProcessorParameters) {
    if processors.are_there() {
        let number = member.add::<Processors>("processors".to_owned(), *processors);
        member.shared.push((0, number));
    }
}
