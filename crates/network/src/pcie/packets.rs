//! The packets (TLPs) of NVMe on a link, and their bytes.
//!
//! Each packet has 24 bytes beside its data if it writes or asks for a read, and 20 if it answers a read: 2 bytes of framing, 6 of the data
//! link layer (sequence number and LCRC), and a header of 16 bytes with a 64-bit address or of 12 without one. Sources: PCI Express Base 1.0a,
//! transaction and data link layer; Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018, section 3; Intel
//! AN 855: 5 to 7 words of 4 bytes. DLLPs (acknowledgements, flow control) and skip ordered sets are left out.
//!
//! | step | direction | packets |
//! |---|---|---|
//! | doorbell | to the drive | a write of 4 B |
//! | fetch of the entry, entry | from, to | a read of 64 B, its answer |
//! | fetch of the list, list | from, to | reads of 8 B a page beyond two pages, their answers |
//! | reads of write data, write data | from, to | reads of `max_read_request`, answers of `max_payload` |
//! | read data | from | writes of `max_payload` |
//! | completion | from | a write of 16 B |
//! | interrupt | from | a write of 4 B (MSI-X) |
//! | head doorbell | to the drive | a write of 4 B |

use super::PcieParameters;
use sansim_pdu::{Pdu, PduKind};

/// The bytes of a write or of a request for a read beside its data.
const REQUEST_OVERHEAD: u64 = 24;
/// The bytes of the answer to a read beside its data.
const ANSWER_OVERHEAD: u64 = 20;
/// The bytes of a doorbell, and of an interrupt.
const WORD: u64 = 4;
/// The bytes of a submission queue entry. Source: NVMe; Linux, `struct nvme_command`.
const ENTRY: u64 = 64;
/// The bytes of a completion queue entry. Source: NVMe; Linux, `struct nvme_completion`.
const COMPLETION: u64 = 16;
/// A page of the host's memory, and the bytes of its entry in a list of pages (PRP). Two pages are in the submission queue entry itself.
pub(super) const PAGE: u64 = 4096;
const PAGE_ENTRY: u64 = 8;
const PAGES_IN_ENTRY: u64 = 2;

/// A step of a command on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The host writes the tail of a submission queue.
    Doorbell,
    /// The controller asks for an entry of the queue.
    FetchEntry,
    /// The host's memory answers with the entry.
    Entry,
    /// The controller asks for the list of pages of the data.
    FetchList,
    /// The host's memory answers with the list.
    List,
    /// The controller asks for the data of a write.
    AskData,
    /// The host's memory answers with the data of a write.
    WriteData,
    /// The controller writes the data of a read.
    ReadData,
    /// The controller writes a completion queue entry.
    Completion,
    /// The controller interrupts.
    Interrupt,
    /// The host writes the head of a completion queue.
    HeadDoorbell,
}

impl Step {
    /// Whether the packets go from the host to the drive.
    pub fn goes_to_drive(self) -> bool {
        matches!(self, Self::Doorbell | Self::Entry | Self::List | Self::WriteData | Self::HeadDoorbell)
    }

    /// Whether the memory of the host has to answer.
    pub fn reads_memory(self) -> bool {
        matches!(self, Self::FetchEntry | Self::FetchList | Self::AskData)
    }
}

/// The bytes of a list of pages for this many bytes of data; none if the submission queue entry has all pages. Data begin with a page.
pub(super) fn list_bytes(data: u64) -> Option<u64> {
    let pages = data.div_ceil(PAGE);
    (pages > PAGES_IN_ENTRY).then(|| (pages - 1) * PAGE_ENTRY)
}

/// The sizes of packets on a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct PacketSizes {
    payload: u64,
    read_request: u64,
}

impl PacketSizes {
    pub fn new(parameters: &PcieParameters) -> Self {
        Self { payload: parameters.max_payload, read_request: parameters.max_read_request }
    }

    fn writes(self, data: u64) -> u64 {
        data + REQUEST_OVERHEAD * data.div_ceil(self.payload)
    }

    fn answers(self, data: u64) -> u64 {
        data + ANSWER_OVERHEAD * data.div_ceil(self.payload)
    }

    fn reads(self, data: u64) -> u64 {
        REQUEST_OVERHEAD * data.div_ceil(self.read_request)
    }

    /// The bytes on the link of a step with this many bytes of data: those of a read or write, which move in the step or are asked for.
    pub fn link_bytes(self, step: Step, data: u64) -> u64 {
        match step {
            Step::Doorbell | Step::HeadDoorbell | Step::Interrupt => self.writes(WORD),
            Step::FetchEntry => self.reads(ENTRY),
            Step::Entry => self.answers(ENTRY),
            Step::FetchList => self.reads(list_bytes(data).unwrap_or(0)),
            Step::List => self.answers(list_bytes(data).unwrap_or(0)),
            Step::AskData => self.reads(data),
            Step::WriteData => self.answers(data),
            Step::ReadData => self.writes(data),
            Step::Completion => self.writes(COMPLETION),
        }
    }
}

/// The first step of a unit that its sender hands over.
pub(super) fn first_step(unit: &Pdu) -> Step {
    match unit.kind {
        PduKind::Command | PduKind::Abort => Step::Doorbell,
        PduKind::TransferReady => Step::AskData,
        PduKind::Data if unit.write => Step::WriteData,
        PduKind::Data => Step::ReadData,
        _ => Step::Completion,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_on_the_link_are_those_of_the_packets() {
        let sizes = PacketSizes { payload: 256, read_request: 512 };
        let of = |step| sizes.link_bytes(step, 4096);
        // 4 KiB are 16 packets; a read of 4 KiB is asked for by 8.
        assert_eq!(of(Step::ReadData), 4096 + 16 * 24);
        assert_eq!((of(Step::AskData), of(Step::WriteData)), (8 * 24, 4096 + 16 * 20));
        assert_eq!([Step::Doorbell, Step::HeadDoorbell, Step::Interrupt].map(of), [28; 3]);
        assert_eq!((of(Step::FetchEntry), of(Step::Entry), of(Step::Completion)), (24, 84, 40));
        // 128 KiB are 32 pages, of which the entry has the first, and the list the others.
        assert_eq!(list_bytes(128 << 10), Some(31 * 8));
        assert_eq!((list_bytes(8192), list_bytes(8193)), (None, Some(2 * 8)));
        assert_eq!(sizes.link_bytes(Step::List, 128 << 10), 248 + 20);
        assert_eq!(sizes.link_bytes(Step::FetchList, 128 << 10), 24);
        // A list of 1 MiB has 255 entries, 2040 B: four reads, eight answers.
        assert_eq!(sizes.link_bytes(Step::FetchList, 1 << 20), 4 * 24);
        assert_eq!(sizes.link_bytes(Step::List, 1 << 20), 2040 + 8 * 20);
    }
}
