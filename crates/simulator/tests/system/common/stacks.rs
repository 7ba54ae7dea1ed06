//! Random stacks, as the text of scenario files: caches, volumes, mirrors and arrays in any order on drives of any kind, with loops between
//! any two or none.

use proptest::prelude::*;

/// The kind of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Cache,
    Volumes,
    Mirror,
    Array,
}

/// A layer before the layer behind it is chosen. The numbers of a layer choose among the possibilities at its
/// place.
#[derive(Clone, Copy, Debug)]
struct Layer {
    kind: Kind,
    /// The number and the arrangement of the layer's devices.
    choices: [u8; 4],
    /// Whether the layer reaches the layer behind it by a network, and whether that network is a SCSI bus, which accepts whole
    /// sequences, and not a loop.
    on_network: bool,
    is_bus: bool,
}

fn layers() -> impl Strategy<Value = Layer> {
    let kinds =
        prop::sample::select(vec![Kind::Cache, Kind::Volumes, Kind::Mirror, Kind::Array, Kind::Array]);
    (kinds, any::<[u8; 4]>(), any::<bool>(), prop::bool::weighted(0.3))
        .prop_map(|(kind, choices, on_network, is_bus)| Layer { kind, choices, on_network, is_bus })
}

/// The drives, by kind and keys.
const DRIVES: &[(&str, &str)] = &[
    (
        "drives",
        "access_time = \"2 ms\"\ntransfer_rate = \"50 MB/s\"\ncapacity = \"16 MiB\"\ncache = \"64 KiB\"",
    ),
    (
        "drives",
        "access_time = { distribution = \"exponential\", mean = \"1 ms\" }\ntransfer_rate = \"80 MB/s\"\ncapacity = \"16 MiB\"\nconcurrency = 3",
    ),
    ("ram-disks", "bandwidth = \"200 MB/s\"\ncapacity = \"16 MiB\""),
    ("disks", "write_behind = true"),
    (
        "flash-drives",
        "blocks = 16\npages = 64\nchannels = 2\nchips = 1\nover_provisioning = \"50 %\"\nfill = 1.0\nbuffer = \"64 KiB\"\nplane_operations = \"single\"",
    ),
];

/// A group of devices: the number of its members, and the number of devices that each of them presents.
#[derive(Clone, Copy)]
struct Group {
    members: u32,
    units: u32,
}

/// The number of group members that a device of the next layer has behind it, and the number of devices of that layer. The function chooses
/// by `choice` among the numbers that `fits`; it uses all members if no number fits.
fn share(below: Group, choice: u8, fits: impl Fn(u32) -> bool) -> (u32, u32) {
    let Group { members, units } = below;
    let ways: Vec<u32> =
        (1..=members).filter(|each| members.is_multiple_of(*each) && fits(each * units)).collect();
    let each = ways.get(usize::from(choice) % ways.len().max(1)).copied().unwrap_or(members);
    (each * units, members / each)
}

impl Layer {
    /// The keys of the layer in front of a group, and the resulting group; none if the layer is not possible
    /// there.
    fn keys(&self, below: Group) -> Option<(String, Group)> {
        let [count, one, two, three] = self.choices;
        match self.kind {
            Kind::Cache => {
                let (each, count) = share(below, count, |_| true);
                let capacity = [32, 128, 1024][usize::from(one) % 3];
                let mode = ["through", "back"][usize::from(two) % 2];
                let ahead = ["none", "adaptive"][usize::from(three) % 2];
                let replacement = ["lru", "arc", "sieve"][usize::from(three / 2) % 3];
                let keys = format!(
                    "kind = \"cache\"\ncount = {count}\ncapacity = \"{capacity} KiB\"\nlook_up_time = \"20 us\"\nmemory_bandwidth = \"300 MB/s\"\n\
                     write.mode = \"{mode}\"\nwrite.stripe_size = \"16 KiB\"\nread_ahead.policy = \"{ahead}\"\nreplacement.policy = \"{replacement}\"\n"
                );
                Some((keys, Group { members: count, units: each }))
            }
            Kind::Volumes => {
                let (_, count) = share(below, count, |_| true);
                let volumes = 1 + u32::from(one) % 4;
                let arrangement = ["concatenated", "striped"][usize::from(two) % 2];
                let keys = format!(
                    "kind = \"volumes\"\ncount = {count}\nequal_volumes = {volumes}\narrangement = \"{arrangement}\"\nstripe_unit = \"8 KiB\"\n"
                );
                Some((keys, Group { members: count, units: volumes }))
            }
            Kind::Mirror => {
                if below.members * below.units < 2 {
                    return None;
                }
                let (_, count) = share(below, count, |each| (2..=4).contains(&each));
                let policy = ["first", "round-robin"][usize::from(one) % 2];
                let keys = format!("kind = \"mirror\"\ncount = {count}\nread_policy = \"{policy}\"\n");
                Some((keys, Group { members: count, units: 1 }))
            }
            Kind::Array => {
                let (each, count) = share(below, count, |each| each >= 3);
                let levels: Vec<&str> = [("0", 1), ("1", 2), ("10", 2), ("4", 3), ("5", 3), ("6", 4)]
                    .into_iter()
                    .filter(|(_, least)| *least <= each)
                    .map(|(level, _)| level)
                    .chain((each % 2 == 0).then_some("1+0"))
                    .collect();
                let level = levels[usize::from(one) % levels.len()];
                let strip = [4, 8, 64][usize::from(two) % 3];
                let policy = ["first", "round-robin"][usize::from(three) % 2];
                let keys = format!(
                    "kind = \"raid\"\ncount = {count}\nstripe_unit = \"{strip} KiB\"\nread_policy = \"{policy}\"\nxor_bandwidth = \"200 MB/s\"\n\
                     galois_bandwidth = \"80 MB/s\"\nlayout.level = \"{level}\"\n"
                );
                Some((keys, Group { members: count, units: 1 }))
            }
        }
    }
}

