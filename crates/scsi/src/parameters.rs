//! The keys of a parallel SCSI bus.

use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{ByteRate, Choice, Count, Dimensioned, Fraction, ListOf, NameList, Time};
use sansim_schema::{codes, table, words};

/// The components at its connectors.
const STATIONS: NameList = NameList { example: r#"["host", "drives"]"# };

/// Data rates from a kilobyte to a terabyte per second are accepted.
const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000) };

words! {
    /// How fast and how wide a bus is, by the name under which it was sold.
    pub enum BusSpeed {
        /// 5 MB/s, 8 bits.
        Scsi1 = "scsi-1",
        /// 10 MB/s, 8 bits.
        Fast = "fast",
        /// 20 MB/s, 16 bits.
        FastWide = "fast-wide",
        /// 20 MB/s, 8 bits.
        Ultra = "ultra",
        /// 40 MB/s, 16 bits.
        UltraWide = "ultra-wide",
        /// 40 MB/s, 8 bits.
        Ultra2 = "ultra2",
        /// 80 MB/s, 16 bits.
        Ultra2Wide = "ultra2-wide",
        /// 160 MB/s, 16 bits.
        Ultra160 = "ultra160",
        /// 320 MB/s, 16 bits.
        Ultra320 = "ultra320",
    }
}

words! {
    /// The source of the times of a connection other than those of its data.
    pub enum ConnectionOverheads {
        /// The delays of the standard.
        Standard = "standard",
        /// 500 us of arbitration and 500 us of clean-up.
        Friedman = "friedman",
    }
}

impl BusSpeed {
    /// Synchronous rate in bytes per second.
    pub fn bytes_per_second(self) -> u64 {
        let megabytes = match self {
            Self::Scsi1 => 5,
            Self::Fast => 10,
            Self::FastWide | Self::Ultra => 20,
            Self::UltraWide | Self::Ultra2 => 40,
            Self::Ultra2Wide => 80,
            Self::Ultra160 => 160,
            Self::Ultra320 => 320,
        };
        megabytes * 1_000_000
    }

    /// The number of SCSI IDs: one for each data line.
    pub fn id_count(self) -> usize {
        match self {
            Self::Scsi1 | Self::Fast | Self::Ultra | Self::Ultra2 => 8,
            Self::FastWide | Self::UltraWide | Self::Ultra2Wide | Self::Ultra160 | Self::Ultra320 => 16,
        }
    }
}

impl ConnectionOverheads {
    /// The time from a free bus to the first message. The standard gives this time as bus free delay (800 ns), arbitration delay (2.4 us),
    /// bus clear delay and bus settle delay of the winner (800 and 400 ns), two deskew delays before the selection and two after it (45 ns
    /// each).
    pub fn arbitration_time(self) -> Span {
        match self {
            Self::Standard => Span::from_ns(800 + 2_400 + 800 + 400 + 4 * 45),
            Self::Friedman => Span::from_us(500),
        }
    }

    /// The time from the last message to a bus that all nodes know to be free. By the standard the time to clean up is the bus settle
    /// delay.
    pub fn clean_up_time(self) -> Span {
        match self {
            Self::Standard => Span::from_ns(400),
            Self::Friedman => Span::from_us(500),
        }
    }
}

