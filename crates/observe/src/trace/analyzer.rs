//! An analyzer at one node: both directions of its link, side by side and in order of time.
//!
//! The source is Wang 2005, 5.1 and figure 5.1: a protocol analyzer has two monitors, one for each direction, and does not disturb them
//! ("signal coupling"). Channel A has what the node sends, channel B what it receives: the words of its upstream neighbour, later by
//! the delay of the cable between them.

use super::runs::LineRun;
use crate::names::SystemNames;
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// The channels of an analyzer at one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalyzerPoint {
    /// The station of the node, which is channel A.
    pub node: usize,
    /// The station whose words the node receives, which is channel B.
    pub upstream: usize,
    /// The time that the cable between them takes.
    pub delay: Span,
}

impl AnalyzerPoint {
    /// The channels at a station of a network.
    ///
    /// # Errors
    /// Fails with a message if no station sends to this one.
    pub fn at(names: &SystemNames, node: usize) -> Result<Self, String> {
        let name = || &names.stations[node].name;
        let Some((network, _)) = names.stations[node].port else {
            return Err(format!("`{}` is at no network", name()));
        };
        let upstream = names.stations_of(network).find(|&station| names.stations[station].peer == Some(node));
        let upstream = upstream.ok_or_else(|| {
            format!(
                "no port that can be traced sends to `{}`; an analyzer is at a port of a loop or a fabric",
                name()
            )
        })?;
        Ok(Self { node, upstream, delay: names.stations[upstream].cable })
    }
}

/// Puts the runs of both channels in order of the time at which they pass the analyzer.
#[derive(Debug)]
pub struct ChannelMerge {
    upstream: u16,
    delay: Span,
    /// Runs of channel B, at their time at the analyzer, that no run of channel A has passed yet.
    held: VecDeque<LineRun>,
}

impl ChannelMerge {
    /// A merge of the runs of two stations, given by their places among the stations of the network.
    pub fn new(upstream: u16, delay: Span) -> Self {
        Self { upstream, delay, held: VecDeque::new() }
    }

    /// Takes the next run of either station, in order of start, and gives out the runs that it settles.
    pub fn add(&mut self, run: &LineRun, mut take: impl FnMut(&LineRun)) {
        if run.station == self.upstream {
            self.held.push_back(LineRun { start: run.start + self.delay, ..*run });
            return;
        }
        self.give_out(run.start, &mut take);
        take(run);
    }

    /// Gives out the runs of channel B that begin up to a time, before which no run comes any more. Among runs that begin at one moment
    /// the received one comes first.
    pub fn give_out(&mut self, until: Time, mut take: impl FnMut(&LineRun)) {
        let settled = self.held.iter().take_while(|run| run.start <= until).count();
        self.held.drain(..settled).for_each(|run| take(&run));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::StationRole;
    use crate::names::example::networks;
    use crate::trace::edge::PortChange;
    use sansim_fc::word::FillWord;

    #[test]
    fn a_node_receives_what_the_station_before_it_on_the_ring_sends() {
        let ring = [
            ("host", 1, StationRole::Initiator),
            ("hub", 0, StationRole::Passive),
            ("disk", 2, StationRole::Target),
        ];
        let mut names = networks(&[("loop", Span::from_ns(38), &ring)]);
        for (station, peer) in [(0, 1), (1, 2), (2, 0)] {
            names.stations[station].peer = Some(peer);
            names.stations[station].cable = Span(station as u64 + 1);
        }
        let at = |node| AnalyzerPoint::at(&names, node).expect("a ring");
        assert_eq!(at(0), AnalyzerPoint { node: 0, upstream: 2, delay: Span(3) });
        assert_eq!(at(2), AnalyzerPoint { node: 2, upstream: 1, delay: Span(2) });
        names.stations[2].peer = None;
        assert_eq!(
            AnalyzerPoint::at(&names, 0),
            Err("no port that can be traced sends to `host`; an analyzer is at a port of a loop or a fabric"
                .to_owned())
        );
    }

    #[test]
    fn words_of_both_channels_come_in_the_order_in_which_they_pass_the_analyzer() {
        let mut merge = ChannelMerge::new(1, Span(5));
        let mut seen = Vec::new();
        let run = |start, station| LineRun {
            start: Time(start),
            station,
            what: PortChange::Fill(FillWord::Idle),
            count: 1,
        };
        // Station 1 sends at 0, 3, 6 and 20, so the analyzer receives at 5, 8, 11 and 25.
        for (start, station) in [(0, 1), (1, 0), (3, 1), (6, 1), (8, 0), (9, 0), (20, 1), (24, 0)] {
            merge.add(&run(start, station), |run| seen.push((run.start.ticks(), run.station)));
        }
        merge.give_out(Time::NEVER, |run| seen.push((run.start.ticks(), run.station)));
        assert_eq!(seen, [(1, 0), (5, 1), (8, 1), (8, 0), (9, 0), (11, 1), (24, 0), (25, 1)]);
    }
}
