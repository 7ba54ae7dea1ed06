//! Code generated from the list of parts: the parameters from which a simulation is built, and the components that are built from them.

use crate::{AnyComponent, Part};
use sansim_component::network::NodePace;
use sansim_fcp::protocol::Protocol;
use sansim_workload::arrivals::{Process, Timetable};
use sansim_workload::closed::{QueueDepthPer, Workload};
use sansim_workload::streams::plan::{StreamPace as Coming, StreamSlots};

/// How requests come, as far as a network of queues wants to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comes {
    /// So many are there, each comes again when it has its answer and has thought.
    Closed {
        /// How many.
        slots: u32,
        /// Whether that is for each device.
        per_device: bool,
        /// Mean time of thought.
        think_ns: f64,
    },
    /// By themselves.
    Open {
        /// Mean number in a second.
        per_s: f64,
        /// Whether one is as likely at any moment as at another.
        at_random: bool,
    },
    /// As they were recorded.
    Recorded,
}

impl Comes {
    fn of(pace: &Coming) -> Self {
        match pace {
            Coming::Closed { slots, think } => {
                let (slots, per_device) = match *slots {
                    StreamSlots::PerDevice(count) => (count, true),
                    StreamSlots::PerTarget { .. } => (slots.count(0), false),
                    StreamSlots::InAll(count) => (count, false),
                };
                Self::Closed { slots, per_device, think_ns: think.mean_ns() }
            }
            Coming::Open { timetable, .. } => Self::Open {
                per_s: timetable.rate_per_s(),
                at_random: matches!(timetable, Timetable::Process(Process::Poisson(_))),
            },
            Coming::Rated { rates, outstanding } => match rates.per_s() {
                Some(per_s) => Self::Open { per_s, at_random: rates.at_random() },
                // One direction goes as fast as it can.
                None => Self::Closed { slots: *outstanding, per_device: false, think_ns: 0.0 },
            },
            Coming::Recorded { .. } => Self::Recorded,
        }
    }
}

/// The network interface of a part, if its line in the list declares a network.
macro_rules! network_of {
    (Network $parameters:ident) => {
        Some($parameters as &dyn sansim_network::contract::Network)
    };
    ($parameters:ident) => {
        None
    };
}

pub(crate) use network_of;

