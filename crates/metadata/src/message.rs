//! Messages between clients and a metadata controller.
//!
//! A message is a read of the client at the device that the controller presents for the volume: the command has the [`ClientCall`], the
//! returned data are the [`MetadataReply`]. Every call may be lost, delayed or repeated, so each call carries the token of its session, and
//! the controller ignores calls of earlier sessions.

use super::map::VolumeMap;
use sansim_kernel::Span;
use sansim_request::MessageWords;

/// A call of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCall {
    /// A call to open a session with a lease; the controller authenticates the client first. The token of a session is the number of the
    /// attempt to open it.
    Open,
    /// A call to renew the lease.
    Renew,
    /// A call for a lock on a range.
    Lock {
        /// The number of the range.
        range: u64,
        /// Whether the lock is exclusive, for writing.
        exclusive: bool,
        /// The number of locks requested before, which distinguishes a late call from a new one.
        serial: u64,
    },
    /// A call that gives back a lock.
    Release {
        /// The number of the range.
        range: u64,
        /// The number of the lock.
        grant: u64,
    },
    /// A call for the place of an extent of a file.
    Extent {
        /// The number of the extent.
        number: u64,
    },
    /// A report that no access in flight uses a map older than the given one.
    Settled {
        /// The number of the next map.
        version: u64,
    },
    /// A watch: a call that is answered by the next notification of the controller.
    Watch,
    /// A call to close the session, when no access is in flight.
    Close,
}

/// A call with its client and the token of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionCall {
    /// The number of the client.
    pub client: u64,
    /// The token of the session.
    pub token: u64,
    /// The call itself.
    pub call: ClientCall,
}

/// An answer of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataReply {
    /// The session has been opened.
    Opened {
        /// The duration of the lease, which counts from the time of the call.
        lease: Span,
        /// The size of the lock ranges; 0 without locks.
        lock_range: u64,
        /// The place of the volume.
        map: VolumeMap,
    },
    /// The lease has been renewed.
    Renewed {
        /// The duration of the lease.
        lease: Span,
        /// Whether the controller has a watch of the client.
        watched: bool,
    },
    /// The lock has been granted.
    Granted {
        /// The number of the lock.
        grant: u64,
    },
    /// The answer with the place of an extent of a file.
    Extent {
        /// The device, by its number among those that the controller manages.
        place: u32,
        /// The first byte of the extent on the device.
        offset: u64,
        /// The number of the map from which the place of the extent was computed.
        version: u64,
    },
    /// The volume has been moved to this place.
    Moved(VolumeMap),
    /// The call has been carried out.
    Done,
    /// A notification that the controller recalls a lock.
    Recall {
        /// The number of the range.
        range: u64,
        /// The number of the lock.
        grant: u64,
    },
    /// A notification that the volume is to be moved: no access may begin until the client has the map of this number.
    Settle {
        /// The number of the next map.
        version: u64,
    },
    /// The session has ended, or the call is of an earlier session.
    NoSession,
    /// The client may not access the volume, or may not access it any more.
    Denied,
}

impl SessionCall {
    /// Encodes the call as words.
    pub fn encode_words(self) -> MessageWords {
        let (code, a, b, c) = match self.call {
            ClientCall::Open => (1, 0, 0, 0),
            ClientCall::Renew => (2, 0, 0, 0),
            ClientCall::Lock { range, exclusive, serial } => (3, range, u64::from(exclusive), serial),
            ClientCall::Release { range, grant } => (4, range, grant, 0),
            ClientCall::Extent { number } => (5, number, 0, 0),
            ClientCall::Settled { version } => (6, version, 0, 0),
            ClientCall::Watch => (7, 0, 0, 0),
            ClientCall::Close => (8, 0, 0, 0),
        };
        [code, self.client, self.token, a, b, c, 0, 0]
    }

