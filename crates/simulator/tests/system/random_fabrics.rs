//! Random systems with FCP over random fabrics: every run ends and adds up, also with losses and failures; and with one I/O in flight
//! no improvement makes it slower.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use proptest::prelude::*;

/// A fabric of given switches: a tree with some additional links.
#[derive(Clone, Debug)]
struct Network {
    switches: usize,
    links: Vec<(usize, usize)>,
    /// For each link, its cable in metres and its speed relative to the fabric.
    cables: Vec<u32>,
    hosts: usize,
    drives: usize,
    buffers: u32,
    switch: String,
    routing: &'static str,
}

fn networks() -> impl Strategy<Value = Network> {
    let switch = (
        prop::sample::select(vec!["cut-through", "store-and-forward"]),
        prop::sample::select(vec!["round-robin", "oldest", "fixed"]),
        prop::sample::select(vec!["per-port", "per-buffer"]),
        prop::sample::select(vec!["0 ns", "150 ns", "2 us"]),
        (1_u8..4, prop::sample::select(vec!["destination", "exchange"]), any::<bool>(), any::<bool>()),
    );
    let switch = switch.prop_map(|(switching, arbiter, crossbar, delay, (channels, by, reserve, trunks))| {
        let reserve = if reserve { "eighth" } else { "none" };
        format!(
            "switching = \"{switching}\"\narbiter = \"{arbiter}\"\ncrossbar = \"{crossbar}\"\nrouting_delay = \"{delay}\"\n\
             channels = {channels}\nchannel = \"{by}\"\ncredit_reserve = \"{reserve}\"\ntrunks = {trunks}\n"
        )
    });
    let routing = prop::sample::select(vec![
        "adaptive-escape",
        "up-down",
        "up-down-exchange",
        "up-down-adaptive",
        "adaptive-escape",
    ]);
    (1_usize..6, 1_usize..4, 1_usize..7, 5_u32..20, switch, routing).prop_flat_map(
        |(switches, hosts, drives, buffers, switch, routing)| {
            let tree = prop::collection::vec(0_usize..100, switches - 1);
            let more = prop::collection::vec((0..switches, 0..switches), 0..4);
            let cables = prop::collection::vec(prop_oneof![2 => Just(0_u32), 1 => 1_u32..5_000], 12);
            (tree, more, cables).prop_map(move |(tree, more, cables)| {
                let mut links: Vec<(usize, usize)> =
                    tree.iter().enumerate().map(|(number, to)| (to % (number + 1), number + 1)).collect();
                links.extend(more.iter().filter(|(one, other)| one != other));
                Network { switches, links, cables, hosts, drives, buffers, switch: switch.clone(), routing }
            })
        },
    )
}

impl Network {
    /// The keys of the fabric except its speed.
    fn keys(&self, extra: &str, buffers: u32, metres: impl Fn(u32) -> u32) -> String {
        let mut text = format!("topology = \"given\"\nrouting = \"{}\"\n{extra}\n", self.routing);
        text += &format!("[san.switch]\nbuffers = {buffers}\n{}", self.switch);
        (0..self.switches).for_each(|switch| text += &format!("[san.switches.s{switch}]\n"));
        for (number, (from, to)) in self.links.iter().enumerate() {
            text += &format!(
                "[san.links.l{number}]\nfrom = \"s{from}\"\nto = \"s{to}\"\ncable = \"{} m\"\n",
                metres(self.cables[number])
            );
        }
        text
    }

    fn system(&self, fabric: &str, speed: &str, driver: &str, load: &str, ios: u32) -> String {
        let stations: Vec<String> = (0..self.hosts).map(|host| format!("\"host{host}\"")).collect();
        let mut text = format!(
            "[run]\nmeasured_ios = {ios}\nwarm_up = 0\n[san]\nkind = \"fabric\"\nspeed = \"{speed}\"\nstations = [{}, \"drives\"]\n{fabric}",
            stations.join(", ")
        );
        for host in 0..self.hosts {
            text += &format!(
                "[host{host}]\nkind = \"host\"\n[host{host}.driver]\n{driver}\n[host{host}.port]\nincoming_buffers = {}\n\
                 [load{host}]\nkind = \"closed\"\nfrom = \"host{host}\"\nto = [\"drives\"]\n{load}\n",
                1 + (self.buffers as usize + host) % 9
            );
        }
        text + &format!(
            "[drives]\nkind = \"drives\"\ncount = {}\naccess_time = \"20 us\"\ntransfer_rate = \"1 GB/s\"\n[drives.port]\nincoming_buffers = {}\n",
            self.drives,
            1 + self.buffers % 7
        )
    }
}

fn loads() -> impl Strategy<Value = String> {
    let sizes = prop::sample::select(vec!["512 B", "2 KiB", "5000 B", "32 KiB", "100000 B"]);
    (sizes, prop::sample::select(vec!["0.0", "0.4", "1.0"]), 1_u32..9).prop_map(|(size, reads, depth)| {
        format!("size = \"{size}\"\nread_fraction = {reads}\nqueue_depth = {depth}")
    })
}

