//! The lines that a trace shows, and those on which it begins: by kind, by address and by I/O.

use super::edge::{LineKinds, PortChange};
use super::runs::LineRun;
use sansim_fc::al_pa::AlPa;
use sansim_fc::word::{FillWord, PrimitiveSignal};
use sansim_pdu::Address;

/// A condition on the lines of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFilter {
    /// The kinds of lines.
    pub kinds: LineKinds,
    /// The addresses of which a line must bear one, as source or destination of a frame, in OPN or in ARB(x); with `None`, any line
    /// fits.
    pub addresses: Option<Vec<Address>>,
    /// The I/Os to which frames must belong, by number in order of issue; with `None`, any line fits.
    pub ios: Option<Vec<u64>>,
}

impl LineFilter {
    /// The filter that every line passes.
    pub const ALL: Self = Self { kinds: LineKinds::ALL, addresses: None, ios: None };

    /// Whether a run of words, a signal or a frame fits. A change of state fits nothing but is shown by itself.
    pub fn fits(&self, run: &LineRun) -> bool {
        match run.what {
            PortChange::Fill(fill) => {
                self.kinds.shows_fill(fill) && self.ios.is_none() && self.bears(|| fill_address(fill))
            }
            PortChange::Signal(signal) => {
                self.kinds.shows_signal(signal)
                    && self.ios.is_none()
                    && self.bears(|| signal_addresses(signal))
            }
            // Initialisation frames bear AL_PAs in bit maps only.
            PortChange::Initialisation(_) => {
                self.kinds.other_signals && self.ios.is_none() && self.addresses.is_none()
            }
            PortChange::Frame(frame, io, _) => {
                self.kinds.shows(frame.kind)
                    && self.ios.as_ref().is_none_or(|chosen| chosen.contains(&io))
                    && self.bears(|| [Some(frame.source), Some(frame.destination)])
            }
            PortChange::State(_) | PortChange::Resumes { .. } | PortChange::Pauses => false,
        }
    }

    fn bears(&self, borne: impl FnOnce() -> [Option<Address>; 2]) -> bool {
        let Some(wanted) = &self.addresses else { return true };
        borne().into_iter().flatten().any(|borne| wanted.iter().any(|&wanted| is_meant(wanted, borne)))
    }
}

/// Whether an address is the wanted one. Ordered sets bear the AL_PA alone, and users write it, so one of the two may lack domain and
/// area.
fn is_meant(wanted: Address, borne: Address) -> bool {
    let (wanted, borne) = (wanted.value(), borne.value());
    wanted == borne || ((wanted <= 0xFF || borne <= 0xFF) && wanted & 0xFF == borne & 0xFF)
}

fn fill_address(fill: FillWord) -> [Option<Address>; 2] {
    match fill {
        FillWord::Arb(x) => [Some(x.address()), None],
        FillWord::Idle | FillWord::ArbF0 => [None; 2],
    }
}

fn signal_addresses(signal: PrimitiveSignal) -> [Option<Address>; 2] {
    match signal {
        PrimitiveSignal::Open { destination, source } => {
            [Some(destination.address()), source.map(AlPa::address)]
        }
        _ => [None; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_fc::frame::{Frame, Pdu};
    use sansim_fc::wire::StartDelimiter;
    use sansim_kernel::Time;

    fn run(what: PortChange) -> LineRun {
        LineRun { start: Time::ZERO, station: 0, what, count: 1 }
    }

    fn al_pa(byte: u8) -> AlPa {
        AlPa::new(byte).expect("valid")
    }

    fn frame(source: u32, destination: u32, io: u64) -> LineRun {
        let pdu =
            Pdu { source: Address::new(source), destination: Address::new(destination), ..Pdu::example() };
        run(PortChange::Frame(Frame::from(pdu), io, StartDelimiter::Normal))
    }

    #[test]
    fn an_address_is_looked_for_in_frames_opn_and_arb_and_no_other_word_bears_one() {
        let filter = LineFilter { addresses: Some(vec![Address::new(0xE1)]), ..LineFilter::ALL };
        let open = |source| PortChange::Signal(PrimitiveSignal::Open { destination: al_pa(0xE1), source });
        for (fits, shown) in [
            (true, frame(0x01, 0xE1, 0)),
            (true, frame(0x01_00_E1, 0x02_00_01, 0)),
            (false, frame(0x01, 0xE2, 0)),
            (true, run(open(None))),
            (true, run(open(Some(al_pa(0x01))))),
            (true, run(PortChange::Fill(FillWord::Arb(al_pa(0xE1))))),
            (false, run(PortChange::Fill(FillWord::Arb(al_pa(0xE2))))),
            (false, run(PortChange::Fill(FillWord::ArbF0))),
            (false, run(PortChange::Fill(FillWord::Idle))),
            (false, run(PortChange::Signal(PrimitiveSignal::Close))),
            (false, run(PortChange::Signal(PrimitiveSignal::ReceiverReady))),
        ] {
            assert_eq!(filter.fits(&shown), fits, "{shown:?}");
        }
    }

    #[test]
    fn kinds_addresses_and_ios_hold_together() {
        let kinds = LineKinds { data: true, open: true, ..LineKinds::NONE };
        let filter = LineFilter { kinds, addresses: Some(vec![Address::new(0x01)]), ios: Some(vec![7]) };
        assert!(filter.fits(&frame(0x01, 0xE1, 7)));
        assert!(!filter.fits(&frame(0x01, 0xE1, 8)), "another I/O");
        assert!(!filter.fits(&frame(0xE2, 0xE1, 7)), "other addresses");
        let open = PrimitiveSignal::Open { destination: al_pa(0x01), source: None };
        assert!(!filter.fits(&run(PortChange::Signal(open))), "an ordered set belongs to no I/O");
        let any_io = LineFilter { ios: None, ..filter };
        assert!(any_io.fits(&run(PortChange::Signal(open))));
        assert!(!any_io.fits(&run(PortChange::Signal(PrimitiveSignal::Close))), "another kind");
    }

    #[test]
    fn each_kind_has_a_word_and_all_words_together_are_all_kinds() {
        let all = LineKinds::WORDS.iter().fold(LineKinds::NONE, |all, (_, kinds)| all.union(*kinds));
        assert_eq!(all, LineKinds::ALL);
    }
}
