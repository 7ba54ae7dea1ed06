//! All observers of a run together.

use crate::capture::{Capture, CaptureCounts, CaptureOptions};
use crate::file::{FileError, FinishedFile, OutputFile, check_output_path};
use crate::kind::FileKind;
use crate::names::SystemNames;
use crate::observer::{Observer, RequestStep, WantedCalls};
use crate::paths::{IoPaths, Path};
use crate::playback::{Playback, PlaybackOptions};
use crate::tenancies::Tenancies;
use crate::tenancy::Tenancy;
use crate::timeline::{Timeline, TimelineOptions};
use crate::trace::{AnalyzerTrace, TraceOptions, WrittenTrace};
use crate::window::{WindowChange, Windows};
use sansim_component::{ComponentId, Movement};
use sansim_kernel::Time;
use sansim_pdu::{PortSight, WireUnit};
use sansim_request::{RequestId, Requests};
use std::path::PathBuf;

/// The observers to set up.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    /// Whether every tenancy of the loops is recorded.
    pub tenancies: bool,
    /// Whether the paths of chosen I/Os are recorded.
    pub paths: bool,
    /// The file and the options of an analyzer trace.
    pub trace: Option<(PathBuf, TraceOptions)>,
    /// The file and the options of a capture of frames. The windows of the capture are the windows of all
    /// files.
    pub capture: Option<(PathBuf, CaptureOptions)>,
    /// The file and the options of a timeline.
    pub timeline: Option<(PathBuf, TimelineOptions)>,
    /// The file and the options of a playback.
    pub playback: Option<(PathBuf, PlaybackOptions)>,
    /// Whether files of another kind are replaced.
    pub force: bool,
}

impl WatchOptions {
    /// Whether no observer is set up.
    pub fn observes_nothing(&self) -> bool {
        !self.tenancies && !self.paths && !self.writes_files()
    }

    /// Whether files are written, for which windows matter.
    pub fn writes_files(&self) -> bool {
        self.trace.is_some() || self.capture.is_some() || self.timeline.is_some() || self.playback.is_some()
    }
}

/// The results of the observers.
#[derive(Debug, Default)]
pub struct ObserverResults {
    /// Every tenancy of the run.
    pub tenancies: Vec<Tenancy>,
    /// The paths of chosen measured I/Os.
    pub paths: Vec<Path>,
    /// The trace that was written.
    pub trace: Option<WrittenTrace>,
    /// The capture that was written, with its counts.
    pub capture: Option<(FinishedFile, CaptureCounts)>,
    /// The timeline that was written.
    pub timeline: Option<FinishedFile>,
    /// The playback that was written.
    pub playback: Option<FinishedFile>,
}

/// All observers of a run. Files record only the time within the windows; tables record everything.
pub struct Observers {
    windows: Windows,
    tenancies: Option<Tenancies>,
    paths: Option<IoPaths>,
    trace: Option<AnalyzerTrace>,
    capture: Option<Capture>,
    timeline: Option<Timeline>,
    playback: Option<Playback>,
    force: bool,
}

impl Observers {
    /// Opens all files. The observers record all the time unless [`Self::set_windows`] sets windows.
    ///
    /// # Errors
    /// Fails if a file cannot be created, if a file of another kind is in its place, or if the network of a trace is not given. In that
    /// case the files that were created are removed again.
    pub fn create(watch: &WatchOptions, names: &SystemNames) -> Result<Self, FileError> {
        let places = [
            (FileKind::Trace, watch.trace.as_ref().map(|t| &t.0)),
            (FileKind::Capture, watch.capture.as_ref().map(|c| &c.0)),
            (FileKind::Timeline, watch.timeline.as_ref().map(|t| &t.0)),
            (FileKind::Playback, watch.playback.as_ref().map(|p| &p.0)),
        ];
        for (kind, path) in places.into_iter().filter(|_| !watch.force) {
            path.map_or(Ok(()), |path| check_output_path(path, kind))?;
        }
        let trace =
            watch.trace.as_ref().map(|(path, options)| AnalyzerTrace::create(path, names, options.clone()));
        let trace = trace.transpose()?;
        let capture =
            watch.capture.as_ref().map(|(path, options)| Capture::create(path, names, options.clone()));
        let capture = capture.transpose()?;
        let timeline = watch
            .timeline
            .as_ref()
            .map(|(path, options)| Timeline::create(path, names, *options))
            .transpose()?;
        let playback = watch
            .playback
            .as_ref()
            .map(|(path, options)| Playback::create(path, names, options))
            .transpose()?;
        Ok(Self {
            windows: Windows::whole_run(),
            tenancies: watch.tenancies.then(|| Tenancies::new(names)),
            paths: watch.paths.then(IoPaths::new),
            trace,
            capture,
            timeline,
            playback,
            force: watch.force,
        })
    }

