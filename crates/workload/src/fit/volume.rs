//! The streams of a fit: one for each volume, two where a part of the volume is sequential.

use super::arrivals::{Shape, nearest};
use super::draw::{SEED, draw};
use super::measure::FEWEST_REQUESTS;
use super::places::theta_for;
use super::stream::FittedStream;
use sansim_request::BLOCK_BYTES;
use sansim_trace::{StatisticsGatherer, TraceInfo};

/// The least share of sequential requests for which a volume gets a sequential stream, and the least share of other requests for which
/// it gets a stream of them.
const SOME: f64 = 0.02;
/// The most requests of a volume that are drawn to measure its sequential share.
const DRAWN: u64 = 50_000;
/// The number of corrections of the sequential stream's share, because two streams interrupt each other.
const CORRECTIONS: u32 = 4;
/// The number of parts into which a region is divided.
const WHOLE: u64 = 1_000_000;
/// The most bytes that a device holds.
const LARGEST: u64 = 1 << 59;
/// The most bytes of a request.
const LARGEST_REQUEST: u64 = 1 << 31;

/// A part of the trace that is fitted by itself.
pub(super) struct Space {
    /// The number of the volume.
    number: u32,
    /// The name of the volume; empty if all volumes are fitted as one.
    pub(super) volume: String,
    info: TraceInfo,
    /// The least size of the volume, in bytes.
    pub(super) bytes: u64,
}

impl Space {
    /// Whether there are enough requests to measure their burstiness.
    pub(super) fn is_enough(&self) -> bool {
        self.info.requests >= FEWEST_REQUESTS
    }
}

/// The units of the fit: each volume with reads or writes, or all as one.
pub(super) fn footprint(whole: &TraceInfo, volumes: &[TraceInfo]) -> Vec<Space> {
    let moved = |info: &TraceInfo| info.reads + info.writes > 0;
    let bytes = |info: &TraceInfo, most: u64| {
        let end = info.volumes.iter().map(|volume| volume.end_bytes).max().unwrap_or(0);
        end.clamp(1 << 20, most) / BLOCK_BYTES * BLOCK_BYTES
    };
    if volumes.is_empty() || whole.volumes.len() == 1 {
        let volume = whole.volumes.first().filter(|_| whole.volumes.len() == 1);
        let volume = volume.map_or_else(String::new, |volume| volume.name.clone());
        return vec![Space { number: 0, volume, info: whole.clone(), bytes: bytes(whole, LARGEST) }];
    }
    let most = LARGEST / volumes.len() as u64;
    volumes
        .iter()
        .enumerate()
        .filter(|(_, info)| moved(info))
        .map(|(number, info)| Space {
            number: number as u32,
            volume: info.volumes.first().map_or_else(String::new, |volume| volume.name.clone()),
            info: info.clone(),
            bytes: bytes(info, most),
        })
        .collect()
}

/// The part of the whole space that each volume has, in millionths: at least two, and all together the whole.
fn regions(spaces: &[Space]) -> Vec<[u64; 2]> {
    let total: f64 = spaces.iter().map(|space| space.bytes as f64).sum();
    let mut widths: Vec<u64> =
        spaces.iter().map(|space| ((space.bytes as f64 / total * WHOLE as f64) as u64).max(2)).collect();
    let sum: u64 = widths.iter().sum();
    if let Some(largest) = widths.iter_mut().max() {
        *largest = *largest + WHOLE - sum;
    }
    let mut from = 0;
    widths
        .into_iter()
        .map(|width| {
            from += width;
            [from - width, from]
        })
        .collect()
}

/// The sizes of a volume's requests, as a scenario has them; sizes that are not listed are represented by their mean.
fn sizes(info: &TraceInfo) -> String {
    let whole = |bytes: u64| bytes.clamp(1, LARGEST_REQUEST).next_multiple_of(BLOCK_BYTES);
    let mut mix: Vec<(u64, u64)> = Vec::new();
    let mut add = |bytes: u64, requests: u64| match mix.iter_mut().find(|(other, _)| *other == bytes) {
        Some((_, count)) => *count += requests,
        None => mix.push((bytes, requests)),
    };
    info.sizes.iter().for_each(|size| add(whole(size.bytes), size.requests));
    if info.other_sizes > 0 {
        let listed: f64 = info.sizes.iter().map(|size| size.bytes as f64 * size.requests as f64).sum();
        let others = info.bytes_read as f64 + info.bytes_written as f64 - listed;
        add(whole((others / info.other_sizes as f64) as u64), info.other_sizes);
    }
    if let [(bytes, _)] = mix.as_slice() {
        return format!("\"{bytes} B\"");
    }
    let parts: Vec<String> =
        mix.iter().map(|(bytes, requests)| format!("\"{bytes} B\" = {requests}")).collect();
    format!("{{ {} }}", parts.join(", "))
}

/// A share of the whole in millionths, as a scenario gives it.
fn percent(millionths: u64) -> String {
    format!("\"{:.4} %\"", millionths as f64 / 1e4)
}

