//! Logins: an initiator that is not logged in with a target sends PLOGI and PRLI before the first command to it, and ADISC after the
//! initialisation of a loop.
//!
//! Sources: FC-LS (PLOGI, PRLI, ADISC, LS_ACC; the answer to a link service is awaited for 2 R_A_TOV); FCP-4, 6.3 (process login); Linux,
//! `drivers/scsi/libfc/fc_rport.c` and `include/uapi/scsi/fc/fc_els.h` (layouts); Hitachi Ultrastar 15K450, 17.3.7 and 17.3.8, and Seagate,
//! Fibre Channel Interface, 9.2.10 (logins after LIP).
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
//! The commands for the target wait until the last step of the login has been answered (`steps.rs`): of FCP until LS_ACC to PRLI has come, two round trips. After a logout and a reset PLOGI is sent at once, or
//! when the reset is over, because the exchanges that this end has given up go on at the target: PLOGI, or the first step of another protocol, ends them there (FC-LS, implicit
//! logout), and then the host gets its requests back. With `explicit_logout` the initiator says before it logs in again that the target
//! is logged out (LOGO), which ends them there, too. It says so once, and goes on without an answer after `abort_answer_time`.
//!
//! After an initialisation of the loop the ports keep their addresses, and with them their logins: initiator and target "can continue where they
//! left off", and all open exchanges continue, when the initiator has made sure of that by ADISC within RR_TOV. With `login` an initiator
//! sends ADISC to each target with which it has an exchange, when the loop works again; new commands to the target wait for LS_ACC, one round
//! trip. To a target with which it has no exchange it sends ADISC before the next command. A port that was put into the loop, and is new to
//! the others, is logged in by PLOGI and PRLI.
//!
//! Assumptions: an initialisation resets no port, and no port takes the address of another; ADISC without an answer is sent again, and the
//! target waits for it; data of open exchanges do not wait for ADISC. Logins take frame time and no time of a main processor; ports that are logged out know their addresses. Fabric login (FLOGI)
//! and the query of the name server are left out. The repair of a target's adapter costs no login.

mod answers;
mod asks;
mod steps;

pub(crate) use asks::Logins;
pub(crate) use steps::LoginProtocol;
