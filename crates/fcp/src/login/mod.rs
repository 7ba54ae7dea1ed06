//! Logins: an initiator that is not logged in with a target sends PLOGI and PRLI before the first command to it.
//!
//! Sources: FC-LS (PLOGI, PRLI, LS_ACC; the answer to a link service is awaited for 2 R_A_TOV); FCP-4, 6.3 (process login); Linux,
//! `drivers/scsi/libfc/fc_rport.c` and `include/uapi/scsi/fc/fc_els.h` (layouts).
//!
//! A run begins with all ports logged in. An initiator is not logged in any more
//!
//! | after | with |
//! |---|---|
//! | the target has left the network, or the initiator itself and come back | `login` |
//! | the repair of the initiator's adapter | `login` |
//! | `logout_aborts` ABTS in turn without an answer: the initiator has logged the target out | always |
//! | a reset of the adapter, the last step of `driver.escalation` | always |
//!
//! The commands for the target wait until LS_ACC to PRLI has come: two round trips. After a logout and a reset PLOGI is sent at once, or
//! when the reset is over, because the exchanges that this end has given up go on at the target: PLOGI ends them there (FC-LS, implicit
//! logout), and then the host gets its requests back.
//!
//! Assumptions: logins take frame time and no time of a main processor; ports that are logged out know their addresses. Fabric login (FLOGI)
//! and the query of the name server are left out. The repair of a target's adapter costs no login.

mod answers;
mod asks;

pub(crate) use asks::Logins;
