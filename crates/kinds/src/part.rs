//! The parts that a simulation is built of, in one list: their parameters, and the components that are built from them.

use sansim_component::policy::PathParameters;
use sansim_component::{Action, Component, Context, Message, Rest, Setting, Timer};
use sansim_describe::catalogue::Catalogue;
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fcp::adapter::AdapterParameters;
use sansim_host::driver::DriverParameters;
use sansim_host::workload::WorkloadParameters;
use sansim_kernel::{Time, Total};
use sansim_storage::controller::ControllerParameters;
use sansim_storage::drive::DriveParameters;
use sansim_storage::mirror::MirrorParameters;

/// Makes the parts of a list with a line for each: what it is, what is said of it, and the component. Every call of a component goes
/// through a `match` over them.
macro_rules! parts {
    ($($(#[doc = $doc:literal])+ $name:ident($parameters:ty) => $component:ty;)+) => {
        /// What is built, one component of the simulation each, with all that was said of it.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a few thousand of them are made once, when a system is built")]
        pub enum Part {
            $($(#[doc = $doc])+ $name($parameters),)+
        }

        /// A component of any kind.
        #[derive(Clone, Debug)]
        pub enum AnyComponent {
            $($(#[doc = $doc])+ $name(Box<$component>),)+
        }

        impl Part {
            /// What is to be seen of each of them, in the order of the list.
            pub const CATALOGUES: &'static [&'static Catalogue] = &[$(<$component as Component>::CATALOGUE),+];

            /// The component, which has done nothing yet.
            pub fn build(&self, setting: &Setting<'_>) -> AnyComponent {
                match self {
                    $(Self::$name(parameters) => {
                        AnyComponent::$name(Box::new(<$component as Component>::build(parameters, setting)))
                    })+
                }
            }

            /// What is to be seen of it.
            pub fn catalogue(&self) -> &'static Catalogue {
                match self {
                    $(Self::$name(_) => <$component as Component>::CATALOGUE,)+
                }
            }
        }

        impl AnyComponent {
            /// The run begins.
            #[inline]
            pub fn start(&mut self, cx: &mut Context<'_>) {
                match self {
                    $(Self::$name(component) => component.start(cx),)+
                }
            }

            /// A timer is due.
            #[inline(always)]
            pub fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
                match self {
                    $(Self::$name(component) => component.due(cx, timer),)+
                }
            }

            /// Something comes in by a port.
            #[inline(always)]
            pub fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
                match self {
                    $(Self::$name(component) => component.receive(cx, port, message),)+
                }
            }

            /// The scenario does something to it.
            #[inline]
            pub fn act(&mut self, cx: &mut Context<'_>, action: Action) {
                match self {
                    $(Self::$name(component) => component.act(cx, action),)+
                }
            }

            /// Places of its own.
            #[inline]
            pub fn places(&self) -> u16 {
                match self {
                    $(Self::$name(component) => component.places(),)+
                }
            }

            /// The present value of a gauge at one of its places.
            #[inline]
            pub fn gauge(&self, gauge: usize, place: u16) -> u32 {
                match self {
                    $(Self::$name(component) => component.gauge(gauge, place),)+
                }
            }

            /// Time in which a block was at work, up to now.
            #[inline]
            pub fn busy(&self, now: Time, block: usize) -> Total {
                match self {
                    $(Self::$name(component) => component.busy(now, block),)+
                }
            }

            /// A meter, up to now.
            #[inline]
            pub fn meter(&self, now: Time, meter: usize) -> Total {
                match self {
                    $(Self::$name(component) => component.meter(now, meter),)+
                }
            }

            /// How much it does at once of what a meter measures.
            #[inline]
            pub fn capacity(&self, meter: usize) -> u64 {
                match self {
                    $(Self::$name(component) => component.capacity(meter),)+
                }
            }

            /// A figure that does not change while a run goes on.
            #[inline]
            pub fn constant(&self, figure: usize) -> f64 {
                match self {
                    $(Self::$name(component) => component.constant(figure),)+
                }
            }

            /// What is left when all is over.
            #[inline]
            pub fn rest(&self, rest: &mut Rest) {
                match self {
                    $(Self::$name(component) => component.rest(rest),)+
                }
            }
        }
    };
}

parts! {
    /// A loop with its ports.
    ArbitratedLoop(LoopParameters) => sansim_network::Loop;
    /// The driver of a host, and how it chooses among several ways.
    Host((DriverParameters, PathParameters)) => sansim_host::driver::Host;
    /// An adapter that sends commands.
    Initiator(AdapterParameters) => sansim_fcp::Initiator;
    /// An adapter that receives commands.
    Target(AdapterParameters) => sansim_fcp::Target;
    /// A drive.
    Drive(DriveParameters) => sansim_storage::drive::Drive;
    /// A source of requests.
    Workload(WorkloadParameters) => sansim_host::workload::Workload;
    /// A storage controller, and how it chooses among several ways.
    Controller((ControllerParameters, PathParameters)) => sansim_storage::controller::Controller;
    /// Several drives with the same data.
    Mirror(MirrorParameters) => sansim_storage::mirror::Mirror;
}

impl Part {
    /// What a network was told of itself; none for what is no network.
    pub fn network(&self) -> Option<&LoopParameters> {
        match self {
            Part::ArbitratedLoop(parameters) => Some(parameters),
            _ => None,
        }
    }

    /// Most bytes of data in a frame that it sends or asks for; none for what sends no frames.
    pub fn max_payload(&self) -> Option<u64> {
        match self {
            Part::Initiator(adapter) | Part::Target(adapter) => Some(adapter.max_payload),
            _ => None,
        }
    }
}
