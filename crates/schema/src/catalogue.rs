//! The catalogue of a component: its segments, blocks, gauges, meters and figures, each declared beside the code that produces it.
//!
//! Results, tables, reports, timelines and studies get names, units, labels and meanings from the catalogue and depend on no component.

/// The unit of a value in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FigureUnit {
    /// The value is in nanoseconds.
    Nanoseconds,
    /// The value is in seconds.
    Seconds,
    /// The value is in bytes.
    Bytes,
    /// The value is in bytes per second.
    BytesPerSecond,
    /// The value is in I/Os per second.
    Iops,
    /// The value is a share of a whole, 1 for the whole.
    Share,
    /// The value is a count.
    Count,
    /// The value is a number of no other unit, such as a correlation.
    Number,
    /// The value is no number, but a word or a sentence.
    Word,
    /// The value is no number, but yes or no.
    Flag,
}

impl FigureUnit {
    /// The unit as it is written; for values without a unit, the kind of value.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Seconds => "s",
            Self::Bytes => "B",
            Self::BytesPerSecond => "B/s",
            Self::Iops => "IOPS",
            Self::Share => "share",
            Self::Count => "count",
            Self::Number => "number",
            Self::Word => "word",
            Self::Flag => "flag",
        }
    }
}

/// A unit of a component that works for requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The name in results: lower case with underscores.
    pub name: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// The meaning of the block.
    pub meaning: &'static str,
}

impl Block {
    /// A block with a name, a label and a meaning.
    pub const fn new(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { name, label, meaning }
    }
}

/// A segment: a part of the time that a request spends at a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The name in results: lower case with underscores.
    pub name: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// The activity of a request in the segment.
    pub meaning: &'static str,
    /// The blocks that work for the request, one of them at a time, by their numbers among those of the component; none if the request
    /// waits.
    pub blocks: &'static [usize],
    /// The colour of the segment in charts, such as `#56B4E9`; none where any colour will do. A waiting segment has a lighter tone of the
    /// segment for which the request waits.
    pub colour: Option<&'static str>,
}

impl Segment {
    /// A segment in which a request waits.
    pub const fn wait(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { name, label, meaning, blocks: &[], colour: None }
    }

    /// A segment in which one of these blocks works for the request.
    pub const fn work(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        blocks: &'static [usize],
    ) -> Self {
        Self { name, label, meaning, blocks, colour: None }
    }

    /// Gives the segment a colour of its own in charts.
    pub const fn coloured(self, colour: &'static str) -> Self {
        Self { colour: Some(colour), ..self }
    }

    /// Whether a request waits in the segment.
    pub const fn waits(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// A gauge: a number that goes up and down at a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// The name in results: lower case with underscores.
    pub name: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// The quantity that the gauge counts.
    pub meaning: &'static str,
    /// Whether samples of a run have the gauge; timelines and playbacks show every gauge.
    pub is_sampled: bool,
}

impl Gauge {
    /// A gauge with a name, a label and a meaning.
    pub const fn new(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { name, label, meaning, is_sampled: true }
    }

    /// A gauge of a place or a position, whose mean over a run says nothing, so that samples do not have it.
    pub const fn position(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { is_sampled: false, ..Self::new(name, label, meaning) }
    }
}

/// A kind of move: something that goes from one place of a network to another, such as a frame or a primitive signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveKind {
    /// The name in the words of the standard: `FCP_DATA`, `R_RDY`.
    pub name: &'static str,
    /// The meaning of the move.
    pub meaning: &'static str,
    /// Whether the move is a signal of one word, and no unit with a request.
    pub signal: bool,
    /// The colour of the move in pictures, such as `#0072B2`; moves of one purpose share a colour on all networks.
    pub colour: &'static str,
}

impl MoveKind {
    /// A move of a unit.
    pub const fn unit(name: &'static str, meaning: &'static str, colour: &'static str) -> Self {
        Self { name, meaning, signal: false, colour }
    }

    /// A move of a signal.
    pub const fn signal(name: &'static str, meaning: &'static str, colour: &'static str) -> Self {
        Self { name, meaning, signal: true, colour }
    }
}

/// The colours of moves by their purpose, from the palette of Okabe and Ito (2008), which colour-blind people can tell apart.
pub mod move_colour {
    /// A command.
    pub const COMMAND: &str = "#E69F00";
    /// A request for data.
    pub const ASK: &str = "#CC79A7";
    /// Data.
    pub const DATA: &str = "#0072B2";
    /// A status.
    pub const STATUS: &str = "#009E73";
    /// The end of an exchange before its status.
    pub const ABORT: &str = "#D55E00";
    /// Moves of the network itself.
    pub const CONTROL: &str = "#777777";
}

/// A stock: an amount that may accumulate in a component, so that its level at the beginning of a run differs from later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stock {
    /// The name in results: lower case with underscores.
    pub name: &'static str,
    /// The unit of the stock.
    pub unit: FigureUnit,
    /// The meaning of the stock, as the subject of a sentence.
    pub meaning: &'static str,
    /// The consequence of its growth for the figures of a run, as a sentence without a stop.
    pub grows: &'static str,
    /// The consequence of its shrinking for the figures of a run, as a sentence without a stop.
    pub shrinks: &'static str,
}

/// A meter: a number that only grows during a run: a busy time in ticks, or a count. Figures are made from the increase of meters in the
/// measured interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    /// The name of the meter's share of the time between two samples; none if it is not sampled.
    pub sampled: Option<&'static str>,
}

impl Meter {
    /// A meter that is not sampled.
    pub const NOT_SAMPLED: Self = Self { sampled: None };

    /// A meter that is sampled under this name.
    pub const fn sampled(name: &'static str) -> Self {
        Self { sampled: Some(name) }
    }

