//! The values of keys that have a syntax of their own: `rw`, lists by direction, mixes of sizes, distributions.

use sansim_schema::codes;
use sansim_schema::suggest;

use super::units::{self, KbBase};
use crate::faults::WrittenValueError;

/// The direction of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IoDirection {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// The I/O notifies the device that blocks are no longer needed.
    Trim,
}

impl IoDirection {
    /// All directions, in the order in which fio lists them.
    pub const ALL: [IoDirection; 3] = [IoDirection::Read, IoDirection::Write, IoDirection::Trim];

    /// The word for the direction in logs of fio.
    pub fn word(self) -> &'static str {
        match self {
            IoDirection::Read => "read",
            IoDirection::Write => "write",
            IoDirection::Trim => "trim",
        }
    }
}

/// One value for each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerDirection<T> {
    /// The value for reads.
    pub read: T,
    /// The value for writes.
    pub write: T,
    /// The value for trims.
    pub trim: T,
}

impl<T> PerDirection<T> {
    /// The value for a direction.
    pub fn value_for(&self, direction: IoDirection) -> &T {
        match direction {
            IoDirection::Read => &self.read,
            IoDirection::Write => &self.write,
            IoDirection::Trim => &self.trim,
        }
    }

    /// Applies a function to each value, with its direction.
    pub fn map<U>(&self, mut f: impl FnMut(IoDirection, &T) -> U) -> PerDirection<U> {
        PerDirection {
            read: f(IoDirection::Read, &self.read),
            write: f(IoDirection::Write, &self.write),
            trim: f(IoDirection::Trim, &self.trim),
        }
    }
}

/// Parses values between commas: a value that is left out is `None`, and a value that no comma follows is for all later directions.
///
/// # Errors
/// If there are more than three values, or a value cannot be parsed.
pub fn parse_comma_values<T: Clone>(
    text: &str,
    mut read: impl FnMut(&str) -> Result<T, WrittenValueError>,
) -> Result<PerDirection<Option<T>>, WrittenValueError> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err(WrittenValueError::new(
            codes::BAD_VALUE,
            format!("{text} has {} values", parts.len()),
            "write at most three: for reads, writes and trims",
        ));
    }
    let mut found: Vec<Option<T>> = Vec::new();
    for part in &parts {
        found.push(if part.is_empty() { None } else { Some(read(part)?) });
    }
    let last = found.last().cloned().flatten();
    found.resize(3, last);
    let mut found = found.into_iter();
    let mut next = || found.next().flatten();
    Ok(PerDirection { read: next(), write: next(), trim: next() })
}

/// A rate for each direction; 0 is none.
///
/// # Errors
/// If a rate is no number.
pub fn rates(text: &str, base: KbBase) -> Result<PerDirection<Option<u64>>, WrittenValueError> {
    let read = parse_comma_values(text, |part| units::parse_bytes(part, base))?;
    Ok(read.map(|_, rate| rate.filter(|rate| *rate > 0)))
}

/// One size for each direction. A range is an error here: fio 3.33 uses `4k-512k` as 4k for reads and 512k for writes.
///
/// # Errors
///
/// If a value is no size, or a range.
pub fn parse_one_size(text: &str, base: KbBase) -> Result<PerDirection<Option<u64>>, WrittenValueError> {
    let is_range = |part: &str| {
        part.split_once('-').is_some_and(|(low, high)| {
            [low, high].iter().all(|end| units::parse_bytes(end.trim(), base).is_ok())
        })
    };
    if text.split(',').any(|part| is_range(part.trim())) {
        let message = format!("{text} is a range of sizes, and blocksize takes one size for each direction");
        let help = format!(
            "write blocksize_range={text} (or bsrange), or bs={} for reads and writes of different sizes; fio 3.33 takes the first for reads and the second for writes",
            text.replace('-', ",")
        );
        return Err(WrittenValueError::new(codes::BAD_VALUE, message, help));
    }
    parse_comma_values(text, |part| units::parse_io_bytes(part, base))
}

/// The operations of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operations {
    /// The job has only I/Os of this direction.
    Only(IoDirection),
    /// The job mixes reads and writes, by `rwmixread`.
    Mixed,
    /// Each place is trimmed and then written.
    TrimThenWrite,
}

/// The value of the key `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RwValue {
    /// The operations.
    pub operations: Operations,
    /// Whether places are drawn; otherwise they follow each other.
    pub random: bool,
    /// The number of I/Os per drawn place of a random job (`randread:8`).
    pub every: u32,
    /// Bytes added to the place after each I/O of a sequential job, backwards if negative (`read:4k`).
    pub step_bytes: i64,
}

impl RwValue {
    /// Whether the job has I/Os of a direction.
    pub fn has_direction(&self, direction: IoDirection) -> bool {
        match self.operations {
            Operations::Only(only) => only == direction,
            Operations::Mixed => direction != IoDirection::Trim,
            Operations::TrimThenWrite => direction != IoDirection::Read,
        }
    }
}

