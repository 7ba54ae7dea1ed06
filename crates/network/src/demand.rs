//! What a request needs of a network: its frames, which go one after the other in either direction, and the shortest way for a command and its
//! answer. FC-FS: beside its payload a frame has SOF, six words of header, CRC and EOF.
//!
//! Of a loop there is one, of a loop switch and a fabric there are several wires, of which a request takes one; each network says how many
//! (`loop_switch/demand.rs`, `fabric/demand.rs`).
//!
//! What arbitration takes is no time of a server: commands, data and responses of several requests may share a tenancy.

use sansim_component::demand::{Around, Class, Demand, FrameBytes, Server, Takes};
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fc::arbitrated_loop::geometry::Geometry;

/// Words of a frame beside its payload.
pub(crate) const WORDS_BESIDE: f64 = 9.0;
/// Bytes of a word.
const WORD_BYTES: f64 = 4.0;

/// The frames of a request on so many wires, each of which carries either way: away from who asks, and back.
pub(crate) fn wires(
    wires: u32,
    word_ns: f64,
    words_beside: f64,
    class: &Class,
    frames: &FrameBytes,
) -> Vec<Server> {
    let words = |bytes: f64, frames: f64| bytes / WORD_BYTES + frames * words_beside;
    let data = words(class.bytes, frames.data_frames(class));
    let (command, response) = (words(frames.command, 1.0), words(frames.response, 1.0));
    let [out, back] = if class.write {
        [command + data, words(frames.transfer_ready, 1.0) + response]
    } else {
        [command, data + response]
    };
    let server = |name, words| Server { name, servers: wires, takes: Takes::fixed(words * word_ns) };
    vec![server("out", out), server("back", back)]
}

/// Of a loop.
pub(crate) fn of(parameters: &LoopParameters, class: &Class, around: &Around<'_>) -> Demand {
    let word_ns = parameters.word_time().as_ns_f64();
    // A word is received before it passes the port: of the two ends of a way one delay each does not count.
    let delays = around.stations.iter().map(|station| station.port.delay.span.as_ns_f64());
    let round = Geometry::of(parameters, around.stations).round().as_ns_f64();
    let at_ends = 2.0 * delays.fold(0.0, f64::max);
    Demand {
        servers: wires(1, word_ns, WORDS_BESIDE, class, &around.frames),
        delay_ns: (round - at_ends - 2.0 * word_ns).max(0.0),
        ..Demand::default()
    }
}
