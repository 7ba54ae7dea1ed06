//! The decisions about a frame that joins the queue of a loop port, for each of which a user may write a rule.

use sansim_schema::decision;

/// Declares one of the decisions about a frame that joins the queue, all of which see the same.
macro_rules! frame_decision {
    ($(#[doc = $doc:literal])* $static:ident = $name:literal, $common:ident, $each:ident, $urgent:literal) => {
        decision! {
            $(#[doc = $doc])*
            pub static $static = $name;
            /// The frame that joins the queue, and the port.
            common $common {
                /// The time of the choice.
                now: "ns",
                /// 1 for a command, 0 otherwise.
                command: "",
                /// 1 for a request for the data of a write (FCP_XFER_RDY), 0 otherwise.
                transfer_ready: "",
                /// 1 for a status (FCP_RSP), 0 otherwise.
                response: "",
                /// 1 for a frame of a write, 0 otherwise.
                write: "",
                /// Address of the destination on the loop.
                destination: "",
                /// Frames in the queue of the port.
                waiting: "",
                /// Frames of the queue that go before others.
                urgent_waiting: "",
                /// 1 if the port has its access window, 0 otherwise.
                access: "",
                /// 1 if the port has won the loop, 0 otherwise.
                owner: "",
                /// 1 if the port is in a circuit with the destination, 2 if it is in a circuit with another port, 0 if it is in none.
                circuit: "",
            }
            /// A treatment of the frame.
            each $each {
                #[doc = $urgent]
                urgent: "",
            }
        }
    };
}

frame_decision!(
    /// The choice whether a frame goes before others in the queue of a loop port.
    LOOP_QUEUE = "loop-queue",
    QueueFrame,
    QueueTreatment,
    "0 if the frame waits for its turn, 1 if it goes before those that do."
);
frame_decision!(
    /// The choice whether a loop port arbitrates for a frame without regard to its access window.
    LOOP_ACCESS = "loop-access",
    AccessFrame,
    AccessTreatment,
    "0 if the port waits for its access window, 1 if it does not."
);
frame_decision!(
    /// The choice whether a frame that goes before others ends the circuit of its loop port with another port.
    LOOP_CIRCUIT = "loop-circuit",
    CircuitFrame,
    CircuitTreatment,
    "0 if the circuit goes on, 1 if the frame ends it."
);