/// The words of `rw`.
const KINDS: [(&str, Operations, bool); 11] = [
    ("read", Operations::Only(IoDirection::Read), false),
    ("write", Operations::Only(IoDirection::Write), false),
    ("trim", Operations::Only(IoDirection::Trim), false),
    ("randread", Operations::Only(IoDirection::Read), true),
    ("randwrite", Operations::Only(IoDirection::Write), true),
    ("randtrim", Operations::Only(IoDirection::Trim), true),
    ("rw", Operations::Mixed, false),
    ("readwrite", Operations::Mixed, false),
    ("randrw", Operations::Mixed, true),
    ("trimwrite", Operations::TrimThenWrite, false),
    ("randtrimwrite", Operations::TrimThenWrite, true),
];

/// Parses the value of `rw`.
///
/// # Errors
/// If the word or the text after `:` is unknown.
pub fn parse_rw(text: &str, base: KbBase) -> Result<RwValue, WrittenValueError> {
    let (word, suffix) = match text.split_once(':') {
        Some((word, suffix)) => (word.trim(), Some(suffix.trim())),
        None => (text.trim(), None),
    };
    let Some((_, operations, random)) = KINDS.iter().find(|(name, ..)| *name == word).copied() else {
        let known = KINDS.map(|(name, ..)| name);
        return Err(unknown("way to read and write", word, &known));
    };
    let (mut every, mut step_bytes) = (1, 0);
    match suffix {
        Some(suffix) if random => every = units::parse_small_count(suffix, base)?,
        Some(suffix) => {
            let (sign, size) = match suffix.strip_prefix('-') {
                Some(size) => (-1, size),
                None => (1, suffix),
            };
            // A parsed size is at most i64::MAX.
            step_bytes = sign * units::parse_bytes(size, base)? as i64;
        }
        None => {}
    }
    Ok(RwValue { operations, random, every, step_bytes })
}

fn unknown(what: &str, word: &str, known: &[&str]) -> WrittenValueError {
    let help = suggest::did_you_mean(word, known.iter().copied())
        .unwrap_or_else(|| format!("write {}", suggest::words_in_prose(known.iter().copied())));
    WrittenValueError::new(codes::UNKNOWN_WORD, format!("{word:?} is no {what}"), help)
}

/// Parses a word from a list of words.
///
/// # Errors
/// If the text is none of the words.
pub fn word<T: Copy>(text: &str, what: &str, known: &[(&str, T)]) -> Result<T, WrittenValueError> {
    let text = text.trim();
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        unknown(what, text, &names)
    })
}

/// Sizes of I/Os of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// All I/Os have this size.
    Fixed(u64),
    /// Each a multiple of the first, up to the second (`bsrange`).
    Range(u64, u64),
    /// Each size has its percentage, the smallest size first; the percentages add up to 100 (`bssplit`).
    Split(Vec<(u64, u8)>),
}

impl Sizes {
    /// The smallest.
    pub fn smallest_bytes(&self) -> u64 {
        match self {
            Sizes::Fixed(bytes) | Sizes::Range(bytes, _) => *bytes,
            Sizes::Split(sizes) => sizes.first().map_or(1, |(bytes, _)| *bytes),
        }
    }

    /// The largest.
    pub fn largest(&self) -> u64 {
        match self {
            Sizes::Fixed(bytes) | Sizes::Range(_, bytes) => *bytes,
            Sizes::Split(sizes) => sizes.last().map_or(1, |(bytes, _)| *bytes),
        }
    }

    /// The size, if all I/Os have the same size.
    pub fn fixed_size(&self) -> Option<u64> {
        (self.smallest_bytes() == self.largest()).then(|| self.smallest_bytes())
    }
}

/// The most sizes of a mix, as in fio.
const MOST_SIZES: usize = 64;
/// The most zones of a distribution, as in fio.
const MOST_ZONES: usize = 256;

