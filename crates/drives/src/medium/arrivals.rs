//! Commands, and the data of writes and the lists of deallocations, as they arrive at a drive around a medium.

use super::{DriveComponent, InHand, Medium, MediumCommand};
use sansim_component::{Context, Message};
use sansim_request::{DEALLOCATION_LIST_BYTES, Operation, RequestId, Status};

impl<M: Medium> DriveComponent<M> {
    /// A command arrives.
    pub(super) fn arrive(&mut self, cx: &mut Context<'_>, port: u16, request: RequestId) {
        if self.firmware.turns_away(cx, port, request, self.in_hand.len()) {
            // The firmware may keep the command, and the drive may fail because of it.
            self.go_on(cx);
            return;
        }
        let asked = cx.request(request);
        let operation = asked.operation;
        let command = MediumCommand {
            number: request.0,
            write: asked.is_write(),
            force_unit_access: asked.forces_unit_access(),
            first_byte: asked.first_byte(),
            bytes: asked.bytes,
        };
        let sectors = &mut self.firmware.faults.sectors;
        let readable = match operation {
            Operation::Read => sectors.read_sectors(command.first_byte, command.bytes),
            Operation::Write | Operation::Flush | Operation::Deallocate | Operation::CheckPath => None,
        };
        self.in_hand.push(InHand {
            request,
            port,
            readable,
            there: 0,
            entered: (0, cx.now),
            answered: false,
        });
        let own = self.own_time(cx.now);
        match operation {
            Operation::Read | Operation::Write => self.medium.comes(own, command),
            // Adapters answer the checks of paths; a drive without one treats them as it does a flush.
            Operation::Flush | Operation::CheckPath => self.medium.flush(own, request.0),
            Operation::Deallocate if M::DEALLOCATES => {
                cx.send(port, Message::WriteCredit(request, DEALLOCATION_LIST_BYTES));
            }
            Operation::Deallocate => self.refuse(cx, request),
        }
        self.go_on(cx);
    }

    /// Answers a command that the drive does not know.
    fn refuse(&mut self, cx: &mut Context<'_>, request: RequestId) {
        if let Some(place) = self.place_of(request) {
            self.in_hand[place].answered = true;
            cx.answer(self.in_hand[place].port, request, Status::Refused);
        }
    }

    /// The data of a write have come up to this byte; or the list of a deallocation has come.
    pub(super) fn data_in(&mut self, cx: &mut Context<'_>, request: RequestId, upto: u64) {
        let Some(place) = self.place_of(request) else { return };
        let own = self.own_time(cx.now);
        let asked = cx.request(request);
        if asked.operation == Operation::Deallocate {
            if !self.in_hand[place].answered {
                let bytes = asked.first_byte()..asked.first_byte() + asked.bytes;
                self.medium.deallocate(own, request.0, bytes);
            }
        } else {
            self.medium.data_in(own, request.0, upto);
        }
        self.go_on(cx);
    }
}
