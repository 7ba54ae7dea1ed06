//! Messages between clients and a metadata controller.
//!
//! A message is a read of the client at the device that the controller presents for the volume: the command has the [`Call`], the returned data the
//! [`MetadataReply`]. Every call may be lost, delayed or repeated: each carries the token of its session, and the controller ignores overtaken ones.

use super::map::Map;
use sansim_kernel::Span;
use sansim_request::Words;

/// A call of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A session, with a lease: the client has to be authenticated. Its token is the number of the attempt.
    Open,
    /// A new lease.
    Renew,
    /// A lock on a range.
    Lock {
        /// The range.
        range: u64,
        /// For writing.
        exclusive: bool,
        /// Number of locks requested before, which distinguishes a late call from a new one.
        serial: u64,
    },
    /// A lock is given back.
    Release {
        /// The range.
        range: u64,
        /// The number of the lock.
        grant: u64,
    },
    /// Where a piece of a file is.
    Extent {
        /// The number of the extent.
        number: u64,
    },
    /// No access in flight uses a map older than the one of this number.
    Settled {
        /// The number of the map that comes next.
        version: u64,
    },
    /// A wait for the next notification of the controller.
    Watch,
    /// The end of the session, without accesses in flight.
    Close,
}

/// A call with its client and the token of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// The client.
    pub client: u64,
    /// The token.
    pub token: u64,
    /// The call.
    pub call: Call,
}

/// An answer of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataReply {
    /// There is a session.
    Opened {
        /// How long its lease is, from when it was asked for.
        lease: Span,
        /// How large the ranges are that are locked; 0 if there are no locks.
        lock_range: u64,
        /// Where the volume is.
        map: Map,
    },
    /// The lease is new.
    Renewed {
        /// How long it is.
        lease: Span,
        /// Whether the controller has a watch of the client.
        watched: bool,
    },
    /// The lock is there.
    Granted {
        /// Its number.
        grant: u64,
    },
    /// A piece of a file is there.
    Extent {
        /// The device, by its number among those that the controller manages.
        place: u32,
        /// The first byte there.
        offset: u64,
        /// The number of the map that contains it.
        version: u64,
    },
    /// The volume is there now.
    Moved(Map),
    /// It is done.
    Done,
    /// A lock is wanted back.
    Recall {
        /// The range.
        range: u64,
        /// The number of the lock.
        grant: u64,
    },
    /// The volume goes elsewhere: nothing may begin until the map of this number is there.
    Settle {
        /// See above.
        version: u64,
    },
    /// The session is not there any more, or the call has been overtaken.
    NoSession,
    /// The client may not ask for the volume, or not any more.
    Denied,
}

impl Called {
    /// As words.
    pub fn words(self) -> Words {
        let (code, a, b, c) = match self.call {
            Call::Open => (1, 0, 0, 0),
            Call::Renew => (2, 0, 0, 0),
            Call::Lock { range, exclusive, serial } => (3, range, u64::from(exclusive), serial),
            Call::Release { range, grant } => (4, range, grant, 0),
            Call::Extent { number } => (5, number, 0, 0),
            Call::Settled { version } => (6, version, 0, 0),
            Call::Watch => (7, 0, 0, 0),
            Call::Close => (8, 0, 0, 0),
        };
        [code, self.client, self.token, a, b, c, 0, 0]
    }

    /// The call in these words, if they are one.
    pub fn of([code, client, token, a, b, c, ..]: Words) -> Option<Self> {
        let call = match code {
            1 => Call::Open,
            2 => Call::Renew,
            3 => Call::Lock { range: a, exclusive: b != 0, serial: c },
            4 => Call::Release { range: a, grant: b },
            5 => Call::Extent { number: a },
            6 => Call::Settled { version: a },
            7 => Call::Watch,
            8 => Call::Close,
            _ => return None,
        };
        Some(Self { client, token, call })
    }
}

impl MetadataReply {
    /// As words.
    pub fn words(self) -> Words {
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

    /// The answer in these words, if they are one.
    pub fn of(words: Words) -> Option<Self> {
        let [code, a, b, c, d, e, f, _] = words;
        Some(match code {
            101 => Self::Opened { lease: Span(a), lock_range: b, map: Map::of([c, d, e, f]) },
            102 => Self::Renewed { lease: Span(a), watched: b != 0 },
            103 => Self::Granted { grant: a },
            104 => Self::Extent { place: a as u32, offset: b, version: c },
            105 => Self::Moved(Map::of([a, b, c, d])),
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
            Call::Open,
            Call::Renew,
            Call::Lock { range: 7, exclusive: true, serial: 9 },
            Call::Release { range: 7, grant: 3 },
            Call::Extent { number: 5 },
            Call::Settled { version: 2 },
            Call::Watch,
            Call::Close,
        ];
        for call in calls {
            let called = Called { client: 11, token: 4, call };
            assert_eq!(Called::of(called.words()), Some(called));
            assert_eq!(MetadataReply::of(called.words()), None);
        }
        let map = Map { first: 1, lanes: 3, stripe: 4096, offset: 512, version: 6 };
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
            assert_eq!(MetadataReply::of(answer.words()), Some(answer));
        }
    }
}