table! {
    /// A parallel SCSI bus: one connection at a time, between an initiator and a target.
    pub struct ScsiBusParameters {
        /// How fast and how wide it is. `rate` follows it, and so does how many IDs there are.
        speed: BusSpeed = Choice::<BusSpeed>::ANY, required r#""ultra160""#, source "SPI to SPI-4";
        /// Rate of data phases in bytes per second, as target and initiator have agreed on it.
        rate: u64 = RATE, follows "`speed`" |_context| speed.bytes_per_second(), source "SPI to SPI-4";
        /// Share of `rate` at which data move in data phases. Less than 1 models pauses between REQ and ACK.
        efficiency: f64 = Fraction, default "1.0", source "Friedman, Fibre Channel performance: 0.5 of the rated speed is all that is reached";
        /// Whose word is taken for `arbitration` and `clean_up`.
        overheads: ConnectionOverheads = Choice::<ConnectionOverheads>::ANY, default r#""standard""#, source "SPI-3; Friedman, Fibre Channel protocol";
        /// From a free bus to the first message of a connection: arbitration, and selection or reselection.
        arbitration: Span = Time::ANY, follows "`overheads`: 4.58 us by the standard, 500 us by Friedman" |_context| overheads.arbitration_time(), source "SPI-3, bus control timing values; Friedman, Fibre Channel protocol";
        /// From the last message of a connection to a free bus.
        clean_up: Span = Time::ANY, follows "`overheads`: 400 ns by the standard, 500 us by Friedman" |_context| overheads.clean_up_time(), source "SPI-3, bus settle delay; Friedman, Fibre Channel protocol";
        /// Time of a byte of a message, a command or a status, each of which is transferred by a handshake of its own. The standard gives no
        /// time, because both ends set the pace.
        control_byte: Span = Time::ANY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// How long a target that has nothing to send keeps the bus until it disconnects. With `"never"` it keeps the bus until its status
        /// has gone.
        disconnect_after: Option<Span> = Time::ANY.or("never"), default r#""0 ns""#, source "ours: a target that has nothing to send leaves the bus to others";
        /// SCSI IDs of the components at the bus, in the order of `stations`, member by member. Without any those that send commands have
        /// the first of 7 to 0 and 15 to 8, then the others: in this order they win the arbitration.
        ids: Vec<u8> = ListOf::between(0, 16, Count::<u8>::between(0, 15)), default "[]", source "SPI-3: 7 has the highest priority, then 6 to 0, then 15 to 8";
        /// The components at the bus.
        stations: Vec<String> = STATIONS, required r#"["host", "drives"]"#, source "";
    }
    checks(check_efficiency, check_ids)
}

impl ScsiBusParameters {
    /// The time of four bytes in a data phase.
    pub fn word_time(&self) -> Span {
        self.data_phase_time(4)
    }

    /// The time of this number of bytes in a data phase, if both nodes keep up with the bus.
    pub fn data_phase_time(&self, bytes: u64) -> Span {
        // At an efficiency of 1, the usual value, the time is exact to the tick.
        if self.efficiency >= 1.0 {
            return Span::to_move(bytes, self.rate);
        }
        Span::to_move(bytes, ((self.rate as f64 * self.efficiency) as u64).max(1))
    }

    /// The efficiency must not be so low that no data are moved.
    fn check_efficiency(&self, keys: &mut Keys<'_, '_>) {
        if self.efficiency > 0.0 || !keys.all_readable(&["efficiency"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::OUT_OF_RANGE,
            keys.value_position("efficiency"),
            "nothing would ever be moved".to_owned(),
        )
        .with_label("must be more than 0");
        keys.report("efficiency", fault);
    }

    /// Checks that all SCSI IDs differ and that a narrow bus has none above 7.
    fn check_ids(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["speed", "ids"]) {
            return;
        }
        let twice = (1..self.ids.len()).find(|&place| self.ids[..place].contains(&self.ids[place]));
        let wide = self.ids.iter().position(|&id| usize::from(id) >= self.speed.id_count());
        let (place, message, label) = match (twice, wide) {
            (Some(place), _) => (place, "is given to two ports".to_owned(), "given again"),
            (None, Some(place)) => {
                (place, format!("needs 16 bits, and \"{}\" has 8", self.speed), "not on this bus")
            }
            (None, None) => return,
        };
        let message = format!("SCSI ID {} {message}", self.ids[place]);
        let fault =
            Diagnostic::new(codes::CONTRADICTION, keys.value_position("ids"), message).with_label(label);
        keys.report("ids", fault);
    }
}
