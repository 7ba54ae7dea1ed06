//! Code generated from the list of parts: the parameters from which a simulation is built, and the components that are built from them.
//!
//! Longer than 500 lines: it has all questions that other rooms ask about a part.

use crate::{AnyComponent, Part};
use sansim_component::UnitTransport;
use sansim_component::network::NodePace;
use sansim_component::policy::PolicyName;
use sansim_fcp::adapter::{AdapterParameters, UnitSizes};
use sansim_fcp::stream_content::StreamFormat;
use sansim_workload::arrivals::{Process, Timetable};
use sansim_workload::closed::{QueueDepthPer, Workload};
use sansim_workload::streams::plan::{StreamPace as Coming, StreamSlots};

/// The pace of a workload's requests, as far as a network of queues needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RequestPace {
    /// A fixed number of slots issue requests, each again when it has its answer and the think time is over.
    Closed {
        /// The number of slots.
        slots: u32,
        /// Whether the number is for each device.
        per_device: bool,
        /// The mean think time.
        think_ns: f64,
    },
    /// Requests arrive by themselves.
    Open {
        /// The mean number of requests per second.
        per_s: f64,
        /// Whether an arrival is at any moment as likely as at another.
        at_random: bool,
    },
    /// Requests come at recorded times.
    Recorded,
}

impl RequestPace {
    fn of(pace: &Coming) -> Self {
        match pace {
            Coming::Closed { slots, think } => {
                let (slots, per_device) = match *slots {
                    StreamSlots::PerDevice(count) => (count, true),
                    StreamSlots::PerTarget { .. } => (slots.slot_count(0), false),
                    StreamSlots::InAll(count) => (count, false),
                };
                Self::Closed { slots, per_device, think_ns: think.mean_ns() }
            }
            Coming::Open { timetable, .. } => Self::Open {
                per_s: timetable.rate_per_s(),
                at_random: matches!(timetable, Timetable::Process(Process::Poisson(_))),
            },
            Coming::Rated { rates, outstanding } => match rates.requests_per_second() {
                Some(per_s) => Self::Open { per_s, at_random: rates.is_at_random() },
                // A direction without a rate goes as fast as it can.
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

/// Makes the parts of a list with a line for each: its description, its name, and the component. Every call of a component goes through a
/// `match` over them.
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

            /// The meters at the places of each of the parts.
            pub const PLACE_METERS: &'static [&'static [sansim_schema::catalogue::PlaceMeter]] =
                &[$(<$component as sansim_component::Component>::PLACE_METERS),+];

            /// Builds the component, at its beginning.
            pub fn build(
                &self,
                cx: sansim_component::BuildContext<'_, ()>,
                system: &dyn sansim_component::build_context::RoleFacts,
            ) -> AnyComponent {
                match self {
                    $(Self::$name(parameters) => {
                        let cx = cx.with_role(sansim_component::build_context::Role::of(system));
                        AnyComponent::$name(Box::new(<$component as sansim_component::Component>::build(parameters, &cx)))
                    })+
                }
            }

            /// The network interface of the part; none if the part is not a network.
            pub fn network(&self) -> Option<&dyn sansim_network::contract::Network> {
                match self {
                    $(Self::$name(_parameters) => $crate::part::network_of!($($network)? _parameters),)+
                }
            }

            /// The demand of a request of a class at the part; none if it serves no requests, or has no model.
            pub fn request_demand(
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

            /// The catalogue of the component.
            pub fn catalogue(&self) -> &'static sansim_schema::catalogue::Catalogue {
                match self {
                    $(Self::$name(_) => <$component as sansim_component::Component>::CATALOGUE,)+
                }
            }
        }

        impl Part {
            /// The meters at each place of the component.
            pub fn place_meters(&self) -> &'static [sansim_schema::catalogue::PlaceMeter] {
                match self {
                    $(Self::$name(_) => <$component as sansim_component::Component>::PLACE_METERS,)+
                }
            }
        }

