//! Buffer space in a drive for the data of writes that are not done, given in the order in which commands come.
//!
//! A command that fits into the buffer gets its space all at once, when enough is free. A command larger than the buffer gets half of the
//! space at a time, so that one half is filled while the other is emptied; later commands get no space before that command has all.

use std::collections::VecDeque;

/// The unit, in bytes, in which buffer space is given.
const UNIT: u64 = 512;

/// A command that waits for buffer space.
#[derive(Clone, Copy, Debug)]
struct Wants {
    number: u32,
    bytes: u64,
    given: u64,
}

/// The buffer space of a drive for the data of writes, given in the order of commands.
#[derive(Clone, Debug)]
pub(crate) struct Intake {
    room: u64,
    free: u64,
    waiting: VecDeque<Wants>,
}

impl Intake {
    /// An intake with this buffer space in bytes, two units at least.
    pub fn new(room: u64) -> Self {
        let room = room.max(2 * UNIT);
        Self { room, free: room, waiting: VecDeque::with_capacity(16) }
    }

    /// The number of bytes by which a command of this size gets buffer space.
    pub fn buffer_grant_bytes(&self, bytes: u64) -> u64 {
        if bytes <= self.room { bytes } else { self.room / 2 / UNIT * UNIT }
    }

    /// A command asks for buffer space.
    pub fn request_buffer_space(&mut self, number: u32, bytes: u64) {
        self.waiting.push_back(Wants { number, bytes, given: 0 });
    }

    /// The number of commands that wait for buffer space.
    pub fn waiting_command_count(&self) -> usize {
        self.waiting.len()
    }

    /// Gives free buffer space to the first waiting command: returns the number of the command, and the byte up to which it has space now.
    /// None if no command gets space.
    pub fn grant_buffer_space(&mut self) -> Option<(u32, u64)> {
        let &Wants { number, bytes, given } = self.waiting.front()?;
        let piece = self.buffer_grant_bytes(bytes).min(bytes - given);
        if piece > self.free {
            return None;
        }
        self.free -= piece;
        let upto = given + piece;
        match self.waiting.front_mut() {
            Some(wants) if upto < bytes => wants.given = upto,
            _ => drop(self.waiting.pop_front()),
        }
        Some((number, upto))
    }

    /// Frees this many bytes of buffer space.
    pub fn free_buffer_space(&mut self, bytes: u64) {
        self.free += bytes;
    }

    /// A command needs no more buffer space.
    pub fn drop_command(&mut self, number: u32) {
        self.waiting.retain(|wants| wants.number != number);
    }

    /// All commands and all data in the buffer are dropped.
    pub fn clear_all(&mut self) {
        self.waiting.clear();
        self.free = self.room;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_in_the_order_in_which_it_was_wanted() {
        let mut intake = Intake::new(4096);
        for (number, bytes) in [(1, 3072), (2, 2048), (3, 512)] {
            intake.request_buffer_space(number, bytes);
        }
        assert_eq!(
            (intake.grant_buffer_space(), intake.grant_buffer_space()),
            (Some((1, 3072)), None),
            "the third does not pass the second"
        );
        intake.free_buffer_space(3072);
        assert_eq!(
            [intake.grant_buffer_space(), intake.grant_buffer_space(), intake.grant_buffer_space()],
            [Some((2, 2048)), Some((3, 512)), None]
        );
    }

    #[test]
    fn what_does_not_fit_has_half_of_the_room_at_a_time() {
        let mut intake = Intake::new(4096);
        intake.request_buffer_space(1, 5000);
        assert_eq!(
            [intake.grant_buffer_space(), intake.grant_buffer_space(), intake.grant_buffer_space()],
            [Some((1, 2048)), Some((1, 4096)), None]
        );
        intake.free_buffer_space(2048);
        assert_eq!((intake.grant_buffer_space(), intake.waiting_command_count()), (Some((1, 5000)), 0));
    }

    #[test]
    fn who_gives_up_keeps_nobody_waiting() {
        let mut intake = Intake::new(4096);
        intake.request_buffer_space(1, 4096);
        assert_eq!(intake.grant_buffer_space(), Some((1, 4096)));
        intake.request_buffer_space(2, 4096);
        intake.request_buffer_space(3, 512);
        intake.drop_command(2);
        intake.free_buffer_space(512);
        assert_eq!(intake.grant_buffer_space(), Some((3, 512)));
    }
}
