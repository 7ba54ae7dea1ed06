//! The writer's side of a trace, which turns edges into text.

use super::TraceOptions;
use super::analyzer::ChannelMerge;
use super::edge::{PortChange, PortEdge};
use super::filter::LineFilter;
use super::runs::{LineRun, RunCollector};
use super::text::TextWriter;
use super::trigger::TriggerGate;
use crate::file::OutputFile;
use crate::names::SystemNames;
use sansim_kernel::{Span, Time};
use std::ops::Range;

/// The last line of a trace that has reached its greatest length.
const LAST_LINE: &[u8] = b"# the file is as long as it may be; the run went on\n";

/// The lines of a trace on their way to its file.
pub(super) struct Lines {
    runs: RunCollector,
    /// The order of both channels of an analyzer at one node.
    channels: Option<ChannelMerge>,
    shown: Shown,
    /// The number of lines that were written.
    pub(super) count: u64,
    /// Whether the file has reached its greatest length.
    ended: bool,
}

/// The lines that are shown, as text.
struct Shown {
    filter: LineFilter,
    gate: TriggerGate,
    text: TextWriter,
    out: Vec<u8>,
}

impl Lines {
    pub(super) fn new(
        names: &SystemNames,
        word: Span,
        stations: Range<usize>,
        options: &TraceOptions,
    ) -> Self {
        let place = |station: usize| (station - stations.start) as u16;
        let text = match options.analyzer {
            None => TextWriter::new(names, stations.clone(), options.states),
            Some(point) => TextWriter::at_node(names, stations.clone(), point, options.states),
        };
        Self {
            runs: RunCollector::new(word, stations.len()),
            channels: options.analyzer.map(|point| ChannelMerge::new(place(point.upstream), point.delay)),
            shown: Shown {
                filter: options.filter.clone(),
                gate: TriggerGate::new(options.trigger.clone()),
                text,
                out: Vec::with_capacity(1 << 20),
            },
            count: 0,
            ended: false,
        }
    }

    /// The lines above the first run.
    pub(super) fn header(&self, names: &SystemNames, network: usize) -> String {
        self.shown.text.header(names, network)
    }

    /// Whether the trigger came; always without one.
    pub(super) fn has_begun(&self) -> bool {
        self.shown.gate.has_begun()
    }

    pub(super) fn take(&mut self, batch: &[PortEdge]) {
        for edge in batch {
            self.runs.add(edge);
        }
        let Self { runs, channels, shown, count, .. } = self;
        runs.hand_over_finished_runs(|run| *count += pass(run, channels, shown));
    }

    /// Writes the lines that are ready, as long as there is room; then the last line says that there are more. Returns
    /// whether more lines may follow.
    pub(super) fn flush(&mut self, file: &mut OutputFile) -> bool {
        let out = &mut self.shown.out;
        if file.has_room(out.len()) {
            file.write(out);
        } else {
            let fitting = if self.ended { 0 } else { out.len().min(file.remaining_bytes() as usize) };
            let end = out[..fitting].iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
            file.write(&out[..end]);
            let lost = out[end..].split_inclusive(|&byte| byte == b'\n');
            self.count -= lost.filter(|line| !line.starts_with(b"#")).count() as u64;
            if !self.ended {
                file.write(LAST_LINE);
            }
            self.ended = true;
        }
        out.clear();
        !self.ended && !self.shown.gate.is_done()
    }

    pub(super) fn finish(&mut self, file: &mut OutputFile) {
        let Self { runs, channels, shown, count, .. } = self;
        runs.finish(|run| *count += pass(run, channels, shown));
        if let Some(channels) = channels {
            channels.give_out(Time::NEVER, |run| *count += shown.line(run));
        }
        self.flush(file);
    }
}

/// Writes the lines that a run makes ready. Returns their number.
fn pass(run: &LineRun, channels: &mut Option<ChannelMerge>, shown: &mut Shown) -> u64 {
    let Some(channels) = channels else { return shown.line(run) };
    let mut lines = 0;
    channels.add(run, |run| lines += shown.line(run));
    lines
}

impl Shown {
    /// Writes the line of a run if the run is to be shown. Returns the number of lines written.
    fn line(&mut self, run: &LineRun) -> u64 {
        if let PortChange::Resumes { state, .. } = run.what {
            self.text.window_opened(run.station, state);
            return 0;
        }
        let is_shown = match run.what {
            PortChange::State(_) => self.text.shows_states_of(run.station),
            _ => self.filter.fits(run),
        };
        let Self { gate, text, out, .. } = self;
        gate.pass(run, is_shown, |line| text.append_line(run, line), out)
    }
}
