//! The message about open workloads with more arrivals than completions (see [`crate::trend`]): their names, the consequence, and a remedy
//! other than a longer run.

use crate::parts::WorkloadResult;
use sansim_assembly::named::NamedValues;

fn is_unstable((_, loaded): &&(String, WorkloadResult)) -> bool {
    loaded.unstable == Some(true)
}

/// The names of the unstable workloads or streams.
pub(crate) fn names(of: &NamedValues<WorkloadResult>) -> Vec<String> {
    of.0.iter().filter(is_unstable).map(|(name, _)| name.clone()).collect()
}

/// The message about unstable workloads and streams, with a remedy; `None` if none is unstable.
///
/// A bound on the outstanding I/Os is no remedy: further arrivals still wait, and their response time counts from the arrival.
pub(crate) fn told(workloads: &NamedValues<WorkloadResult>) -> Option<String> {
    let quoted =
        |names: Vec<String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let named = workloads.0.iter().filter(is_unstable).map(|(name, workload)| {
        let streams = names(&workload.streams);
        if streams.is_empty() { format!("`{name}`") } else { format!("`{name}` ({})", quoted(streams)) }
    });
    let named: Vec<String> = named.collect();
    let are = match named.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    Some(format!(
        "{} {are} unstable: more requests arrive than complete, so response times grow with the length of the run and are not \
         reported; a longer run would not settle: lower the rate, use faster or more devices, or a closed workload, which issues \
         a request only after an answer",
        named.join(", ")
    ))
}
