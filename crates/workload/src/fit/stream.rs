//! A stream of a fit: its text in the scenario, and its plan.

use crate::arrivals::Timetable;
use crate::streams::content::ContentPlan;
use crate::streams::plan::StreamPace;
use crate::streams::synthetic::SyntheticPlan;
use crate::synthetic::StreamParameters;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use sansim_schema::{Json, json};

/// A stream of a fit.
#[derive(Clone, Debug)]
pub(super) struct FittedStream {
    pub(super) name: String,
    /// The volume of the stream, by its number and its name, which is empty if all volumes are fitted as one.
    pub(super) volume: u32,
    pub(super) volume_name: String,
    /// The keys of the stream, as a scenario has them.
    pub(super) toml: String,
    pub(super) timetable: Timetable,
    pub(super) plan: SyntheticPlan,
}

impl FittedStream {
    /// The stream as JSON.
    pub(super) fn json(&self) -> Json {
        json!({ "name": self.name, "volume": self.volume_name, "toml": self.toml })
    }

    /// Reads the stream's keys, as a run will.
    pub(super) fn read(
        name: String,
        volume: u32,
        volume_name: &str,
        toml: String,
    ) -> Result<FittedStream, String> {
        let wrong = |why: String| format!("the stream {name} cannot be described: {why}");
        let keys = StreamParameters::from_toml(&toml, &Facts::default())
            .map_err(|report| wrong(report.to_string()))?;
        let plan = keys.plan(&name);
        let (StreamPace::Open { timetable, .. }, ContentPlan::Synthetic(content)) = (plan.pace, plan.content)
        else {
            return Err(wrong("it is not open".to_owned()));
        };
        Ok(FittedStream { volume, volume_name: volume_name.to_owned(), name, toml, timetable, plan: content })
    }
}
