//! The bytes of the steps of an association of FC-NVMe.

use super::*;
use sansim_pdu::association;

#[test]
fn steps_of_an_association_are_link_services_and_commands_of_fc_nvme() {
    let io = io(false, 4096, 4096);
    let unit = |kind, status, payload_bytes, burst_bytes| {
        let command_set = CommandSet::Nvme;
        let like = *frame(&io, kind, 0, payload_bytes);
        bytes(&io, &Frame::from(Pdu { status, burst_bytes, command_set, unit: 0, ..like }))
    };
    let (asks, answers) = (PduKind::ServiceRequest, PduKind::ServiceAccept);
    // PRLI has TYPE 28 in its page, and TYPE 01 of its own.
    let prli = unit(asks, link_service::PROCESS_LOGIN, 20, 0x20);
    assert_eq!((prli[4], prli[12], &prli[28..34]), (0x22, 0x01, &[0x20, 16, 0, 20, 0x28, 0][..]));
    // Create Association: list of 1016 bytes with one descriptor of 1008; 1024 bytes are 265 words on the line.
    let create = unit(asks, association::CREATE_ASSOCIATION, 1024, 0);
    assert_eq!((create[4], create[12], create.len()), (0x32, 0x28, 265 * 4));
    assert_eq!(create[28..44], [3, 0, 0, 0, 0, 0, 3, 0xF8, 0, 0, 0, 3, 0, 0, 3, 0xF0]);
    let accepted = unit(answers, association::CREATE_ASSOCIATION, 56, 0);
    assert_eq!((accepted[4], accepted[12], accepted.len()), (0x33, 0x28, 23 * 4));
    assert_eq!((&accepted[28..36], accepted[39], accepted[44]), (&[2, 0, 0, 0, 0, 0, 0, 48][..], 1, 3));
    assert_eq!((accepted[55], accepted[71]), (7, 6), "an association and a connection");
    let connection = unit(answers, association::CREATE_CONNECTION, 40, 0);
    assert_eq!((connection[35], connection[44], connection[55], connection.len()), (32, 4, 6, 19 * 4));
    let connection = unit(asks, association::CREATE_CONNECTION, 80, 0);
    assert_eq!(
        (connection[28], connection[35], connection[39], connection[55], connection[59]),
        (4, 72, 7, 4, 48)
    );
    // Connect is a command of fabrics, for whose data of 1024 bytes the target asks; its response is long.
    let connect = unit(asks, association::CONNECT, 96, 0);
    assert_eq!((connect[4], connect[12], &connect[28..32]), (0x06, 0x08, &[0xFD, 0x28, 0, 24][..]));
    assert_eq!((connect[52], connect[56]), (0x7F, 1));
    let ready = unit(answers, association::CONNECT, 12, 0);
    assert_eq!((ready[4], ready[12], &ready[32..36]), (0x05, 0x08, &[0, 0, 4, 0][..]));
    assert_eq!(unit(asks, association::CONNECT_DATA, 1024, 0)[4], 0x01);
    let response = unit(answers, association::CONNECT_DATA, 32, 0);
    assert_eq!((response[4], response[12], &response[28..32]), (0x08, 0x08, &[0, 0, 0, 8][..]));
}