    /// Sets the windows of the files. Call this function before the run.
    pub fn set_windows(&mut self, windows: Windows) {
        if let Some(capture) = &mut self.capture {
            capture.set_windows(windows.clone());
        }
        self.windows = windows;
    }

    /// Ends all files. `complete` is false for a run that was stopped early. If another kind of file got the requested name
    /// during the run, the file keeps its partial name.
    ///
    /// # Errors
    /// Fails with the first error of any file; then no file gets its name.
    pub fn finish(mut self, now: Time, complete: bool) -> Result<ObserverResults, FileError> {
        self.pass(now);
        if self.windows.is_open() {
            self.pause_files(now);
        }
        let trace = self.trace.map(AnalyzerTrace::into_file);
        let capture = self.capture.map(|capture| capture.into_file(complete));
        let timeline = self.timeline.map(Timeline::into_file);
        let playback = self.playback.map(Playback::into_file);
        let files = [
            trace.as_ref().map(|t| &t.0),
            capture.as_ref().map(|c| &c.0),
            timeline.as_ref(),
            playback.as_ref(),
        ];
        // A file that has failed is handled first, before any other file gets its name.
        if files.into_iter().flatten().any(OutputFile::failed) {
            let files = [trace.map(|t| t.0), capture.map(|c| c.0), timeline, playback].into_iter().flatten();
            for file in files.filter(OutputFile::failed) {
                file.finish(complete)?;
            }
            return Ok(ObserverResults::default());
        }
        let force = self.force;
        let finish = |file: OutputFile, kind| {
            let free = force || file.may_take_name(kind);
            file.finish(complete && free)
        };
        let trace = trace.map(|(file, edges, lines, triggered)| {
            let file = finish(file, FileKind::Trace)?;
            Ok::<_, FileError>(WrittenTrace { file, edges, lines, triggered })
        });
        let capture = capture
            .map(|(file, counts)| Ok::<_, FileError>((finish(file, FileKind::Capture)?, counts)))
            .transpose()?;
        Ok(ObserverResults {
            tenancies: self.tenancies.map(Tenancies::into_rows).unwrap_or_default(),
            paths: self.paths.map(IoPaths::into_rows).unwrap_or_default(),
            trace: trace.transpose()?,
            capture,
            timeline: timeline.map(|file| finish(file, FileKind::Timeline)).transpose()?,
            playback: playback.map(|file| finish(file, FileKind::Playback)).transpose()?,
        })
    }

    /// Opens and closes windows up to `now`; returns whether a window is open.
    fn pass(&mut self, now: Time) -> bool {
        while let Some(pass) = self.windows.advance_to(now) {
            match pass {
                WindowChange::Opens(at) => {
                    if let Some(trace) = &mut self.trace {
                        trace.window_opened(at);
                    }
                    if let Some(timeline) = &mut self.timeline {
                        timeline.window_opened(at);
                    }
                    if let Some(playback) = &mut self.playback {
                        playback.resume(at);
                    }
                }
                WindowChange::Closes(at) => self.pause_files(at),
            }
        }
        self.windows.is_open()
    }

    fn pause_files(&mut self, at: Time) {
        if let Some(trace) = &mut self.trace {
            trace.pause(at);
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.pause(at);
        }
        if let Some(playback) = &mut self.playback {
            playback.pause(at);
        }
    }

    /// Whether an observation at `now` is recorded by the files. An arrival may be announced ahead of its time, and must not move the
    /// windows.
    fn sees(&mut self, now: Time, what: PortSight) -> bool {
        match what {
            PortSight::Received(_)
            | PortSight::ReceivedSignal(_)
            | PortSight::SentFrame(_)
            | PortSight::ReceivedFrame(_) => self.windows.contains(now),
            _ => self.pass(now),
        }
    }
}

