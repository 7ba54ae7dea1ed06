//! Formulas of queueing theory for tests.

/// The probability that all servers are busy, by Erlang's second formula.
pub fn erlang_c(load: f64, servers: u32) -> f64 {
    let offered = load * f64::from(servers);
    let blocked = (1..=servers).fold(1.0, |b, c| offered * b / (f64::from(c) + offered * b));
    blocked / (1.0 - load * (1.0 - blocked))
}
