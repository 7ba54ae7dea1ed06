//! Random scenarios are changed key by key, to values that their generator seldom or never gives.

/// The text of a scenario with the values of keys replaced by the results of `change`, where it returns any.
fn with_keys(text: &str, change: impl Fn(&str, &str) -> Option<String>) -> String {
    let line = |line: &str| {
        let changed = line.split_once(" = ").and_then(|(key, value)| Some((key, change(key, value)?)));
        changed.map_or_else(|| line.to_owned(), |(key, value)| format!("{key} = {value}"))
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The number that a value begins with.
fn number(value: &str) -> Option<u64> {
    value.trim_matches('"').split(' ').next()?.parse().ok()
}

/// All times become whole words of 20 ns, many of them zero, and all rates such that frames take whole words: many events happen at
/// one instant.
pub fn in_step(text: &str) -> String {
    with_keys(text, |key, value| {
        let pick = |number: u64, of: &[u64], unit: &str| {
            Some(format!("\"{} {unit}\"", of[(number % of.len() as u64) as usize]))
        };
        match key {
            "speed" => Some("\"2GFC\"".to_owned()),
            "word_time" => Some("\"20 ns\"".to_owned()),
            "cable" => pick(number(value)?, &[0, 0, 4, 40], "m"),
            "dma_bandwidth" => pick(number(value)? / 20, &[200, 200, 400, 100, 800], "MB/s"),
            "transfer_rate" => pick(number(value)?, &[200, 400, 50], "MB/s"),
            "max_payload" => pick(number(value)? / 32, &[2048, 2048, 1024], "B"),
            "size" => pick(number(value)?, &[16_384, 65_536, 40_000, 131_072], "B"),
            _ if value.ends_with(" ns\"") => {
                pick(number(value)?, &[0, 0, 20, 0, 100, 120, 1000, 10_240, 10_540], "ns")
            }
            _ => None,
        }
    })
}

/// The scenario with this many times the buffers and bytes, and with cables of up to `metres`.
pub fn larger(text: &str, buffers: u64, bytes: u64, metres: u64) -> String {
    with_keys(text, |key, value| match key {
        "incoming_buffers" | "login_credit" => Some((number(value)? * buffers).to_string()),
        "size" => Some(format!("\"{} B\"", number(value)? * bytes)),
        "cable" if value == "\"0 m\"" => Some(format!("\"{} m\"", metres / 3)),
        "cable" => Some(format!("\"{} m\"", number(value)? * metres / 2000)),
        _ => None,
    })
}

/// The scenario with I/Os of this many times the bytes, cables of up to `metres`, and DMA that keeps up with any loop: frames come
/// at equal intervals.
pub fn at_a_pace(text: &str, bytes: u64, metres: u64) -> String {
    with_keys(&larger(text, 1, bytes, metres), |key, _| match key {
        "dma_bandwidth" => Some("\"1064 MB/s\"".to_owned()),
        _ => None,
    })
}

/// The adapters fetch many short frames on slow loops: a frame reaches the port every few words while the port waits for the
/// loop.
pub fn fetching(text: &str, payload_bytes: u64, buffers: u64) -> String {
    with_keys(text, |key, value| match key {
        "speed" => Some("\"1GFC\"".to_owned()),
        "word_time" => Some("\"exact\"".to_owned()),
        "max_payload" => Some(format!("\"{payload_bytes} B\"")),
        "outgoing_buffers" => Some((number(value)? + buffers).to_string()),
        "dma_bandwidth" if number(value)? > 100 => Some("\"1064 MB/s\"".to_owned()),
        "dma_order" => Some("\"fcfs\"".to_owned()),
        _ => None,
    })
}

/// The scenario is measured from one simulated time to another, in microseconds, instead of for a number of
/// I/Os.
pub fn timed(text: &str, warm_up_us: u64, duration_us: u64) -> String {
    let timed = with_keys(text, |key, _| (key == "warm_up").then(|| format!("\"{warm_up_us} us\"")));
    let ios = timed.lines().find(|line| line.starts_with("measured_ios")).unwrap_or_default();
    timed.replacen(ios, &format!("duration = \"{duration_us} us\""), 1)
}