impl Observer for Observers {
    fn wants(&self) -> WantedCalls {
        [
            self.tenancies.as_ref().map(Observer::wants),
            self.paths.as_ref().map(Observer::wants),
            self.trace.as_ref().map(Observer::wants),
            self.capture.as_ref().map(Observer::wants),
            self.timeline.as_ref().map(Observer::wants),
            self.playback.as_ref().map(Observer::wants),
        ]
        .into_iter()
        .flatten()
        .fold(WantedCalls::default(), WantedCalls::union)
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, requests: &Requests) {
        let sees = self.sees(now, what);
        if let Some(tenancies) = &mut self.tenancies {
            tenancies.at_port(now, station, what, requests);
        }
        // The capture checks the windows itself, because it has to follow every exchange from its beginning.
        if let Some(capture) = &mut self.capture {
            capture.at_port(now, station, what, requests);
        }
        if let Some(trace) = &mut self.trace {
            if sees {
                trace.at_port(now, station, what, requests);
            } else {
                trace.note_unrecorded(now, station, what);
            }
        }
        if let Some(timeline) = &mut self.timeline {
            if sees {
                timeline.at_port(now, station, what, requests);
            } else {
                timeline.note_unrecorded(station, what);
            }
        }
        // The playback follows everything, so that a window begins with what is open.
        if let Some(playback) = &mut self.playback {
            playback.at_port(now, station, what, requests);
        }
    }

    fn at_buffer(
        &mut self,
        now: Time,
        station: usize,
        buffer: u32,
        unit: Option<WireUnit>,
        requests: &Requests,
    ) {
        let sees = self.pass(now);
        if sees && let Some(timeline) = &mut self.timeline {
            timeline.at_buffer(now, station, buffer, unit, requests);
        }
        if let Some(playback) = &mut self.playback {
            playback.at_buffer(now, station, buffer, unit, requests);
        }
    }

    fn at_move(
        &mut self,
        now: Time,
        component: ComponentId,
        ends: [usize; 3],
        what: &Movement,
        requests: &Requests,
    ) {
        self.pass(now);
        if let Some(playback) = &mut self.playback {
            playback.at_move(now, component, ends, what, requests);
        }
    }

    fn at_repeater(&mut self, now: Time, station: usize, what: PortSight, requests: &Requests) {
        let sees = self.sees(now, what);
        if let Some(trace) = &mut self.trace {
            if sees {
                trace.at_repeater(now, station, what, requests);
            } else {
                trace.note_unrecorded(now, station, what);
            }
        }
    }

    fn at_block(
        &mut self,
        now: Time,
        until: Time,
        component: ComponentId,
        block: usize,
        request: RequestId,
        requests: &Requests,
    ) {
        let sees = self.pass(now);
        if sees && let Some(timeline) = &mut self.timeline {
            timeline.at_block(now, until, component, block, request, requests);
        }
        if let Some(playback) = &mut self.playback {
            playback.at_block(now, until, component, block, request, requests);
        }
    }

    fn at_request(
        &mut self,
        now: Time,
        component: ComponentId,
        request: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        let sees = self.pass(now);
        if let Some(paths) = &mut self.paths {
            paths.at_request(now, component, request, what, requests);
        }
        if sees && let Some(timeline) = &mut self.timeline {
            timeline.at_request(now, component, request, what, requests);
        }
        if let Some(playback) = &mut self.playback {
            playback.at_request(now, component, request, what, requests);
        }
    }

    fn at_gauge(&mut self, now: Time, gauge: usize, value: u32) {
        let sees = self.pass(now);
        if let Some(timeline) = &mut self.timeline {
            if sees {
                timeline.at_gauge(now, gauge, value);
            } else {
                timeline.note_unrecorded_gauge(gauge, value);
            }
        }
        if let Some(playback) = &mut self.playback {
            playback.at_gauge(now, gauge, value);
        }
    }

    fn tenancies(&mut self) -> Option<&mut Vec<Tenancy>> {
        self.tenancies.as_mut().and_then(Observer::tenancies)
    }

    fn failed(&self) -> bool {
        self.trace.as_ref().is_some_and(Observer::failed)
            || self.capture.as_ref().is_some_and(Observer::failed)
            || self.timeline.as_ref().is_some_and(Observer::failed)
            || self.playback.as_ref().is_some_and(Observer::failed)
    }
}
