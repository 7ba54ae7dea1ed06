//! Frames of Ethernet, as switches see them.

/// The bytes that a frame of pause by priority (IEEE 802.1Qbb) takes on a link: the smallest frame, with preamble and gap.
pub const PAUSE_FRAME_BYTES: u32 = 84;

/// The most classes of frames of a network, which are the priorities of IEEE 802.1Q.
pub const MOST_CLASSES: usize = 8;

/// A frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EthernetFrame {
    /// The number by which the sender knows the content of the frame.
    pub tag: u32,
    /// A hash of the connection, which chooses among equal paths.
    pub flow: u32,
    /// All bytes that the frame takes on a link, preamble and gap among them.
    pub bytes: u32,
    /// The node that sends the frame.
    pub from: u16,
    /// The node that is to get the frame.
    pub to: u16,
    /// The class of the frame.
    pub class: u8,
    /// Whether a switch may mark the frame (ECT), because its sender heeds marks.
    pub may_be_marked: bool,
    /// Whether a switch has marked the frame (CE).
    pub is_marked: bool,
}

/// A hash of a connection between two nodes, by their numbers and the number of the connection: the finaliser of MurmurHash3. The hash of
/// real switches is in no public source.
pub fn connection_hash(from: u16, to: u16, connection: u32) -> u32 {
    mixed(u32::from(from) ^ u32::from(to).rotate_left(16) ^ connection.wrapping_mul(0x9E37_79B1))
}

/// The place of a flow among `paths` equal paths at a switch. Each switch mixes its number into the hash, so that its choice does not follow
/// from that of the switch before.
pub fn path_of_flow(flow: u32, switch: u16, paths: usize) -> usize {
    mixed(flow ^ u32::from(switch).wrapping_mul(0x85EB_CA6B)) as usize % paths
}

fn mixed(value: u32) -> u32 {
    let mut hash = (value ^ value >> 16).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_spread_over_equal_paths_and_the_choices_of_two_switches_are_independent() {
        let mut counts = [[0_u32; 4]; 4];
        for connection in 0..16_000 {
            let flow = connection_hash(3, 7, connection);
            counts[path_of_flow(flow, 1, 4)][path_of_flow(flow, 2, 4)] += 1;
        }
        // A thousand in each place, with a standard deviation of 31.
        assert!(counts.iter().flatten().all(|count| count.abs_diff(1_000) < 155), "{counts:?}");
    }
}
