//! Virtual channels of links between switches: each channel has buffers and credit of its own, so frames that wait in one channel do
//! not hold up the frames of other channels. Each policy that assigns frames to channels has a file, and a line in [`channels!`]
//! below.
//!
//! All frames of an exchange in one direction have the same channel on every link, because they would overtake each other
//! otherwise.

mod destination;
mod exchange;

use sansim_fc::frame::Frame;

/// Chooses the channel by which a frame goes.
pub trait ChannelAssignmentRule {
    /// The number of a channel, less than `channels`; it is the same for all frames of an exchange.
    fn assign(frame: &Frame, channels: u8) -> u8;
}

/// Declares the channel policies: the word in scenarios, the type, and the description.
macro_rules! channels {
    ($($(#[doc = $doc:literal])+ $word:literal => $name:ident($type:ty);)+) => {
        sansim_schema::words! {
            /// The rule that assigns frames to virtual channels.
            pub enum ChannelName {
                $($(#[doc = $doc])+ $name = $word,)+
            }
        }

        impl ChannelName {
            /// The channel of a frame; see [`ChannelAssignmentRule::assign`].
            pub fn assign(self, frame: &Frame, channels: u8) -> u8 {
                if channels < 2 {
                    return 0;
                }
                match self {
                    $(Self::$name => <$type as ChannelAssignmentRule>::assign(frame, channels),)+
                }
            }
        }
    };
}

channels! {
    /// Those to one node by one channel, so that one which is slow keeps few others.
    "destination" => Destination(destination::ChannelByDestination);
    /// Those of one exchange by one channel.
    "exchange" => Exchange(exchange::ChannelByExchange);
}

/// The number of buffers of a port between switches that one channel has: an equal share, and the first channels
/// have one more.
pub fn buffers_of_channel(buffers: u32, channels: u8, channel: u8) -> u32 {
    let (channels, channel) = (u32::from(channels.max(1)), u32::from(channel));
    (buffers / channels + u32::from(channel < buffers % channels)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_fc::frame::{ExchangeId, Pdu};
    use sansim_pdu::Address;

    #[test]
    fn all_channels_are_used_and_an_exchange_keeps_its_own() {
        for policy in [ChannelName::Destination, ChannelName::Exchange] {
            let mut used = [0; 4];
            for number in 0..64 {
                let frame = Frame::from(Pdu {
                    destination: Address::new(0x10000 | ((number % 16) << 8)),
                    originator: ExchangeId(number),
                    ..Pdu::example()
                });
                let channel = policy.assign(&frame, 4);
                used[usize::from(channel)] += 1;
                assert_eq!(policy.assign(&frame.frame_later_in_sequence(3), 4), channel);
                assert_eq!(policy.assign(&frame, 1), 0);
            }
            assert!(used.iter().all(|&count| count >= 8), "{policy}: {used:?}");
        }
    }

    #[test]
    fn buffers_are_shared_out_to_the_last() {
        for (buffers, channels) in [(8, 1), (8, 3), (56, 4), (7, 7)] {
            assert_eq!(
                (0..channels).map(|channel| buffers_of_channel(buffers, channels, channel)).sum::<u32>(),
                buffers
            );
        }
    }
}
