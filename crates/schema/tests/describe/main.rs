//! The integration tests of this crate, in one program: separate programs would each have to be built and linked.

mod distribution;
mod file_name;
mod outline;
mod table;
mod variants;
