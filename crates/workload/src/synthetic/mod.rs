//! `kind = "synthetic"`: requests drawn from distributions, open, closed or semi-open, in one stream or several.
//!
//! Source: Wang 2005, section 4.2.1: arrivals, sizes, places, repeatability and operations.

mod parameters;

pub use parameters::{StreamParameters, SyntheticParameters};

use crate::arrivals::Coming;
use crate::arrivals::coming::{ClosedParameters, DepthPer};
use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{StreamPace, StreamPlan, StreamSlots, StreamsPlan};
use crate::streams::synthetic::SyntheticPlan;
use sansim_component::component_kind::SinglePortKeys;
use sansim_schema::table::Tabular;

impl StreamParameters {
    /// The plan of the stream, under this name.
    pub fn plan(&self, name: &str) -> StreamPlan {
        let pace = match (&self.arrivals, self.arrivals.timetable()) {
            (_, Some(timetable)) => StreamPace::Open { timetable, outstanding: self.outstanding },
            (Coming::Closed(ClosedParameters { queue_depth, queue_depth_per, think_time }), _) => {
                StreamPace::Closed {
                    slots: match queue_depth_per {
                        DepthPer::Device => StreamSlots::PerDevice(*queue_depth),
                        DepthPer::All => StreamSlots::InAll(*queue_depth),
                    },
                    think: think_time.clone(),
                }
            }
            // Only a closed pace has no timetable.
            (_, None) => StreamPace::Recorded { outstanding: self.outstanding },
        };
        let content = SyntheticPlan {
            sizes: self.size.clone(),
            read_fraction: self.read_fraction,
            deallocate_fraction: self.deallocate_fraction,
            fua_fraction: self.fua_fraction,
            flush_every: self.flush_every,
            pattern: self.location.clone(),
            region: [self.region_from, self.region_to],
            spread: self.spread,
            stripe_bytes: self.stripe_unit,
        };
        StreamPlan {
            name: name.to_owned(),
            pace,
            content: ContentPlan::Synthetic(content),
            begin: self.begin,
            duration: self.duration,
            ios: self.ios,
            stage: 0,
            priority: self.priority,
        }
    }
}

impl SyntheticParameters {
    /// The plan from which the workload is built.
    pub fn plan(&self) -> StreamsPlan {
        let several = self.streams.iter().map(|stream| stream.described.plan(&stream.name));
        let single = self.streams.is_empty().then(|| self.stream.plan(""));
        StreamsPlan { streams: several.chain(single).collect() }
    }

    /// The keys of an only stream, which have no effect beside those of several streams.
    fn of_an_only(&self) -> Option<SinglePortKeys> {
        let instead: Vec<String> =
            self.streams.iter().map(|stream| format!("streams.{}", stream.name)).collect();
        (!instead.is_empty()).then(|| SinglePortKeys {
            what: "stream",
            keys: StreamParameters::keys(),
            instead,
        })
    }
}

kind_of_streams!(SyntheticParameters, "size", unused of_an_only);