/// `first/percent:first/percent`, with blank percentages filled up evenly. The percentages of the parts add up to 100.
fn parts<T>(
    text: &str,
    what: &str,
    most: usize,
    mut read: impl FnMut(&str, Option<&str>) -> Result<(T, Option<u8>), WrittenValueError>,
) -> Result<Vec<(T, u8)>, WrittenValueError> {
    let mut found = Vec::new();
    for part in text.split(':') {
        let (first, second) = match part.split_once('/') {
            Some((first, second)) => (first, Some(second).filter(|second| !second.trim().is_empty())),
            None => (part, None),
        };
        found.push(read(first, second)?);
    }
    if found.len() > most {
        let message = format!("{} {what} are more than the {most} of fio", found.len());
        return Err(WrittenValueError::new(codes::OUT_OF_RANGE, message, "leave some out"));
    }
    let given: u32 = found.iter().filter_map(|(_, percent)| *percent).map(u32::from).sum();
    let blank = found.iter().filter(|(_, percent)| percent.is_none()).count() as u32;
    if given > 100 || (blank == 0 && given < 100) {
        let message = format!("the percentages of the {what} add up to {given}");
        return Err(WrittenValueError::new(
            codes::BAD_VALUE,
            message,
            "make them add up to 100, or leave one blank",
        ));
    }
    // The remainder of the division goes to the first blanks; fio gives every blank the quotient rounded down.
    let mut rest = (100 - given, blank);
    Ok(found
        .into_iter()
        .map(|(first, percent)| {
            let percent = percent.unwrap_or_else(|| {
                let share = rest.0.div_ceil(rest.1.max(1));
                rest = (rest.0 - share, rest.1 - 1);
                share as u8
            });
            (first, percent)
        })
        .collect())
}

/// Parses `bssplit` of one direction.
///
/// # Errors
/// If a size or a percentage is invalid, or the percentages do not add up to 100.
pub fn parse_bssplit(text: &str, base: KbBase) -> Result<Sizes, WrittenValueError> {
    let mut sizes = parts(text, "sizes", MOST_SIZES, |size, percent| {
        Ok((
            units::parse_io_bytes(size, base)?,
            percent.map(|text| units::parse_percent(text, base)).transpose()?,
        ))
    })?;
    sizes.sort_unstable();
    sizes.retain(|(_, percent)| *percent > 0);
    Ok(Sizes::Split(sizes))
}

/// Parses `bsrange` of one direction.
///
/// # Errors
/// If the text is not `smallest-largest`.
pub fn parse_bsrange(text: &str, base: KbBase) -> Result<Sizes, WrittenValueError> {
    let Some((low, high)) = text.split_once(['-', ':']) else {
        let message = format!("{text:?} is no range of sizes");
        return Err(WrittenValueError::new(codes::BAD_VALUE, message, "write it as in 4k-64k"));
    };
    let (low, high) = (units::parse_io_bytes(low, base)?, units::parse_io_bytes(high, base)?);
    if low > high {
        let message = format!("the range {text} begins above its end");
        return Err(WrittenValueError::new(codes::BAD_VALUE, message, "write the smaller size first"));
    }
    Ok(Sizes::Range(low, high))
}

/// How places of a random job are distributed.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RandomDistribution {
    /// All places are equally likely.
    #[default]
    Uniform,
    /// Places follow Zipf's law with this exponent, spread by a hash; the hottest place is at this share of the region, or drawn if no
    /// share is given.
    Zipf(f64, Option<f64>),
    /// Places follow Pareto's law with this input value, otherwise as Zipf's.
    Pareto(f64, Option<f64>),
    /// Places are bell-shaped with this deviation in percent of the region, spread by a hash.
    Normal(f64, Option<f64>),
    /// Parts of the region in percent, each with its percentage of the accesses: (accesses, share of the region).
    Zoned(Vec<(u8, u8)>),
    /// Parts of the region in bytes, each with its percentage of the accesses: (accesses, bytes).
    ZonedBytes(Vec<(u8, u64)>),
}

/// The words of `random_distribution`.
const DISTRIBUTIONS: [&str; 6] = ["random", "zipf", "pareto", "normal", "zoned", "zoned_abs"];

/// Parses `random_distribution`, with commas for directions, which fio allows for zones only.
///
/// # Errors
/// If the word or its numbers are invalid.
pub fn parse_random_distribution(
    text: &str,
    base: KbBase,
) -> Result<PerDirection<RandomDistribution>, WrittenValueError> {
    let (word, rest) = match text.split_once(':') {
        Some((word, rest)) => (word.trim(), Some(rest)),
        None => (text.trim(), None),
    };
    let all = |one: RandomDistribution| PerDirection { read: one.clone(), write: one.clone(), trim: one };
    match word {
        "random" if rest.is_none() => Ok(all(RandomDistribution::Uniform)),
        "zipf" => {
            let (theta, centre) = skew(rest, 1.1, |theta| theta > 0.0 && theta != 1.0 && theta <= 100.0)?;
            Ok(all(RandomDistribution::Zipf(theta, centre)))
        }
        "pareto" => {
            let (h, centre) = skew(rest, 0.2, |h| h > 0.0 && h < 1.0)?;
            Ok(all(RandomDistribution::Pareto(h, centre)))
        }
        "normal" => {
            let (deviation, centre) = skew(rest, 0.0, |deviation| (0.0..=100.0).contains(&deviation))?;
            Ok(all(RandomDistribution::Normal(deviation, centre)))
        }
        "zoned" | "zoned_abs" => {
            let Some(rest) = rest else {
                let help = "write it as in zoned:60/10:30/20:10/70";
                return Err(WrittenValueError::new(codes::BAD_VALUE, format!("{word} has no zones"), help));
            };
            let lists = parse_comma_values(rest, |list| {
                if word == "zoned" { zones(list, base) } else { zones_abs(list, base) }
            })?;
            // A direction without zones is uniform, as in fio.
            Ok(lists.map(|_, list| list.clone().unwrap_or(RandomDistribution::Uniform)))
        }
        "sequence" => Err(WrittenValueError::new(
            codes::NOT_BUILT,
            "the distribution `sequence`, new in fio, cannot be simulated",
            "use `zoned` or `zipf`, or replay a log with read_iolog",
        )),
        "random" => {
            Err(WrittenValueError::new(codes::BAD_VALUE, "`random` has no numbers", "write only random"))
        }
        other => Err(unknown("distribution", other, &DISTRIBUTIONS)),
    }
}