/// The adapters take almost no time, because the order of their work does not concern the fabric.
const FAST: &str = "dma_bandwidth = \"1 TB/s\"\ndma_bidirectional = true\noutgoing_buffers = 64";

/// A part that fails at a time and is repaired a given time later, in microseconds.
type Break = (u32, usize, bool, u32);

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(150), max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn all_comes_to_an_end_and_adds_up(
        network in networks(),
        load in loads(),
        speed in prop::sample::select(vec!["1GFC", "8GFC", "32GFC"]),
    ) {
        let fabric = network.keys("", network.buffers, |metres| metres);
        let result = run(&network.system(&fabric, speed, "", &load, 150));
        assert_adds_up(&result);
        prop_assert_eq!(result.summary.failed_ios, 0);
        prop_assert_eq!(figure(&result.summary, "san", "lost_frames"), 0.0);
        prop_assert_eq!(figure(&result.summary, "san", "link_resets"), 0.0);
    }

    /// Frames and R_RDYs are lost, links are reset, frames are discarded, links and switches fail: requests are aborted after a time and
    /// tried again, and every loss is reported (a run that does not add up has no result).
    #[test]
    fn with_losses_and_failures_nothing_goes_without_being_told(
        network in networks(),
        load in loads(),
        (frame_loss, ready_loss, n) in (0_u32..3, 0_u32..3, 0_u32..4),
        hold in prop::sample::select(vec!["unlimited", "200 us", "50 us"]),
        breaks in prop::collection::vec((0_u32..20_000, any::<usize>(), any::<bool>(), 100_u32..9_000), 0..4),
    ) {
        let extra = format!(
            "frame_loss = {:?}\nready_loss = {:?}\nbb_sc_n = {}\ne_d_tov = \"3 ms\"\nols_time = \"200 us\"\nswitch.hold_time = \"{hold}\"",
            f64::from(frame_loss) * 0.001, f64::from(ready_loss) * 0.003, if n > 0 { n + 1 } else { 0 }
        );
        let fabric = network.keys(&extra, network.buffers, |metres| metres % 200)
            .replace("switch.hold_time", "# hold_time")
            .replace("[san.switch]\n", &format!("[san.switch]\nhold_time = \"{hold}\"\n"));
        let driver = "time_out = \"20 ms\"\nretries = 30";
        let mut text = network.system(&fabric, "8GFC", driver, &load, 150);
        for &(at, which, is_switch, lasts) in &breaks as &[Break] {
            let what = if is_switch || network.links.is_empty() {
                format!("switches.s{}", which % network.switches)
            } else {
                format!("links.l{}", which % network.links.len())
            };
            for (at, action) in [(at, "fail"), (at + lasts, "repair")] {
                text += &format!("[[event]]\nat = \"{at} us\"\nwhat = \"san.{what}\"\ndo = \"{action}\"\n");
            }
        }
        assert_adds_up(&run(&text));
    }

    /// With one I/O in flight the run is not slower with more credit, shorter cables, or faster links.
    #[test]
    fn one_io_is_never_slower_with_what_is_better(
        network in networks(),
        reads in prop::sample::select(vec!["0.0", "1.0"]),
        size in prop::sample::select(vec!["2 KiB", "32 KiB", "256 KiB"]),
        more in 1_u32..20,
    ) {
        // All frames use one path: where frames choose among several paths, or links become a trunk when their cables are alike,
        // less time on one link may move load to another.
        let switch = network.switch.replace("trunks = true", "trunks = false");
        let network = Network { hosts: 1, routing: "up-down", switch, ..network };
        // There is one load for all drives: with one load for each drive there would be several, and the order
        // between them depends on every time.
        let load = format!(
            "size = \"{size}\"\nread_fraction = {reads}\nqueue_depth = 1\nqueue_depth_per = \"all\""
        );
        let takes = |speed: &str, buffers: u32, part: u32| {
            let fabric = network.keys("", buffers, |metres| metres / part);
            let text = network.system(&fabric, speed, "", &load, 12);
            let text = text
                .replace("[host0.port]", &format!("[host0.adapter]\n{FAST}\n[host0.port]"))
                .replace("[drives.port]", &format!("[drives.adapter]\n{FAST}\n[drives.port]"));
            run(&text).ios.rows.iter().map(|io| io.response.ticks()).collect::<Vec<u64>>()
        };
        // A frame may wait for a slot at each end of each link on its path.
        let frames: u64 = size.split(' ').next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(2) / 2 + 4;
        let same = takes("4GFC", network.buffers, 1);
        let slots = |word_ticks: u64| 4 * word_ticks * (network.switches as u64 + 1) * frames;
        let word = sansim_fc::speed::Speed::G4.word_time().ticks();
        for (what, other) in [
            ("more credit", takes("4GFC", network.buffers + more, 1)),
            ("shorter cables", takes("4GFC", network.buffers, 2)),
            ("faster links", takes("8GFC", network.buffers, 1)),
        ] {
            for (io, (other, same)) in other.iter().zip(&same).enumerate() {
                prop_assert!(*other <= same + slots(word), "{}: I/O {} takes {} and not {}", what, io, other, same);
            }
        }
    }
}
