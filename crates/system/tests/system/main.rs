//! Whole systems: a file for each thing that holds of them.
//!
//! They are one program (but for those that need an allocator of their own, and those that `./dev test --quick` runs), for that is built and linked once, and its tests are run side by side whatever file they are in. Those of one
//! file: `cargo test -p sansim-system --test system trains::`.

#![allow(missing_docs)]

mod common;

mod array_formulas;
mod bounds;
mod bridge;
mod buses;
mod cache;
mod capture;
mod catalogue;
mod circuit_laws;
mod circuit_loop;
mod class_2;
mod closed_network;
mod conservation;
mod data_sheet;
mod determinism;
mod direct;
mod distance;
mod drives;
mod dual_fabric;
mod durability;
mod end_of_time;
mod errors;
mod fabric;
mod fabric_laws;
mod fabric_ledger;
mod fabric_rules;
mod failing_drives;
mod failing_enclosures;
mod failing_ways;
mod figure_5_2;
mod fl_port;
mod graph_laws;
mod grid;
mod host_queues;
mod ip_ports;
mod laws;
mod ledger_law;
mod ledger_of_graphs;
mod limits;
mod listeners;
mod lock_step;
mod loop_latency;
mod loop_switch;
mod lost_frames;
mod measured_interval;
mod mirror;
mod mirrored_arrays;
mod mirrored_controllers;
mod multipath;
mod one_to_one;
mod open_laws;
mod open_queues;
mod outstanding_limit;
mod overload;
mod ownership;
mod per_host;
mod processors;
mod raid;
mod random_errors;
mod random_fabrics;
mod random_failures_of_ways;
mod random_stacks;
mod referee;
mod replay;
mod replay_volumes;
mod sequential_drives;
mod simultaneous_events;
mod stacked_arrays;
mod statistics;
mod storage_controller;
mod table_6_5;
mod trains;
mod two_loops;
mod two_message;
mod utilisation;
mod volumes;
mod warm_up;
mod warm_up_of_stacks;
mod write_hole;
mod zones;