/// `value[:centre]` of a skewed distribution.
fn skew(
    rest: Option<&str>,
    default: f64,
    fits: impl Fn(f64) -> bool,
) -> Result<(f64, Option<f64>), WrittenValueError> {
    let Some(rest) = rest else { return Ok((default, None)) };
    let (value, centre) = match rest.split_once(':') {
        Some((value, centre)) => {
            (units::parse_finite_number(value)?, Some(units::parse_finite_number(centre)?))
        }
        None => (units::parse_finite_number(rest)?, None),
    };
    let centre_fits = centre.is_none_or(|centre| (0.0..=1.0).contains(&centre));
    if !fits(value) || !centre_fits {
        return Err(WrittenValueError::new(
            codes::OUT_OF_RANGE,
            format!("{rest} is outside what the distribution takes"),
            "zipf takes 0 to 100 but not 1, pareto between 0 and 1, normal 0 to 100; a centre is from 0 to 1",
        ));
    }
    Ok((value, centre))
}

fn zones(text: &str, base: KbBase) -> Result<RandomDistribution, WrittenValueError> {
    let mut shares = Vec::new();
    let accesses = zone_parts(text, base, |second| {
        let share = second.map(|second| units::parse_percent(second, base)).transpose()?;
        shares.push(share);
        Ok(())
    })?;
    let given: u32 = shares.iter().flatten().map(|share| u32::from(*share)).sum();
    let blank = shares.iter().filter(|share| share.is_none()).count() as u32;
    if given > 100 || (blank == 0 && given != 100) {
        let message = format!("the zones cover {given} % of the region");
        return Err(WrittenValueError::new(
            codes::BAD_VALUE,
            message,
            "make them add up to 100, or leave one blank",
        ));
    }
    let blank_share = (100 - given).checked_div(blank).unwrap_or(0) as u8;
    let zones: Vec<(u8, u8)> = accesses
        .into_iter()
        .zip(shares)
        .map(|(access, share)| (access, share.unwrap_or(blank_share)))
        .collect();
    if zones.iter().any(|(access, share)| *access > 0 && *share == 0) {
        let message = "a zone has accesses and no part of the region";
        return Err(WrittenValueError::new(codes::BAD_VALUE, message, "give it at least 1 %"));
    }
    Ok(RandomDistribution::Zoned(zones))
}

fn zones_abs(text: &str, base: KbBase) -> Result<RandomDistribution, WrittenValueError> {
    let mut sizes = Vec::new();
    let accesses = zone_parts(text, base, |second| {
        let second = second.ok_or_else(|| {
            WrittenValueError::new(
                codes::BAD_VALUE,
                "a zone has no size",
                "write it as in zoned_abs:60/1g:40/9g",
            )
        })?;
        sizes.push(units::parse_nonzero_bytes(second, base)?);
        Ok(())
    })?;
    let in_all = sizes.iter().try_fold(0_u64, |sum, size| sum.checked_add(*size));
    if in_all.is_none() {
        return Err(WrittenValueError::new(
            codes::OUT_OF_RANGE,
            "the zones are larger than any device",
            "write less",
        ));
    }
    Ok(RandomDistribution::ZonedBytes(accesses.into_iter().zip(sizes).collect()))
}

/// The percentages of the accesses of zones, which add up to 100; `second` parses the text after `/`.
fn zone_parts(
    text: &str,
    base: KbBase,
    mut second: impl FnMut(Option<&str>) -> Result<(), WrittenValueError>,
) -> Result<Vec<u8>, WrittenValueError> {
    let shares = parts(text, "accesses", MOST_ZONES, |access, rest| {
        second(rest)?;
        let access = Some(access).filter(|access| !access.trim().is_empty());
        Ok(((), access.map(|access| units::parse_percent(access, base)).transpose()?))
    })?;
    Ok(shares.into_iter().map(|((), access)| access).collect())
}
