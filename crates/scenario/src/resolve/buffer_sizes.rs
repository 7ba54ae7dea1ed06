//! Checks of buffer sizes: each buffer of a network holds the longest message that adapters send, or else adapters have to send messages in
//! packets.

use sansim_fcp::adapter::UnitSizes;
use sansim_fcp::protocol::Protocol;
use sansim_registry::UnitTransport;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::sink::ProblemSink;

use super::stations::{OnLoop, Stations};
use super::{Components, dotted};

/// The bytes of the longest basic link service, BA_ACC.
const LINK_SERVICE_BYTES: u64 = 12;

/// The largest data field of a frame of Fibre Channel.
const LARGEST_FRAME_BYTES: u64 = 2_112;

/// Reports adapters whose messages do not fit into the buffers of their network.
pub(super) fn check(
    sink: &mut ProblemSink<'_>,
    components: &Components<'_>,
    stations: &Stations,
    units: &UnitSizes,
) {
    for on in &stations.loops {
        let network = components.network(on.network);
        let has_frames = network.is_some_and(|network| {
            matches!(network.transport(), UnitTransport::Frames | UnitTransport::Sequences(_))
        });
        let of_frames = has_frames.then_some([LARGEST_FRAME_BYTES, u64::MAX]);
        let own = network.and_then(|network| network.largest_units());
        let Some([data, control]) = own.or(of_frames) else { continue };
        for (name, sends) in senders(components, on, units) {
            let key = dotted(&name, "max_payload");
            if sends.data > data && sink.all_readable(&[&key]) {
                let network = components.name(on.network);
                let message = match own {
                    Some(_) => format!(
                        "a message of {} bytes does not fit a buffer of `{network}`, which has {data}",
                        sends.data
                    ),
                    None => {
                        format!(
                            "a frame of `{network}` has at most {data} bytes of payload, and not {}",
                            sends.data
                        )
                    }
                };
                let fault =
                    Diagnostic::new(codes::CONTRADICTION, components.places.value_position(&key), message)
                        .with_label("longer than a buffer")
                        .with_help(format!("{key} = \"{data} B\" or less sends longer messages in packets"));
                sink.report(&key, fault);
            }
            if sends.control > control {
                let key = dotted(components.name(on.network), "switch.control.buffer_size");
                let key = if control < data {
                    key
                } else {
                    dotted(components.name(on.network), "switch.buffer_size")
                };
                let message = format!(
                    "a control message of `{name}` has {} bytes, a buffer for it {control}",
                    sends.control
                );
                if sink.all_readable(&[&key]) {
                    let fault = Diagnostic::new(
                        codes::CONTRADICTION,
                        components.places.value_position(&key),
                        message,
                    )
                    .with_label("too small for it")
                    .with_help("control messages do not go in packets");
                    sink.report(&key, fault);
                }
                break;
            }
        }
    }
}

/// The longest frames that an adapter sends.
struct Sends {
    data: u64,
    control: u64,
}

/// The adapters of a network.
fn senders(components: &Components<'_>, on: &OnLoop, units: &UnitSizes) -> Vec<(String, Sends)> {
    let transport = components.network(on.network).map(|network| network.transport()).unwrap_or_default();
    let of = |&(component, port): &(usize, usize)| {
        let inside = &components.members[component];
        let part = &inside.parts[inside.ports[port].part?];
        let adapter = part.part.io_adapter()?;
        let control = match adapter.protocol {
            Protocol::TwoMessage => adapter.control_payload,
            Protocol::Fcp | Protocol::Nvme | Protocol::Iscsi => {
                let sizes = adapter.unit_sizes(transport, *units);
                sizes.command_payload.max(sizes.xfer_rdy_payload).max(sizes.response_payload)
            }
        };
        let sends = Sends { data: part.part.max_payload()?, control: control.max(LINK_SERVICE_BYTES) };
        Some((dotted(components.name(component), &part.path), sends))
    };
    on.ports.iter().filter_map(of).collect()
}