/// A random stack, with its text and its properties.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The text of the scenario.
    pub text: String,
    /// The layers of the stack from the drives on, each with whether a loop is behind it.
    pub layers: Vec<(&'static str, bool)>,
    /// Whether all loops of the stack are simulated word by word.
    pub in_words: bool,
    /// Whether a drive fails during the run.
    pub fails: bool,
}

/// Scenarios with one to four layers on two to eight drives, with this number of I/Os, all of them measured. With `fails`, a drive fails in
/// half of the scenarios, and is repaired in half of these.
pub fn stacks(ios: u32, fails: bool) -> impl Strategy<Value = Stack> {
    let drives = (prop::sample::select(DRIVES), prop::sample::select(vec![2_u32, 3, 4, 6, 8]));
    let top = (any::<bool>(), prop::bool::weighted(0.3));
    let load = (1..96_u32, 1..9_u32, 0..=4_u32, any::<bool>(), 0..1_000_u32);
    let failure = (any::<[bool; 2]>(), 1..60_u32);
    (drives, prop::collection::vec(layers(), 1..5), top, load, failure).prop_map(
        move |((drive, drives), layers, top, load, ([breaks, repaired], at))| {
            build(drive, drives, &layers, top, load, ios, (breaks && fails).then_some((at, repaired)))
        },
    )
}

fn build(
    drive: (&str, &str),
    drives: u32,
    layers: &[Layer],
    (top_on_network, top_is_bus): (bool, bool),
    (size, depth, reads, sequential, seed): (u32, u32, u32, bool, u32),
    ios: u32,
    failure: Option<(u32, bool)>,
) -> Stack {
    let (mut tables, mut told, mut in_words) = (String::new(), Vec::new(), true);
    let mut add_network = |name: &str, asks: &str, serves: &str, is_bus: bool| {
        in_words &= !is_bus;
        let (kind, speed) = if is_bus { ("scsi-bus", "ultra160") } else { ("arbitrated-loop", "2GFC") };
        format!("[{name}]\nkind = \"{kind}\"\nspeed = \"{speed}\"\nstations = [\"{asks}\", \"{serves}\"]\n")
    };
    // Mirrors have no adapters.
    let mut group = Group { members: drives, units: 1 };
    let (mut below, mut has_adapters, mut front) = ("disks".to_owned(), true, "disks".to_owned());
    for (number, layer) in layers.iter().enumerate() {
        let Some((keys, makes)) = layer.keys(group) else { continue };
        let name = format!("layer{number}");
        let stands = layer.kind != Kind::Mirror;
        let on_network = layer.on_network && stands && has_adapters;
        if on_network {
            tables +=
                &add_network(&format!("network{number}"), &format!("{name}.back"), &front, layer.is_bus);
        }
        tables += &format!("[{name}]\nto = [\"{below}\"]\n{keys}");
        let word = match layer.kind {
            Kind::Cache => "cache",
            Kind::Volumes => "volumes",
            Kind::Mirror => "mirror",
            Kind::Array => "raid",
        };
        told.push((word, on_network));
        (below, group, has_adapters, front) = (name.clone(), makes, stands, format!("{name}.front"));
    }
    let attached = if top_on_network && has_adapters {
        tables += &add_network("top", "host", &front, top_is_bus);
        String::new()
    } else {
        format!("attached = [\"{below}\"]\n")
    };
    let pattern = if sequential { "sequential" } else { "random" };
    let mut events = String::new();
    if let Some((at, repaired)) = failure {
        events += &format!("[[event]]\nat = \"{at} ms\"\ndo = \"fail\"\nwhat = \"disks[1]\"\n");
        if repaired {
            events += &format!("[[event]]\nat = \"{} ms\"\ndo = \"repair\"\nwhat = \"disks[1]\"\n", at + 15);
        }
    }
    let text = format!(
        "[run]\nmeasured_ios = {ios}\nwarm_up = 0\nseed = {seed}\n{events}[host]\nkind = \"host\"\ndriver.completion_time = \"1 us\"\n{attached}{tables}\
         [disks]\nkind = \"{}\"\ncount = {drives}\n{}\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"{below}\"]\nsize = \"{} B\"\nqueue_depth = {depth}\n\
         read_fraction = {:.2}\npattern = \"{pattern}\"\n{}",
        drive.0,
        drive.1,
        512 * size,
        f64::from(reads) / 4.0,
        // Half of the stacks flush and deallocate.
        if reads < 4 && seed % 2 == 0 {
            "flush_every = 3\ndeallocate_fraction = 0.3\nfua_fraction = 0.4\n"
        } else {
            ""
        },
    );
    Stack { text, layers: told, in_words, fails: failure.is_some() }
}