        impl AnyComponent {
            /// The run begins.
            #[inline]
            pub fn start_run(&mut self, cx: &mut sansim_component::Context<'_>) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::start(&mut **component, cx),)+
                }
            }

            /// A timer is due.
            #[inline(always)]
            pub fn handle_due_timer(&mut self, cx: &mut sansim_component::Context<'_>, timer: sansim_component::Timer) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::due(&mut **component, cx, timer),)+
                }
            }

            /// A message comes in by a port.
            #[inline(always)]
            pub fn receive_message(&mut self, cx: &mut sansim_component::Context<'_>, port: u16, message: sansim_component::Message) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::receive(&mut **component, cx, port, message),)+
                }
            }

            /// The scenario applies an action to the component.
            #[inline]
            pub fn apply_action(&mut self, cx: &mut sansim_component::Context<'_>, action: sansim_component::Action) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::act(&mut **component, cx, action),)+
                }
            }

            /// The scenario changes keys of the component, or of what is around it: `part`, of its kind, has all of its keys.
            #[inline]
            pub fn change_keys(
                &mut self,
                cx: &mut sansim_component::Context<'_>,
                part: &Part,
                around: &sansim_component::KeysAround<'_>,
            ) {
                match (self, part) {
                    $((Self::$name(component), Part::$name(parameters)) => {
                        sansim_component::Component::change(&mut **component, cx, parameters, around)
                    })+
                    _ => {}
                }
            }

            /// The scenario applies a failure or repair to a part inside the component.
            #[inline]
            pub fn apply_action_to_part(&mut self, cx: &mut sansim_component::Context<'_>, thing: usize, works: bool) {
                match self {
                    $(Self::$name(component) => sansim_component::Component::act_on(&mut **component, cx, thing, works),)+
                }
            }

            /// The next access of a source, before the run begins.
            #[inline]
            pub fn next_warm_up_access(&mut self) -> Option<sansim_component::DeviceAccess> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::next_access(&mut **component),)+
                }
            }

            /// Works for some milliseconds on what the component has to prepare before simulated time begins; returns the share that is
            /// done.
            pub fn prepare_before_run(&mut self) -> f64 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::prepare(&mut **component),)+
                }
            }

            /// Applies an access to a device, before the run begins.
            #[inline]
            pub fn apply_warm_up_access(
                &mut self,
                access: &sansim_component::DeviceAccess,
                behind: &mut Vec<sansim_component::DeviceAccess>,
            ) -> sansim_component::WarmAccessResult {
                match self {
                    $(Self::$name(component) => sansim_component::Component::warm(&mut **component, access, behind),)+
                }
            }

            /// Whether the hit ratio of the component has settled, if it has one.
            #[inline]
            pub fn warm_up_progress(&self) -> Option<sansim_component::WarmUpProgress> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::warmth(&**component),)+
                }
            }

            /// The number of places of the component.
            #[inline]
            pub fn place_count(&self) -> u16 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::places(&**component),)+
                }
            }

            /// The value of a gauge at a place of the component, now.
            #[inline]
            pub fn gauge_value(&self, now: sansim_kernel::Time, gauge: usize, place: u16) -> u32 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::gauge(&**component, now, gauge, place),)+
                }
            }

            /// The level of a stock, now.
            #[inline]
            pub fn stock_level(&self, now: sansim_kernel::Time, stock: usize) -> Option<sansim_component::StockLevel> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::stock(&**component, now, stock),)+
                }
            }

            /// The time in which a block was busy, up to now.
            #[inline]
            pub fn busy_time(&self, now: sansim_kernel::Time, block: usize) -> sansim_kernel::Total {
                match self {
                    $(Self::$name(component) => sansim_component::Component::busy(&**component, now, block),)+
                }
            }

            /// The value of a meter, up to now.
            #[inline]
            pub fn meter_value(&self, now: sansim_kernel::Time, meter: usize) -> sansim_kernel::Total {
                match self {
                    $(Self::$name(component) => sansim_component::Component::meter(&**component, now, meter),)+
                }
            }

            /// The value of a meter at a place of the component, up to now.
            #[inline]
            pub fn place_meter_value(&self, now: sansim_kernel::Time, meter: usize, place: u16) -> sansim_kernel::Total {
                match self {
                    $(Self::$name(component) => sansim_component::Component::place_meter(&**component, now, meter, place),)+
                }
            }

            /// The number of servers whose busy time a meter adds up.
            #[inline]
            pub fn server_count(&self, meter: usize) -> u64 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::capacity(&**component, meter),)+
                }
            }

            /// A figure that does not change while a run goes on.
            #[inline]
            pub fn constant_figure(&self, figure: usize) -> f64 {
                match self {
                    $(Self::$name(component) => sansim_component::Component::constant(&**component, figure),)+
                }
            }

            /// Remarks about the run for the reader of the result.
            pub fn run_remarks(&self) -> Vec<String> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::remarks(&**component),)+
                }
            }

            /// The ports of the component that delay others, with the delayed flows.
            pub fn congestion_culprits(&self, now: sansim_kernel::Time) -> Vec<sansim_component::culprits::CongestionCulprit> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::culprits(&**component, now),)+
                }
            }

            /// The reason why the component could not continue, if it could not.
            pub fn stuck_reason(&self) -> Option<String> {
                match self {
                    $(Self::$name(component) => sansim_component::Component::fault(&**component),)+
                }
            }

            /// Reports the leftovers of the component at the end.
            #[inline]
            pub fn report_leftovers(&self, leftovers: &mut sansim_component::LeftoverFindings) {
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
    /// The workload, if it is one that runs in passes.
    pub fn as_pass_workload(&self) -> Option<&Workload> {
        match self {
            Self::Workload(workload) => Some(workload),
            _ => None,
        }
    }

    /// Whether the component is a plain drive.
    pub fn is_drive(&self) -> bool {
        matches!(self, Self::Drive(_))
    }

    /// Makes a loop lose a frame, for a test that this does not go unnoticed.
    pub fn lose_a_frame(&mut self) {
        if let Self::ArbitratedLoop(on) = self {
            on.lose_frame_for_test();
        }
    }
}