    /// A list of meters, of which these are sampled, each given by its number and its name.
    pub const fn list<const METERS: usize>(sampled: &[(usize, &'static str)]) -> [Self; METERS] {
        let mut meters = [Self::NOT_SAMPLED; METERS];
        let mut place = 0;
        while place < sampled.len() {
            let (number, name) = sampled[place];
            meters[number] = Self::sampled(name);
            place += 1;
        }
        meters
    }
}

/// A meter at each of the places of a component. A place meter is sampled, as a share of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceMeter {
    /// The name of the meter's share of the time between two samples.
    pub name: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// The quantity that the meter measures.
    pub meaning: &'static str,
}

impl PlaceMeter {
    /// A place meter with a name, a label and a meaning.
    pub const fn new(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { name, label, meaning }
    }
}

/// The definition of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureDefinition {
    /// The share of the time that a meter of time measured, divided by the number of servers of the component.
    Share(usize),
    /// The greatest of the shares of several meters.
    GreatestShare(&'static [usize]),
    /// The total of a meter of counts.
    Count(usize),
    /// The total of a meter of counts over that of another; 0 if the latter is 0.
    Ratio(usize, usize),
    /// A meter of time over a meter of counts, in nanoseconds; 0 if the count is 0.
    MeanTime(usize, usize),
    /// A value that does not change during a run, and which the component returns.
    Constant,
}

/// The value of a figure for a group, from the values of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupAggregation {
    /// The mean of the members.
    Mean,
    /// The mean of the members, and the least and the greatest as `NAME_min` and `NAME_max`.
    MeanAndRange,
    /// The sum of the members.
    Sum,
}

/// A figure of a component in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The name in results: lower case with underscores.
    pub name: &'static str,
    /// The unit of the figure.
    pub unit: FigureUnit,
    /// The name for people.
    pub label: &'static str,
    /// The meaning of the figure.
    pub meaning: &'static str,
    /// The definition of the figure.
    pub of: FigureDefinition,
    /// The value of the figure for a group.
    pub across: GroupAggregation,
}

impl Figure {
    /// A figure whose value for a group is the mean.
    pub const fn new(
        name: &'static str,
        unit: FigureUnit,
        label: &'static str,
        meaning: &'static str,
        of: FigureDefinition,
    ) -> Figure {
        Figure { name, unit, label, meaning, of, across: GroupAggregation::Mean }
    }

    /// A figure that is the share of the time that a meter of time measured.
    pub const fn share(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        meter: usize,
    ) -> Figure {
        Self::new(name, FigureUnit::Share, label, meaning, FigureDefinition::Share(meter))
    }

    /// A share whose value for a group also has the least and the greatest of its members.
    pub const fn spread(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        meter: usize,
    ) -> Figure {
        Figure { across: GroupAggregation::MeanAndRange, ..Self::share(name, label, meaning, meter) }
    }

    /// A figure that is the count of a meter.
    pub const fn count(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        meter: usize,
    ) -> Figure {
        Self::new(name, FigureUnit::Count, label, meaning, FigureDefinition::Count(meter))
    }

    /// A figure that is the count of a meter; for a group of components it is the sum of their counts.
    pub const fn sum(name: &'static str, label: &'static str, meaning: &'static str, meter: usize) -> Figure {
        Self::count(name, label, meaning, meter).summed()
    }

    /// A figure that is the bytes that a meter counted; for a group of components it is the sum of their bytes.
    pub const fn bytes(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        meter: usize,
    ) -> Figure {
        Self::new(name, FigureUnit::Bytes, label, meaning, FigureDefinition::Count(meter)).summed()
    }

    /// A figure that stays the same during a run.
    pub const fn constant(
        name: &'static str,
        unit: FigureUnit,
        label: &'static str,
        meaning: &'static str,
    ) -> Figure {
        Self::new(name, unit, label, meaning, FigureDefinition::Constant)
    }

    /// Makes the value of the figure for a group the sum over its members.
    pub const fn summed(self) -> Figure {
        Figure { across: GroupAggregation::Sum, ..self }
    }
}

/// All that can be observed of the components of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue {
    /// The segments of a request's time. The first segment is that in which arriving requests wait.
    pub segments: &'static [Segment],
    /// The segment of a request while the component provides its next data.
    pub provides: usize,
    /// Segments that are drawn on lanes of the component, since it works on several requests at once for times that are not known before.
    pub lanes: &'static [usize],
    /// The blocks that work in the segments.
    pub blocks: &'static [Block],
    /// The gauges: values that go up and down.
    pub gauges: &'static [Gauge],
    /// The states of the ports of a network, by the numbers in observations.
    pub states: &'static [&'static str],
    /// The kinds of moves on a network, by the numbers in observations.
    pub moves: &'static [MoveKind],
    /// The stocks: amounts that may accumulate.
    pub stocks: &'static [Stock],
    /// The meters: values that only grow.
    pub meters: &'static [Meter],
    /// The figures in results.
    pub figures: &'static [Figure],
}

impl Catalogue {
    /// A catalogue of nothing.
    pub const EMPTY: Self = Self {
        segments: &[],
        provides: 0,
        lanes: &[],
        blocks: &[],
        gauges: &[],
        states: &[],
        moves: &[],
        stocks: &[],
        meters: &[],
        figures: &[],
    };

    /// Whether a meter is a count, and no time.
    pub fn is_count(&self, meter: usize) -> bool {
        self.figures.iter().any(|figure| match figure.of {
            FigureDefinition::Count(count) | FigureDefinition::MeanTime(_, count) => count == meter,
            FigureDefinition::Ratio(these, of) => these == meter || of == meter,
            FigureDefinition::Share(_) | FigureDefinition::GreatestShare(_) | FigureDefinition::Constant => {
                false
            }
        })
    }
}
