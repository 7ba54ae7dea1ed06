//! The bytes of initialisation frames.
//!
//! Source: Fujitsu MAT3300FC interface specification (C141-C008), 1.8, for the header; Hitachi Ultrastar 15K450 (FC-AL) specification,
//! table 253, and Seagate Fibre Channel Interface Manual (77767496, rev. D), 8.1, for the payloads. tshark names these frames by the code
//! of TEST, which is that of their first byte.

use super::{Capture, Content, Packet};
use sansim_fc::al_pa::AlPa;
use sansim_fc::initialisation_frame::{InitialisationFrame, InitialisationUnit, place_in_bit_map};
use sansim_fc::wire::{
    EndDelimiter, HEADER_BYTES, Header, StartDelimiter, UNASSIGNED, control, frame_bytes, put_frame,
};
use sansim_fcp::unit::ip::world_wide_name;
use sansim_kernel::Time;
use std::cmp::Reverse;

/// R_CTL of a request of an extended link service.
const EXTENDED_LINK_SERVICE: u8 = 0x22;
/// TYPE of extended link services.
const TYPE_EXTENDED: u8 = 0x01;
/// The address that a port uses before it has one.
const NOT_YET_ASSIGNED: u32 = 0xEF;
/// The bytes of the longest payload.
pub(super) const LONGEST_PAYLOAD: usize = 132;

/// The header of an initialisation frame. Only an FL_Port has its address before.
pub(super) fn header(unit: &InitialisationUnit) -> Header {
    let address = if unit.master == AlPa::FABRIC { 0 } else { NOT_YET_ASSIGNED };
    Header {
        routing: EXTENDED_LINK_SERVICE,
        destination: address,
        class_control: 0,
        source: address,
        kind: TYPE_EXTENDED,
        control: control::FIRST_SEQUENCE | control::LAST_SEQUENCE | control::END_OF_SEQUENCE,
        sequence: 0,
        data_field_control: 0,
        sequence_count: 0,
        originator: UNASSIGNED,
        responder: UNASSIGNED,
        parameter: 0,
    }
}

/// The payload of an initialisation frame on a loop of which these are the addresses, in the order of the loop.
pub(super) fn payload(unit: &InitialisationUnit, on_loop: &[AlPa]) -> [u8; LONGEST_PAYLOAD] {
    let mut bytes = [0; LONGEST_PAYLOAD];
    bytes[..4].copy_from_slice(&unit.frame.identifier());
    let is_entered = |al_pa: AlPa| unit.map >> place_in_bit_map(al_pa) & 1 == 1;
    match unit.frame {
        InitialisationFrame::SelectMaster => {
            bytes[4..12].copy_from_slice(&world_wide_name(unit.master.address()));
        }
        InitialisationFrame::ReportPosition | InitialisationFrame::LoopPosition => {
            bytes[5..].fill(0xFF);
            let first = on_loop.iter().position(|&al_pa| al_pa == unit.master).unwrap_or(0);
            let around = on_loop.iter().cycle().skip(first).take(on_loop.len());
            for (place, al_pa) in around.filter(|&&al_pa| is_entered(al_pa)).enumerate() {
                bytes[4] = place as u8 + 1;
                bytes[5 + place] = al_pa.address_byte();
            }
        }
        // The first bit that is sent has place 0.
        _ => bytes[4..20].copy_from_slice(&unit.map.reverse_bits().to_be_bytes()),
    }
    bytes
}

impl Capture {
    /// An initialisation frame begins at a port. A capture of some I/Os has none, because they belong to no I/O.
    pub(super) fn note_initialisation(&mut self, at: Time, interface: Option<u32>, unit: InitialisationUnit) {
        if let Some(interface) = interface
            && self.only_ios.is_none()
            && self.windows.contains(at)
        {
            self.pending.push(Reverse(Packet { at, interface, content: Content::Initialisation(unit) }));
        }
    }

    /// Writes an initialisation frame.
    pub(super) fn write_initialisation(
        &mut self,
        &Packet { at, interface, .. }: &Packet,
        unit: &InitialisationUnit,
    ) {
        let header = header(unit);
        let network = self.network_of_interface[interface as usize];
        let payload = payload(unit, &self.on_loops[network]);
        let payload = &payload[..unit.frame.payload_bytes() as usize];
        let fits = if self.snapped.is_none() {
            let (start, end) = (StartDelimiter::Initiate, EndDelimiter::Terminate);
            self.container.packet(interface, at, frame_bytes(payload.len()), |out| {
                put_frame(out, start, &header, payload, payload.len(), end);
            })
        } else {
            self.container.packet(interface, at, HEADER_BYTES + payload.len(), |out| {
                out.extend_from_slice(&header.header_for_payload(payload.len()).wire_bytes());
                out.extend_from_slice(payload);
            })
        };
        self.counts.interfaces[interface as usize].initialisation += u64::from(fits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn al_pa(value: u8) -> AlPa {
        AlPa::new(value).expect("a valid address")
    }

    fn unit(frame: InitialisationFrame, entered: &[u8]) -> InitialisationUnit {
        let map = entered.iter().fold(0, |map, &value| map | 1 << place_in_bit_map(al_pa(value)));
        InitialisationUnit { frame, map, master: al_pa(0x01) }
    }

    /// Seagate manual, 8.1: the L bit is first; 00, 01, 02 and 04 follow it, and EF is the last bit.
    #[test]
    fn bits_are_in_the_order_of_the_standard() {
        let bytes = payload(&unit(InitialisationFrame::SoftAssigned, &[0x00, 0x04, 0xEF]), &[]);
        assert_eq!(bytes[..4], [0x11, 0x05, 0x01, 0x00]);
        assert_eq!(bytes[4], 0b0100_1000);
        assert_eq!(bytes[5..19], [0; 14]);
        assert_eq!(bytes[19], 0b0000_0001);
    }

    #[test]
    fn positions_begin_with_the_master() {
        let on_loop = [0x02, 0xEF, 0x01, 0x04].map(al_pa);
        let bytes = payload(&unit(InitialisationFrame::LoopPosition, &[0x01, 0x02, 0x04]), &on_loop);
        assert_eq!(bytes[..9], [0x11, 0x07, 0, 0, 3, 0x01, 0x04, 0x02, 0xFF]);
        assert_eq!(header(&unit(InitialisationFrame::LoopPosition, &[])).control, 0x38_0000);
    }
}