impl Part {
    /// Whether the part is an adapter that sends commands.
    pub fn sends_commands(&self) -> bool {
        matches!(self, Part::Initiator(_))
    }

    /// Whether the part is an adapter that receives commands.
    pub fn receives_commands(&self) -> bool {
        matches!(self, Part::Target(_))
    }

    /// The name of the part in results beside its component, if others share it.
    pub fn shared_part_name(&self) -> Option<&'static str> {
        match self {
            Part::Bus(_) => Some("bus"),
            Part::Processors(_) | Part::StackProcessors(_) => Some("processors"),
            Part::Resources(_) => Some("resources"),
            _ => None,
        }
    }

    /// The stations to which the part sends frames that belong to no request.
    pub fn background_destinations(&self) -> &[String] {
        match self {
            Part::IpPort(parameters) => &parameters.to,
            _ => &[],
        }
    }

    /// Whether the part sends to all those stations at once, by the address of a group.
    pub fn sends_to_a_group(&self) -> bool {
        matches!(self, Part::IpPort(parameters) if parameters.multicast && !parameters.to.is_empty())
    }

    /// Whether the part has two equal models: one that simulates each word, and a faster one.
    pub fn has_two_loop_models(&self) -> bool {
        matches!(self, Part::ArbitratedLoop(_) | Part::LoopSwitch(_))
    }

    /// Whether the workload runs in passes.
    pub fn runs_in_passes(&self) -> bool {
        matches!(self, Part::Workload(parameters) if parameters.ios_per_pass.is_some())
    }

    /// The number of the devices behind the part, out of `behind`, that a write occupies: an array has copies and checks.
    pub fn devices_per_write(&self, behind: usize) -> u64 {
        match self {
            Part::DiskArray((parameters, _)) => parameters.devices_per_small_write(behind),
            Part::Mirror(_) => behind as u64,
            _ => 1,
        }
    }

    /// Whether the device has a position, so that an access near the last one is faster: a disk has heads.
    pub fn has_moving_heads(&self) -> bool {
        matches!(self, Part::DiskDrive(_))
    }

    /// The entries of the submission queues by which an initiator sends commands to the part, if their number is limited.
    pub fn queue_entries(&self) -> Option<u32> {
        match self {
            Part::Target(adapter) => adapter.queue_entries(),
            _ => None,
        }
    }

    /// The times in which the part builds frames and accepts them; none for a part that sends no frames.
    pub fn frame_pace(&self) -> Option<NodePace> {
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

    /// The pace of the requests of a workload, stream by stream; none for a part that is no workload.
    pub fn request_pace(&self) -> Option<Vec<RequestPace>> {
        match self {
            Part::Workload(parameters) => {
                let per_device = parameters.queue_depth_per == QueueDepthPer::Drive;
                let think_ns = parameters.think_time.as_ns_f64();
                Some(vec![RequestPace::Closed { slots: parameters.queue_depth, per_device, think_ns }])
            }
            Part::Streams(plan) => {
                Some(plan.streams.iter().map(|stream| RequestPace::of(&stream.pace)).collect())
            }
            _ => None,
        }
    }

    /// Whether the part is a workload that makes flushes or deallocations, as far as this is known before a run.
    pub fn flushes_or_deallocates(&self) -> bool {
        match self {
            Part::Workload(parameters) => parameters.flushes_or_deallocates(),
            Part::Streams(plan) => plan.flushes_or_deallocates(),
            _ => false,
        }
    }

    /// Whether the part learns the access states of devices from answers, so that adapters in front of them refuse commands for unavailable
    /// ones.
    pub fn learns_access_from_answers(&self) -> bool {
        match self {
            Part::Host((driver, _)) => driver.learns_access_from_answers(),
            _ => false,
        }
    }

    /// Whether frames pass through the part from one network to another.
    pub fn connects_two_networks(&self) -> bool {
        matches!(self, Part::FlPort(_))
    }

    /// The parameters of the adapter that the part is; none if the part sends no units of I/Os.
    pub fn io_adapter(&self) -> Option<&AdapterParameters> {
        match self {
            Part::Initiator(adapter) | Part::Target(adapter) => Some(adapter),
            _ => None,
        }
    }

    /// The payloads of the units without data of the protocol that the part speaks at a network of this form; those of FCP are given.
    pub fn unit_sizes(&self, transport: UnitTransport, fcp: UnitSizes) -> Option<UnitSizes> {
        Some(self.io_adapter()?.unit_sizes(transport, fcp))
    }

    /// The form of the part's units in streams of bytes, at a network of this form; none if no standard fixes it, or there are no streams.
    pub fn stream_format(&self, transport: UnitTransport) -> Option<StreamFormat> {
        self.io_adapter()?.stream_format(transport)
    }

    /// The bytes of the description of an I/O that the part fetches; none for a part that fetches none.
    pub fn io_description_bytes(&self) -> Option<u64> {
        match self {
            Part::Initiator(adapter) => Some(adapter.request_bytes),
            _ => None,
        }
    }

    /// Whether the part chooses among several devices behind it by their queues when it reads.
    pub fn reads_shortest_queue(&self) -> bool {
        matches!(self, Part::Mirror(parameters) if parameters.read_policy.built_in().is_none_or(PolicyName::depends_on_queues))
    }

    /// Whether the part chooses among several devices behind it by the places of their last reads when it reads.
    pub fn reads_by_place(&self) -> bool {
        matches!(self, Part::Mirror(parameters) if parameters.read_policy.built_in().is_some_and(PolicyName::follows_streams))
    }

    /// The most bytes of data in a frame that the part sends or requests; none for a part that sends no frames.
    pub fn max_payload(&self) -> Option<u64> {
        match self {
            Part::Initiator(adapter) | Part::Target(adapter) => Some(adapter.max_payload),
            _ => None,
        }
    }
}