/// Makes the parts of a list with a line for each: what it is, its name, and the component. Every call of a component goes through
/// a `match` over them.
macro_rules! parts {
    ($($(#[doc = $doc:literal])+ $name:ident($component:ty) $(, $network:ident)?;)+) => {
        /// The parameters of one component of the simulation.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a few thousand of them are made once, when a system is built")]
        pub enum Part {
            $($(#[doc = $doc])+ $name(<$component as sansim_component::Component>::Parameters),)+
        }

        /// A component of any kind.
        #[derive(Debug)]
        pub enum AnyComponent {
            $($(#[doc = $doc])+ $name(Box<$component>),)+
        }

        impl Part {
            /// The catalogues of all parts, in the order of the list.
            pub const CATALOGUES: &'static [&'static sansim_schema::catalogue::Catalogue] =
                &[$(<$component as sansim_component::Component>::CATALOGUE),+];

            /// The measurements at the places of each of them.
            pub const PLACE_METERS: &'static [&'static [sansim_schema::catalogue::PlaceMeter]] =
                &[$(<$component as sansim_component::Component>::PLACE_METERS),+];

            /// The component, which has done nothing yet.
            pub fn build(
                &self,
                cx: sansim_component::BuildContext<'_, ()>,
                system: &dyn sansim_component::build_context::Tells,
            ) -> AnyComponent {
                match self {
                    $(Self::$name(parameters) => {
                        let cx = cx.with(sansim_component::build_context::Role::of(system));
                        AnyComponent::$name(Box::new(<$component as sansim_component::Component>::build(parameters, &cx)))
                    })+
                }
            }

            /// Its network interface; none if it is not a network.
            pub fn network(&self) -> Option<&dyn sansim_network::contract::Network> {
                match self {
                    $(Self::$name(_parameters) => $crate::part::network_of!($($network)? _parameters),)+
                }
            }

            /// The demand of a request of a class at it; none if it serves no requests, or has no model.
            pub fn demand(
                &self,
                class: &sansim_component::demand::RequestClass,
                around: &sansim_component::demand::DemandContext<'_>,
            ) -> Option<sansim_component::demand::Demand> {
                match self {
                    $(Self::$name(parameters) => {
                        <$component as sansim_component::Component>::demand(parameters, class, around)
                    })+
                }
            }

            /// Its catalogue.
            pub fn catalogue(&self) -> &'static sansim_schema::catalogue::Catalogue {
                match self {
                    $(Self::$name(_) => <$component as sansim_component::Component>::CATALOGUE,)+
                }
            }
        }

        impl Part {
            /// The measurements at each of its places.
            pub fn place_meters(&self) -> &'static [sansim_schema::catalogue::PlaceMeter] {
                match self {
                    $(Self::$name(_) => <$component as sansim_component::Component>::PLACE_METERS,)+
                }
            }
        }

        impl AnyComponent {
            /// The run begins.
            #[inline]
            pub fn start(&mut self, cx: &mut sansim_component::Context<'_>) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::start(&mut **component, cx),)+
                }
            }

            /// A timer is due.
            #[inline(always)]
            pub fn due(&mut self, cx: &mut sansim_component::Context<'_>, timer: sansim_component::Timer) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::due(&mut **component, cx, timer),)+
                }
            }

            /// Something comes in by a port.
            #[inline(always)]
            pub fn receive(&mut self, cx: &mut sansim_component::Context<'_>, port: u16, message: sansim_component::Message) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::receive(&mut **component, cx, port, message),)+
                }
            }

            /// The scenario does something to it.
            #[inline]
            pub fn act(&mut self, cx: &mut sansim_component::Context<'_>, action: sansim_component::Action) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::act(&mut **component, cx, action),)+
                }
            }

            /// The scenario does something to a thing that it has.
            #[inline]
            pub fn act_on(&mut self, cx: &mut sansim_component::Context<'_>, thing: usize, works: bool) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::act_on(&mut **component, cx, thing, works),)+
                }
            }

            /// The next access of a source, before the run begins.
            #[inline]
            pub fn next_access(&mut self) -> Option<sansim_component::DeviceAccess> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::next_access(&mut **component),)+
                }
            }

            /// Does some milliseconds of what it has to do before simulated time begins; says which share of all is done.
            pub fn prepare(&mut self) -> f64 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::prepare(&mut **component),)+
                }
            }

            /// Applies an access to a device, before the run begins.
            #[inline]
            pub fn warm(
                &mut self,
                access: &sansim_component::DeviceAccess,
                behind: &mut Vec<sansim_component::DeviceAccess>,
            ) -> sansim_component::Warmed {
                match self {
                    $(Self::$name(component) => sansim_component::Component::warm(&mut **component, access, behind),)+
                }
            }

            /// Whether the hit ratio has settled, if there is one.
            #[inline]
            pub fn warmth(&self) -> Option<sansim_component::Warmth> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::warmth(&**component),)+
                }
            }

            /// Places of its own.
            #[inline]
            pub fn places(&self) -> u16 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::places(&**component),)+
                }
            }

            /// The value of a gauge at one of its places, now.
            #[inline]
            pub fn gauge(&self, now: sansim_kernel::Time, gauge: usize, place: u16) -> u32 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::gauge(&**component, now, gauge, place),)+
                }
            }

            /// How much there is of a stock, now.
            #[inline]
            pub fn stock(&self, now: sansim_kernel::Time, stock: usize) -> Option<sansim_component::StockLevel> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::stock(&**component, now, stock),)+
                }
            }

            /// Time in which a block was at work, up to now.
            #[inline]
            pub fn busy(&self, now: sansim_kernel::Time, block: usize) -> sansim_kernel::Total {
                match self {
                    $(Self::$name(component) => sansim_component::Component::busy(&**component, now, block),)+
                }
            }

            /// A meter, up to now.
            #[inline]
            pub fn meter(&self, now: sansim_kernel::Time, meter: usize) -> sansim_kernel::Total {
                match self {
                    $(Self::$name(component) => sansim_component::Component::meter(&**component, now, meter),)+
                }
            }

            /// A meter of one of its places, up to now.
            #[inline]
            pub fn place_meter(&self, now: sansim_kernel::Time, meter: usize, place: u16) -> sansim_kernel::Total {
                match self {
                    $(Self::$name(component) => sansim_component::Component::place_meter(&**component, now, meter, place),)+
                }
            }

            /// How much it does at once of what a meter measures.
            #[inline]
            pub fn capacity(&self, meter: usize) -> u64 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::capacity(&**component, meter),)+
                }
            }

            /// A figure that does not change while a run goes on.
            #[inline]
            pub fn constant(&self, figure: usize) -> f64 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::constant(&**component, figure),)+
                }
            }

            /// Remarks about the run for the reader of the result.
            pub fn remarks(&self) -> Vec<String> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::remarks(&**component),)+
                }
            }

            /// The components in it that delay others, and the delayed ones.
            pub fn culprits(&self, now: sansim_kernel::Time) -> Vec<sansim_component::culprits::Culprit> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::culprits(&**component, now),)+
                }
            }

            /// Why it could not go on, if it could not.
            pub fn fault(&self) -> Option<String> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::fault(&**component),)+
                }
            }

            /// The leftovers at the end.
            #[inline]
            pub fn leftovers(&self, leftovers: &mut sansim_component::Leftovers) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::leftovers(&**component, leftovers),)+
                }
            }
        }

        $(
            impl sansim_component::component_kind::PartList<$component> for Part {
                fn part(parameters: <$component as sansim_component::Component>::Parameters) -> Part {
                    Part::$name(parameters)
                }
            }
        )+
    };
}

