//! The consequences of each event in the world of the test.

use super::world::{Asked, Good, Next, World};
use sansim_component::Message;
use sansim_component::bench::{InputEffects, sample_read};
use sansim_request::{Request, RequestId};

impl World {
    pub(super) fn carry_out(&mut self, next: Next) {
        match next {
            Next::Call { asked, unit, words } => {
                let request = Request { device: unit, ..sample_read(0, 512) };
                let number = self.controller.open_request(self.now, request);
                self.controller.requests_mut().set_message_words(number, words);
                self.calls.insert(number, asked);
                let did = self.controller.receive(self.now, 0, Message::Request(number, self.now));
                self.follow_controller(&did);
            }
            Next::Answer { asked: Asked { client, id, serial }, status, words } => {
                if self.open.get(&(client, id)) == Some(&serial) {
                    self.open.remove(&(client, id));
                    if let Some(words) = words {
                        self.clients[client].requests_mut().set_message_words(id, words);
                    }
                    self.done(client, id, status);
                }
            }
            Next::GivenUp { asked } => {
                let number = self.calls.iter().find(|(_, other)| **other == asked).map(|(&number, _)| number);
                if let Some(number) = number {
                    let did = self.controller.receive(self.now, 0, Message::Abort(number));
                    self.follow_controller(&did);
                }
            }
            Next::Device { asked: Asked { client, id, serial }, status } => {
                if self.accesses.get(&(client, id)).is_some_and(|access| access.serial == serial) {
                    self.accesses.remove(&(client, id));
                    self.done(client, id, status);
                }
            }
            Next::Ask { client } => {
                if !self.calm {
                    let did = self.asks(client);
                    self.follow_client(client, &did);
                }
            }
            Next::Abort { client } => {
                let which = self.draw(self.wanted[client].len() as u64) as usize;
                if let Some(&id) = self.wanted[client].get(which) {
                    let did = self.clients[client].receive(self.now, Next::HOST, Message::Abort(id));
                    self.follow_client(client, &did);
                }
            }
            Next::Thing { thing, works } => self.thing(thing, works),
        }
    }

    fn done(&mut self, client: usize, id: RequestId, status: Good) {
        let message = Message::Done(id, status.status());
        let did = self.clients[client].receive(self.now, Next::NETWORK, message);
        self.follow_client(client, &did);
    }

    /// Follows up the events of the controller: its answers are sent, or get lost.
    pub(super) fn follow_controller(&mut self, did: &InputEffects) {
        for (number, status) in did.sent_answers() {
            let words = self.controller.requests_mut().take_message_words(number);
            let did = self.controller.close_request(self.now, 0, number);
            assert!(did.sent.is_empty());
            let Some(asked) = self.calls.remove(&number) else { panic!("an answer to nobody") };
            let status = match status {
                sansim_request::Status::Good => Good::Yes,
                sansim_request::Status::Aborted => Good::Aborted,
                _ => Good::Failed,
            };
            let lost = self.happens(self.loss);
            let after = 1 + self.draw(300);
            if !lost {
                self.plan(after, Next::Answer { asked, status, words });
            }
        }
    }

    /// Follows up the events of a client.
    pub(super) fn follow_client(&mut self, client: usize, did: &InputEffects) {
        for &(port, message) in &did.sent {
            match message {
                Message::WriteCredit(id, upto) if port == Next::HOST => {
                    let did = self.clients[client].receive(self.now, port, Message::WriteDataUpTo(id, upto));
                    self.follow_client(client, &did);
                }
                Message::Done(id, _) if port == Next::HOST => {
                    self.answered += 1;
                    self.wanted[client].retain(|&other| other != id);
                    let did = self.clients[client].close_request(self.now, port, id);
                    self.follow_client(client, &did);
                    let at = self.draw(3_000);
                    self.plan(at, Next::Ask { client });
                    if self.happens(5) {
                        let at = self.draw(1_000);
                        self.plan(at, Next::Abort { client });
                    }
                }
                Message::Request(id, _) => self.sent(client, id),
                Message::Abort(id) => self.given_up(client, id),
                _ => {}
            }
        }
    }

    /// A client has sent a message to the controller, or a request to a device.
    fn sent(&mut self, client: usize, id: RequestId) {
        let request = *self.clients[client].requests().request(id);
        if request.device < Next::UNITS {
            self.begins(client, id);
            let after = 20 + self.draw(1_500);
            let status = if self.happens(2) { Good::Failed } else { Good::Yes };
            let asked = Asked { client, id, serial: self.count };
            self.plan(after, Next::Device { asked, status });
            return;
        }
        let serial = self.order;
        self.order += 1;
        self.open.insert((client, id), serial);
        let Some(words) = self.clients[client].requests().message_words(id) else {
            panic!("a message that says nothing")
        };
        let asked = Asked { client, id, serial };
        let call = Next::Call { asked, unit: request.device, words };
        let (lost, late) = (self.happens(self.loss), self.happens(self.late));
        let (soon, once_more) = (1 + self.draw(300), self.draw(8_000));
        if !lost {
            self.plan(soon, call);
        }
        if late {
            // The message stayed in flight until it was aborted, so its answer is dropped.
            let nobody = Asked { client: usize::MAX, ..asked };
            self.plan(once_more, Next::Call { asked: nobody, unit: request.device, words });
        }
    }

    /// A client aborts a message or a request.
    fn given_up(&mut self, client: usize, id: RequestId) {
        let after = 1 + self.draw(200);
        if let Some(access) = self.accesses.get_mut(&(client, id)) {
            if !std::mem::replace(&mut access.stops, true) {
                let asked = Asked { client, id, serial: access.serial };
                let stops = 1 + self.draw(Next::STOPS_WITHIN);
                self.plan(stops, Next::Device { asked, status: Good::Aborted });
            }
        } else if let Some(&serial) = self.open.get(&(client, id)) {
            let asked = Asked { client, id, serial };
            self.plan(after, Next::Answer { asked, status: Good::Aborted, words: None });
            if !self.happens(self.loss) {
                let at = self.draw(400);
                self.plan(at, Next::GivenUp { asked });
            }
        }
    }
}
