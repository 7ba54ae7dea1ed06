//! Storage controllers: a [`controller`] joins two networks, alone or as one of a pair; its [`resources`] (processors, bridge, system bus, memory,
//! and the link of a pair) are shared by all modules in it.
#![forbid(unsafe_code)]

pub mod controller;
pub mod resources;
