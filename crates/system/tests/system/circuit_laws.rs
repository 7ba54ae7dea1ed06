//! Laws of loops in circuits, of one I/O alone: what is nearer, faster or has more room never makes it slower.

use crate::common::text::run;
use proptest::prelude::*;

/// A host, drives, and ports with nothing behind them on a loop in circuits; the response of its I/Os, of which each is alone.
#[derive(Clone, Debug)]
struct Alone {
    speed: &'static str,
    metres: u32,
    passive: u32,
    buffers: u32,
    login: u32,
    blocks: u32,
    reads: bool,
    medium: &'static str,
}

impl Alone {
    fn text(&self, fidelity: &str) -> String {
        let &Self { speed, metres, passive, buffers, login, blocks, reads, medium } = self;
        let (ports, stations) = match passive {
            0 => (String::new(), ""),
            count => (format!("[spare]\nkind = \"passive\"\ncount = {count}\n"), ", \"spare\""),
        };
        // Where DMA takes no time, frames come to a port in the very slot in which it looks for them, which circuits do not follow to the word.
        let port = format!(
            "port.incoming_buffers = {buffers}\nport.login_credit = {login}\nadapter.dma_bandwidth = \"1064 MB/s\"\n"
        );
        format!(
            "[run]\nmeasured_ios = 4\nwarm_up = 0\ncross_check = \"none\"\n[loop]\nkind = \"arbitrated-loop\"\nspeed = \"{speed}\"\n\
             cable = \"{metres} m\"\nfidelity = \"{fidelity}\"\nstations = [\"host\", \"drives\"{stations}]\n[host]\nkind = \"host\"\n{port}\
             [drives]\nkind = \"drives\"\n{medium}\n{port}{ports}[load]\nkind = \"closed\"\nfrom = \"host\"\nto = \"drives\"\n\
             size = \"{} B\"\nread_fraction = {}.0\n",
            512 * blocks,
            u8::from(reads)
        )
    }

    fn word_ns(&self) -> f64 {
        let gigabits: f64 = self.speed.trim_end_matches("GFC").parse().expect("a speed");
        640.0 / (17.0 * gigabits)
    }

    fn response_ns(&self) -> f64 {
        run(&self.text("circuit")).summary.response_time_ns.figure.mean
    }
}

const SPEEDS: [&str; 4] = ["1GFC", "2GFC", "4GFC", "8GFC"];

fn systems() -> impl Strategy<Value = Alone> {
    let medium = prop::sample::select(vec![
        "model = \"ram\"\ntransfer_rate = \"1 TB/s\"",
        "model = \"disk\"\ntransfer_rate = \"40 MB/s\"\naccess_time = \"5 ms\"",
    ]);
    let numbers = (0..4_usize, 0..300_u32, 0..40_u32, 1..9_u32, 0..4_u32, 1..400_u32);
    (numbers, any::<bool>(), medium).prop_map(
        |((speed, metres, passive, buffers, login, blocks), reads, medium)| {
            let login = login.min(buffers);
            Alone { speed: SPEEDS[speed], metres, passive, buffers, login, blocks, reads, medium }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_ports_or_longer_cables_never_make_an_io_alone_faster(
        alone in systems(), ports in 1..40_u32, metres in 1..300_u32
    ) {
        let now = alone.response_ns();
        let more = Alone { passive: alone.passive + ports, ..alone.clone() }.response_ns();
        let longer = Alone { metres: alone.metres + metres, ..alone }.response_ns();
        prop_assert!(more >= now && longer >= now, "{now}, with more ports {more}, on longer cables {longer}");
    }

    /// With ten buffers and more on a short loop the R_RDYs of further ones are still going out when CLS could, in words too: one puts it off
    /// by itself and six fill words, in each of three circuits. With login credit they do from the first on.
    #[test]
    fn a_faster_link_never_makes_an_io_alone_slower_and_more_buffers_by_their_r_rdys_at_most(alone in systems(), buffers in 1..8_u32) {
        let alone = Alone { login: 0, ..alone };
        let held_back = if alone.buffers + buffers < 10 { 0.0 } else { 21.0 * alone.word_ns() };
        let now = alone.response_ns();
        let place = SPEEDS.iter().position(|speed| *speed == alone.speed).unwrap_or(0);
        let faster = Alone { speed: SPEEDS[(place + 1).min(3)], ..alone.clone() }.response_ns();
        let more = Alone { buffers: alone.buffers + buffers, ..alone }.response_ns();
        let slower = more > now + held_back + 0.01;
        prop_assert!(faster <= now && !slower, "{now}, on a faster link {faster}, with more buffers {more}");
    }

    /// To the tick without login credit, with it within 25 %: 17.6 % were seen, of a read of 16 blocks. Of a read the frames are whole, or there is one.
    #[test]
    fn an_io_alone_takes_as_long_as_in_words(alone in systems()) {
        let blocks = if alone.reads && alone.blocks > 4 { alone.blocks.next_multiple_of(4) } else { alone.blocks };
        let alone = Alone { blocks, ..alone };
        let words = run(&alone.text("words")).summary.response_time_ns.figure.mean;
        let allowed = if alone.login > 0 { 0.25 * words } else { 0.01 };
        let found = alone.response_ns();
        prop_assert!((found - words).abs() <= allowed, "{found} ns, and {words} ns in words: more than {allowed}");
    }
}
