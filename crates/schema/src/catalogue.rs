//! The catalogue of a component: its segments, blocks, gauges, meters and figures, each declared beside the code that produces it.
//!
//! Results, tables, reports, timelines and studies take names, units, labels and meanings from here and know no component.

/// The unit of a value in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FigureUnit {
    /// Nanoseconds.
    Nanoseconds,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// I/Os per second.
    Iops,
    /// A share of a whole, 1 for all of it.
    Share,
    /// How many.
    Count,
    /// A number that is none of these, as a correlation.
    Number,
    /// No number: a word or a sentence.
    Word,
    /// No number: yes or no.
    Flag,
}

impl FigureUnit {
    /// How it is written, where it is a unit; else what it is.
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
    /// Name in results: lower case with underscores.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
}

impl Block {
    /// A block.
    pub const fn new(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { name, label, meaning }
    }
}

/// Where the time of a request goes at a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Name in results: lower case with underscores.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// The activity of a request there.
    pub meaning: &'static str,
    /// The blocks that work for it, one of them at a time, by their numbers among those of the component; none if the request
    /// waits.
    pub blocks: &'static [usize],
    /// Its colour in charts, as `#56B4E9`; none where any will do. A wait has a lighter tone of what is waited for.
    pub colour: Option<&'static str>,
}

impl Segment {
    /// A segment in which a request waits.
    pub const fn wait(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { name, label, meaning, blocks: &[], colour: None }
    }

    /// A segment in which one of these blocks works for it.
    pub const fn work(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        blocks: &'static [usize],
    ) -> Self {
        Self { name, label, meaning, blocks, colour: None }
    }

    /// The same with a colour of its own in charts.
    pub const fn coloured(self, colour: &'static str) -> Self {
        Self { colour: Some(colour), ..self }
    }

    /// Whether a request waits in it.
    pub const fn waits(&self) -> bool {
        self.blocks.is_empty()
    }
}

/// A number that goes up and down at a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// Name in results: lower case with underscores.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// The quantity that it counts.
    pub meaning: &'static str,
}

impl Gauge {
    /// A gauge.
    pub const fn new(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { name, label, meaning }
    }
}

/// Something that may pile up in a component, so that it is not what it was at the beginning of the run, nor what it will be later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stock {
    /// Name in results: lower case with underscores.
    pub name: &'static str,
    /// The unit of the stock.
    pub unit: FigureUnit,
    /// The meaning of the stock, as the subject of a sentence.
    pub meaning: &'static str,
    /// The consequence of its growth for the figures of a run, as a sentence without a stop.
    pub grows: &'static str,
    /// The same if it shrinks.
    pub shrinks: &'static str,
}

/// Something that only grows while a run goes on: a time at work in ticks, or a count. Figures are made of what was added in the
/// measured interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    /// Name of its share of the time between two samples; none if it is not sampled.
    pub sampled: Option<&'static str>,
}

impl Meter {
    /// A meter that is not sampled.
    pub const NOT_SAMPLED: Self = Self { sampled: None };

    /// A meter that is sampled under this name.
    pub const fn sampled(name: &'static str) -> Self {
        Self { sampled: Some(name) }
    }

    /// So many meters, of which these are sampled, each by its number and under its name.
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

/// The same as a meter, at each of the places of a component. It is sampled, as a share of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceMeter {
    /// Name of its share of the time between two samples.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// The quantity that it measures.
    pub meaning: &'static str,
}

impl PlaceMeter {
    /// Such a meter.
    pub const fn new(name: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self { name, label, meaning }
    }
}

/// The definition of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The share of the time in which a meter of time went on, for each of what the component can do at once.
    Share(usize),
    /// The greatest of these shares.
    GreatestShare(&'static [usize]),
    /// The total of a meter of counts.
    Count(usize),
    /// The total of a meter of counts over that of another; 0 if the latter is 0.
    Ratio(usize, usize),
    /// A meter of time, for each that a meter of counts counted, in nanoseconds; 0 of none.
    MeanTime(usize, usize),
    /// Something that does not change while a run goes on; the component says it.
    Constant,
}

/// The value of a figure for a group, from those of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// Their mean.
    Mean,
    /// Their mean, and the least and the greatest as `NAME_min` and `NAME_max`.
    MeanAndRange,
    /// Their sum.
    Sum,
}

/// A figure of a component in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Name in results: lower case with underscores.
    pub name: &'static str,
    /// Its unit.
    pub unit: FigureUnit,
    /// Name for people.
    pub label: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// Its definition.
    pub of: Of,
    /// Its value for a group.
    pub across: Across,
}

impl Figure {
    /// A figure of which a group says the mean.
    pub const fn new(
        name: &'static str,
        unit: FigureUnit,
        label: &'static str,
        meaning: &'static str,
        of: Of,
    ) -> Figure {
        Figure { name, unit, label, meaning, of, across: Across::Mean }
    }

    /// The share of the time in which a meter of time went on.
    pub const fn share(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        meter: usize,
    ) -> Figure {
        Self::new(name, FigureUnit::Share, label, meaning, Of::Share(meter))
    }

    /// The same; a group says the least and the greatest of its members, too.
    pub const fn spread(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        meter: usize,
    ) -> Figure {
        Figure { across: Across::MeanAndRange, ..Self::share(name, label, meaning, meter) }
    }

    /// A figure that is the count of a meter.
    pub const fn count(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        meter: usize,
    ) -> Figure {
        Self::new(name, FigureUnit::Count, label, meaning, Of::Count(meter))
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
        Self::new(name, FigureUnit::Bytes, label, meaning, Of::Count(meter)).summed()
    }

    /// A figure that stays the same during a run.
    pub const fn constant(
        name: &'static str,
        unit: FigureUnit,
        label: &'static str,
        meaning: &'static str,
    ) -> Figure {
        Self::new(name, unit, label, meaning, Of::Constant)
    }

    /// The same, of which a group says the sum.
    pub const fn summed(self) -> Figure {
        Figure { across: Across::Sum, ..self }
    }
}

/// Everything that can be seen of the components of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Catalogue {
    /// Where time goes. The first is where requests that arrive wait.
    pub segments: &'static [Segment],
    /// The segment of a request while the component provides its next data.
    pub provides: usize,
    /// Segments that are drawn on lanes of the component, since it works on several requests at once and does not say
    /// before for how long.
    pub lanes: &'static [usize],
    /// The units that work in them.
    pub blocks: &'static [Block],
    /// The values that go up and down.
    pub gauges: &'static [Gauge],
    /// The stocks that may pile up.
    pub stocks: &'static [Stock],
    /// The values that only grow.
    pub meters: &'static [Meter],
    /// The figures in results.
    pub figures: &'static [Figure],
}

impl Catalogue {
    /// Nothing to see.
    pub const EMPTY: Self = Self {
        segments: &[],
        provides: 0,
        lanes: &[],
        blocks: &[],
        gauges: &[],
        stocks: &[],
        meters: &[],
        figures: &[],
    };

    /// Whether a meter counts something, and is no time.
    pub fn counts(&self, meter: usize) -> bool {
        self.figures.iter().any(|figure| match figure.of {
            Of::Count(count) | Of::MeanTime(_, count) => count == meter,
            Of::Ratio(these, of) => these == meter || of == meter,
            Of::Share(_) | Of::GreatestShare(_) | Of::Constant => false,
        })
    }
}