/// The keys of the streams of a volume of which one part of the requests is drawn in sequence.
struct Split<'a> {
    space: &'a Space,
    region: [u64; 2],
    rate_per_s: f64,
    /// The share of requests that the sequential stream makes.
    sequential: f64,
}

impl Split<'_> {
    /// The rates of the volume's streams.
    fn rates(&self) -> Vec<f64> {
        let both = [self.sequential, 1.0 - self.sequential];
        both.into_iter().filter(|part| *part > 0.0).map(|part| part * self.rate_per_s).collect()
    }

    /// The share of the accessed blocks that had not been accessed before.
    fn fresh(&self) -> f64 {
        1.0 - self.space.info.touched_again_share.unwrap_or(0.0)
    }

    /// The millionths of the space in which a sequential stream cycles: few enough that it revisits blocks as often as the trace does, and
    /// the whole region if the trace hardly ever does.
    fn round(&self, requests: f64) -> [u64; 2] {
        let [from, to] = self.region;
        if self.fresh() > 1.0 - SOME {
            return self.region;
        }
        let fresh = requests * self.space.info.mean_bytes.unwrap_or(0.0) * self.fresh();
        let width = (fresh / self.space.bytes as f64 * (to - from) as f64).ceil() as u64;
        [from, from + width.clamp(1, to - from)]
    }

    /// The places of the requests of the other stream: skewed so that as many blocks are revisited as in the trace.
    fn pattern(&self, requests: f64) -> String {
        let info = &self.space.info;
        let usual = info.sizes.first().map_or(4_096, |size| size.bytes);
        let block = usual.clamp(BLOCK_BYTES, 1 << 20) / BLOCK_BYTES * BLOCK_BYTES;
        let draws = requests * info.mean_bytes.unwrap_or(0.0) / block as f64;
        match theta_for(self.space.bytes / block, draws, draws * self.fresh()) {
            None => "{ pattern = \"uniform\" }".to_owned(),
            Some(theta) => format!("{{ pattern = \"zipf\", theta = {theta:.3}, block = \"{block} B\" }}"),
        }
    }

    fn streams(&self, name: &str, shape: &Shape) -> Result<Vec<FittedStream>, String> {
        let info = &self.space.info;
        let moved = (info.reads + info.writes) as f64;
        let read_fraction = info.reads as f64 / moved;
        let sizes = sizes(info);
        let mut streams = Vec::new();
        for (ending, part, sequential) in
            [("sequential", self.sequential, true), ("random", 1.0 - self.sequential, false)]
        {
            if part <= 0.0 {
                continue;
            }
            let (region, pattern) = if sequential {
                (self.round(part * moved), "{ pattern = \"sequential\" }".to_owned())
            } else {
                (self.region, self.pattern(part * moved))
            };
            let toml = format!(
                "arrivals = {}\nsize = {sizes}\nread_fraction = {read_fraction:.6}\nlocation = {pattern}\n\
                 region_from = {}\nregion_to = {}\nspread = \"concatenated\"\n",
                shape.toml(part * self.rate_per_s),
                percent(region[0]),
                percent(region[1]),
            );
            let name = if part < 1.0 { format!("{name}-{ending}") } else { name.to_owned() };
            streams.push(FittedStream::read(name, self.space.number, &self.space.volume, toml)?);
        }
        Ok(streams)
    }
}

/// The streams of the fit, of all volumes.
pub(super) fn fitted_streams(whole: &TraceInfo, spaces: &[Space]) -> Result<Vec<FittedStream>, String> {
    let capacity = spaces.iter().map(|space| space.bytes).sum();
    let mut streams = Vec::new();
    for (space, region) in spaces.iter().zip(regions(spaces)) {
        let name = if spaces.len() == 1 { "all".to_owned() } else { format!("volume-{}", space.number + 1) };
        let info = &space.info;
        let rate_per_s = (info.reads + info.writes) as f64 / whole.span_s;
        let wanted = info.sequential_share.unwrap_or(0.0);
        // A request counts as sequential if it and the one before are of the sequential stream.
        let sequential = if wanted < SOME {
            0.0
        } else if wanted > 1.0 - SOME {
            1.0
        } else {
            wanted.sqrt()
        };
        let mut split = Split { space, region, rate_per_s, sequential };
        let enough = space.is_enough();
        let shape = if enough { nearest(info, &split.rates()) } else { Shape::poisson() };
        let mut found = split.streams(&name, &shape)?;
        for _ in 0..CORRECTIONS {
            if found.len() < 2 || !enough {
                break;
            }
            let mut gathered = StatisticsGatherer::default();
            draw(&found, capacity, info.requests.min(DRAWN), SEED, &mut |record| gathered.add_record(record));
            let is = gathered.summarise_records(|_| String::new()).sequential_share.unwrap_or(0.0);
            if (is - wanted).abs() < SOME / 4.0 || is <= 0.0 {
                break;
            }
            split.sequential = (split.sequential * (wanted / is).sqrt()).clamp(SOME, 1.0 - SOME);
            found = split.streams(&name, &shape)?;
        }
        streams.extend(found);
    }
    Ok(streams)
}