    /// Decodes the call in these words, if they are a valid call.
    pub fn decode_words([code, client, token, a, b, c, ..]: MessageWords) -> Option<Self> {
        let call = match code {
            1 => ClientCall::Open,
            2 => ClientCall::Renew,
            3 => ClientCall::Lock { range: a, exclusive: b != 0, serial: c },
            4 => ClientCall::Release { range: a, grant: b },
            5 => ClientCall::Extent { number: a },
            6 => ClientCall::Settled { version: a },
            7 => ClientCall::Watch,
            8 => ClientCall::Close,
            _ => return None,
        };
        Some(Self { client, token, call })
    }
}

impl MetadataReply {
    /// Encodes the answer as words.
    pub fn encode_words(self) -> MessageWords {
        match self {
            Self::Opened { lease, lock_range, map } => {
                let [lanes, stripe, offset, version] = map.words();
                [101, lease.ticks(), lock_range, lanes, stripe, offset, version, 0]
            }
            Self::Renewed { lease, watched } => [102, lease.ticks(), u64::from(watched), 0, 0, 0, 0, 0],
            Self::Granted { grant } => [103, grant, 0, 0, 0, 0, 0, 0],
            Self::Extent { place, offset, version } => [104, u64::from(place), offset, version, 0, 0, 0, 0],
            Self::Moved(map) => {
                let [lanes, stripe, offset, version] = map.words();
                [105, lanes, stripe, offset, version, 0, 0, 0]
            }
            Self::Done => [106, 0, 0, 0, 0, 0, 0, 0],
            Self::Recall { range, grant } => [107, range, grant, 0, 0, 0, 0, 0],
            Self::Settle { version } => [108, version, 0, 0, 0, 0, 0, 0],
            Self::NoSession => [109, 0, 0, 0, 0, 0, 0, 0],
            Self::Denied => [110, 0, 0, 0, 0, 0, 0, 0],
        }
    }

    /// Decodes the answer in these words, if they are a valid answer.
    pub fn decode_words(words: MessageWords) -> Option<Self> {
        let [code, a, b, c, d, e, f, _] = words;
        Some(match code {
            101 => Self::Opened { lease: Span(a), lock_range: b, map: VolumeMap::of([c, d, e, f]) },
            102 => Self::Renewed { lease: Span(a), watched: b != 0 },
            103 => Self::Granted { grant: a },
            104 => Self::Extent { place: a as u32, offset: b, version: c },
            105 => Self::Moved(VolumeMap::of([a, b, c, d])),
            106 => Self::Done,
            107 => Self::Recall { range: a, grant: b },
            108 => Self::Settle { version: a },
            109 => Self::NoSession,
            110 => Self::Denied,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let calls = [
            ClientCall::Open,
            ClientCall::Renew,
            ClientCall::Lock { range: 7, exclusive: true, serial: 9 },
            ClientCall::Release { range: 7, grant: 3 },
            ClientCall::Extent { number: 5 },
            ClientCall::Settled { version: 2 },
            ClientCall::Watch,
            ClientCall::Close,
        ];
        for call in calls {
            let called = SessionCall { client: 11, token: 4, call };
            assert_eq!(SessionCall::decode_words(called.encode_words()), Some(called));
            assert_eq!(MetadataReply::decode_words(called.encode_words()), None);
        }
        let map = VolumeMap { first: 1, lanes: 3, stripe: 4096, offset: 512, version: 6 };
        let lease = Span::from_s(30);
        let answers = [
            MetadataReply::Opened { lease, lock_range: 1 << 20, map },
            MetadataReply::Renewed { lease, watched: true },
            MetadataReply::Granted { grant: 8 },
            MetadataReply::Extent { place: 2, offset: 1 << 40, version: 3 },
            MetadataReply::Moved(map),
            MetadataReply::Done,
            MetadataReply::Recall { range: 7, grant: 3 },
            MetadataReply::Settle { version: 2 },
            MetadataReply::NoSession,
            MetadataReply::Denied,
        ];
        for answer in answers {
            assert_eq!(MetadataReply::decode_words(answer.encode_words()), Some(answer));
        }
    }
}