pub(crate) use parts;

impl AnyComponent {
    /// The workload that goes in passes, if it is one.
    pub fn in_passes(&self) -> Option<&Workload> {
        match self {
            Self::Workload(workload) => Some(workload),
            _ => None,
        }
    }

    /// Whether it is a plain drive.
    pub fn is_drive(&self) -> bool {
        matches!(self, Self::Drive(_))
    }

    /// A loop loses a frame, for a test that this does not go unnoticed.
    pub fn lose_a_frame(&mut self) {
        if let Self::ArbitratedLoop(on) = self {
            on.lose_a_frame();
        }
    }
}

impl Part {
    /// Whether it is an adapter that sends commands.
    pub fn asks_by_network(&self) -> bool {
        matches!(self, Part::Initiator(_))
    }

    /// Whether it is an adapter that receives commands.
    pub fn serves_by_network(&self) -> bool {
        matches!(self, Part::Target(_))
    }

    /// Its name in results beside its component, if others share it.
    pub fn shared_as(&self) -> Option<&'static str> {
        match self {
            Part::Bus(_) => Some("bus"),
            Part::Processors(_) | Part::StackProcessors(_) => Some("processors"),
            Part::Resources(_) => Some("resources"),
            _ => None,
        }
    }

    /// The stations to which it sends what is no request.
    pub fn sends_to(&self) -> &[String] {
        match self {
            Part::IpPort(parameters) => &parameters.to,
            _ => &[],
        }
    }

    /// Whether there are two equal models of it: one to the word, or of ports at a loop switch.
    pub fn has_two_models(&self) -> bool {
        matches!(self, Part::ArbitratedLoop(_) | Part::LoopSwitch(_))
    }

    /// Whether it goes in passes.
    pub fn has_passes(&self) -> bool {
        matches!(self, Part::Workload(parameters) if parameters.ios_per_pass.is_some())
    }

    /// How many of so many devices behind it a write is at, at a time: an array has copies and checks.
    pub fn devices_of_write(&self, behind: usize) -> u64 {
        match self {
            Part::DiskArray((parameters, _)) => parameters.devices_of_write(behind),
            Part::Mirror(_) => behind as u64,
            _ => 1,
        }
    }

    /// Whether what is near its last access is there sooner: a disk has heads.
    pub fn has_position(&self) -> bool {
        matches!(self, Part::DiskDrive(_))
    }

    /// The pace at which it makes frames and takes them; none for what sends no frames.
    pub fn pace(&self) -> Option<NodePace> {
        match self {
            Part::Initiator(adapter) | Part::Target(adapter) => Some(NodePace {
                payload_bytes: adapter.max_payload,
                ready_frames: adapter.outgoing_buffers.into(),
                fetch: adapter.dma_time(adapter.max_payload),
                take: adapter.frame_time,
            }),
            _ => None,
        }
    }

    /// How the requests of a workload come, stream by stream; none for what asks for nothing by itself.
    pub fn comes(&self) -> Option<Vec<Comes>> {
        match self {
            Part::Workload(parameters) => {
                let per_device = parameters.queue_depth_per == QueueDepthPer::Drive;
                let think_ns = parameters.think_time.as_ns_f64();
                Some(vec![Comes::Closed { slots: parameters.queue_depth, per_device, think_ns }])
            }
            Part::Streams(plan) => Some(plan.streams.iter().map(|stream| Comes::of(&stream.pace)).collect()),
            _ => None,
        }
    }

    /// Whether frames pass through it from one network to another.
    pub fn is_crossing(&self) -> bool {
        matches!(self, Part::FlPort(_))
    }

    /// The messages of an I/O; none if it sends no frames.
    pub fn protocol(&self) -> Option<Protocol> {
        match self {
            Part::Initiator(adapter) | Part::Target(adapter) => Some(adapter.protocol),
            _ => None,
        }
    }

    /// Bytes of a control message that it sends in the protocol of two messages; none for what sends no frames.
    pub fn control_payload(&self) -> Option<u64> {
        match self {
            Part::Initiator(adapter) | Part::Target(adapter) => Some(adapter.control_payload),
            _ => None,
        }
    }

    /// Bytes of the description of an I/O that it fetches; none for what fetches none.
    pub fn request_bytes(&self) -> Option<u64> {
        match self {
            Part::Initiator(adapter) => Some(adapter.request_bytes),
            _ => None,
        }
    }

    /// Whether it reads from one of several devices behind it by their queues.
    pub fn reads_by_queues(&self) -> bool {
        matches!(self, Part::Mirror(parameters) if parameters.read_policy.follows_queues())
    }

    /// Most bytes of data in a frame that it sends or asks for; none for what sends no frames.
    pub fn max_payload(&self) -> Option<u64> {
        match self {
            Part::Initiator(adapter) | Part::Target(adapter) => Some(adapter.max_payload),
            _ => None,
        }
    }
}
