//! The ports by which a switch may send a frame on.
//!
//! [`dijkstra`] finds for every switch and destination the ports on shortest paths, [`up_down`] finds them where a path may not go up again
//! once it has gone down. A rule chooses among these ports for each frame: each rule has a file, and a line in [`routings!`] below.

mod adaptive;
mod deterministic;
pub mod dijkstra;
mod escape;
mod exchange;
mod own_routing;
pub mod table;
pub mod up_down;

pub use own_routing::{OutputState, OwnRouting, ROUTING};
use sansim_fc::frame::Frame;
use sansim_pdu::Address;
use sansim_rules::RuleName;
pub use table::RouteTable;

/// The most ports among which a frame may choose. If there are more shortest paths only the first are used.
pub const MOST_OUTPUTS: usize = 16;

/// The ports by which a frame may leave a switch.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutputPorts {
    ports: [u16; MOST_OUTPUTS],
    count: u8,
}

impl PartialEq for OutputPorts {
    /// Most frames have one port, which is the first.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
            && self.ports[0] == other.ports[0]
            && (self.count < 2 || self.ports() == other.ports())
    }
}

impl Eq for OutputPorts {}

impl OutputPorts {
    /// The outputs of a frame that may leave only by this port.
    pub fn single_port(port: u16) -> Self {
        let mut outputs = Self::default();
        outputs.add_port(port);
        outputs
    }

    /// Adds a port, if there is room.
    pub fn add_port(&mut self, port: u16) {
        if usize::from(self.count) < MOST_OUTPUTS {
            self.ports[usize::from(self.count)] = port;
            self.count += 1;
        }
    }

    /// All ports by which the frame may leave.
    #[inline]
    pub fn ports(&self) -> &[u16] {
        &self.ports[..usize::from(self.count)]
    }
}

/// A hash of S_ID, D_ID and OX_ID, which is the same for all frames of an exchange in one direction: the finaliser of
/// MurmurHash3.
pub fn exchange_hash(frame: &Frame) -> u32 {
    let mut hash = frame.source.value() ^ frame.destination.value().rotate_left(12) ^ frame.originator.0;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

/// Chooses among the ports on allowed paths. There is at least one port.
pub trait RoutingRule {
    /// Whether paths must not go up again once they have gone down, so that no cycle of waits can form.
    const UP_DOWN: bool;

    /// Whether each frame chooses its port, so that the frames of an exchange may overtake each other.
    const ADAPTIVE: bool = false;

    /// Whether every link between switches has one more virtual channel, on which frames that find no other channel free use paths that do
    /// not go up again once they have gone down.
    const ESCAPE: bool = false;

    /// The ports by which the frame may leave.
    fn choose(frame: &Frame, allowed: &[u16]) -> OutputPorts;

    /// The port by which all frames to a node leave, if the rule is the same for all frames to a node.
    fn always(_destination: Address, _allowed: &[u16]) -> Option<u16> {
        None
    }
}

/// Declares the routing rules: the word in scenarios, the type, and the description.
macro_rules! routings {
    ($($(#[doc = $doc:literal])+ $word:literal => $name:ident($type:ty);)+) => {
        sansim_schema::words! {
            /// The routing rule: the ports by which switches forward frames.
            pub enum RoutingName {
                $($(#[doc = $doc])+ $name = $word,)+
            }
        }

        impl RoutingName {
            /// Whether the rule has up*/down* paths; see [`RoutingRule::UP_DOWN`].
            pub fn is_up_down(self) -> bool {
                match self {
                    $(Self::$name => <$type as RoutingRule>::UP_DOWN,)+
                }
            }

            /// Whether frames of one exchange may use several paths, and overtake each other.
            pub fn is_adaptive(self) -> bool {
                match self {
                    $(Self::$name => <$type as RoutingRule>::ADAPTIVE,)+
                }
            }

            /// Whether the rule has an escape channel; see [`RoutingRule::ESCAPE`].
            pub fn has_escape(self) -> bool {
                match self {
                    $(Self::$name => <$type as RoutingRule>::ESCAPE,)+
                }
            }

            /// The port of all frames to a node; see [`RoutingRule::always`].
            pub fn fixed_port(self, destination: Address, allowed: &[u16]) -> Option<u16> {
                match self {
                    $(Self::$name => <$type as RoutingRule>::always(destination, allowed),)+
                }
            }

            /// The ports by which a frame may leave; see [`RoutingRule::choose`].
            pub fn choose(self, frame: &Frame, allowed: &[u16]) -> OutputPorts {
                match self {
                    $(Self::$name => <$type as RoutingRule>::choose(frame, allowed),)+
                }
            }
        }
    };
}

routings! {
    /// A shortest path (FSPF), the same for all frames to a node; those to several nodes are spread over equal paths.
    "deterministic" => Deterministic(deterministic::DeterministicRouting<false>);
    /// One of the shortest paths, the same for all frames of an exchange.
    "exchange" => Exchange(exchange::ExchangeRouting<false>);
    /// Any of the shortest paths whose output is free: minimal adaptive routing. Where links make cycles it can deadlock.
    "adaptive" => Adaptive(adaptive::AdaptiveRouting<false>);
    /// As `"adaptive"`, with one more virtual channel, on paths as those of `"up-down"`: a frame for which none of the adaptive paths has
    /// room takes it, and stays on it to its destination. This routing cannot deadlock.
    "adaptive-escape" => AdaptiveEscape(escape::EscapeRouting);
    /// As `"deterministic"`, on shortest paths that do not go up again once they have gone down (up*/down*). This routing cannot deadlock.
    "up-down" => UpDown(deterministic::DeterministicRouting<true>);
    /// As `"exchange"`, on such paths.
    "up-down-exchange" => UpDownExchange(exchange::ExchangeRouting<true>);
    /// As `"adaptive"`, on such paths.
    "up-down-adaptive" => UpDownAdaptive(adaptive::AdaptiveRouting<true>);
}

impl RoutingName {
    /// The built-in rule on whose paths frames travel: a rule of the user chooses among those of `"adaptive"`.
    pub fn with_paths_of(rule: &RuleName<Self>) -> Self {
        rule.built_in().unwrap_or(Self::Adaptive)
    }
}
