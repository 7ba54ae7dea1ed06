//! The law of keys: for every key of a component there is a small system with that component in which the key
//! changes a measured value.
//!
//! The keys come from the tables of all kinds (`listed.rs`), other values follow from the form of each key (`values.rs`), and the systems
//! are the files of `systems/` and the shipped scenarios, shortened. `tables.rs` lists the settings that keys need, and the exempt keys
//! with the reason.
//!
//! Each run tries a sample of the keys, chosen by the seed of the commit (`PROPTEST_RNG_SEED`);
//! `cargo test -p sansim-simulator --test keys -- --ignored` tries all keys. `open.txt` lists the keys without a measurable effect in
//! any of these systems: a debt, which may only become smaller. With `SANSIM_RECORD=keys` the long test writes this list again.

mod listed;
mod tables;
mod tried;
mod values;

use listed::Key;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tried::{Came, System};

/// The number of keys of the sample.
const SAMPLE: usize = 20;

/// The environment variable that limits the test to keys whose names begin with one of its words, and lists each of these
/// keys.
const ONLY: &str = "SANSIM_KEYS";

/// The folder to which names of files in the systems are relative.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn systems() -> Vec<System> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/keys/systems");
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(&own).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    names
        .iter()
        .map(|path| System::read(&own, &path.file_name().expect("a name").to_string_lossy()))
        .collect()
}

/// Tries keys on all processors; returns the keys without effect, one line each.
fn dead(keys: &[Key]) -> Vec<String> {
    let systems = systems();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(key) = keys.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (came, last) = tried::tries(key, &systems);
            if std::env::var_os(ONLY).is_some() {
                eprintln!("{}: {came:?} {last}", key.name());
            }
            if let Came::Dead { .. } = came {
                found.lock().expect("no panic").push(format!("{}: {came:?}: {last}", key.name()));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut found = found.into_inner().expect("no panic");
    found.sort();
    found
}

/// The keys to which the law applies.
fn keys() -> Vec<Key> {
    let is_exempt = |key: &Key| tables::EXEMPT.iter().any(|(name, _)| tables::is_it(key, name));
    let only = std::env::var(ONLY).unwrap_or_default();
    let is_meant =
        |key: &Key| only.split_whitespace().any(|word| key.name().starts_with(word)) || only.is_empty();
    listed::all().into_iter().filter(|key| !is_exempt(key) && is_meant(key)).collect()
}

/// The keys that have no effect in any system yet, by their names: `open.txt`.
fn open() -> BTreeSet<String> {
    std::fs::read_to_string(open_file()).expect("a list").lines().map(str::to_owned).collect()
}

fn open_file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/keys/open.txt")
}

#[test]
fn a_sample_of_the_keys_that_changed_something_still_does() {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1_u64);
    let open = open();
    let mut keys: Vec<Key> = keys().into_iter().filter(|key| !open.contains(&key.name())).collect();
    let mut random = sansim_kernel::RandomStream::new(seed, "keys");
    for place in (1..keys.len()).rev() {
        keys.swap(place, random.draw_below(place as u64 + 1) as usize);
    }
    keys.truncate(SAMPLE);
    let dead = dead(&keys);
    assert!(
        dead.is_empty(),
        "seed {seed}: {} of {SAMPLE} keys change nothing:\n{}",
        dead.len(),
        dead.join("\n")
    );
}

#[test]
#[ignore = "long"]
fn every_key_changes_what_is_measured() {
    let keys = keys();
    let dead = dead(&keys);
    let names: BTreeSet<String> =
        dead.iter().filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect();
    if std::env::var_os("SANSIM_RECORD").is_some() {
        let list: String = names.iter().map(|name| format!("{name}\n")).collect();
        std::fs::write(open_file(), list).expect("written");
    }
    let open = open();
    let new: Vec<&String> = dead
        .iter()
        .filter(|line| line.split_once(": ").is_none_or(|(name, _)| !open.contains(name)))
        .collect();
    assert!(new.is_empty(), "{} of {} keys change nothing: {new:#?}", new.len(), keys.len());
}

#[test]
#[ignore = "a list of all keys, to be read with --nocapture"]
fn the_names_of_all_keys() {
    keys().iter().for_each(|key| println!("key {}", key.name()));
}

#[test]
fn every_open_key_is_a_key_that_is_not_exempt() {
    let names: BTreeSet<String> = keys().iter().map(Key::name).collect();
    for name in open() {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn at_most_a_tenth_of_the_keys_is_exempt_and_each_for_a_reason() {
    let all = listed::all();
    for (name, reason) in tables::EXEMPT {
        assert!(all.iter().any(|key| tables::is_it(key, name)), "there is no key {name}");
        assert!(reason.len() > 10, "{name}: {reason}");
    }
    // A key that acts only in some state has a test of its own, which its reason names; the others are few.
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let named = |reason: &str| reason.split('`').find(|part| part.ends_with(".rs")).map(str::to_owned);
    let has_own_test = |reason: &str| named(reason).is_some_and(|file| tests.join(file).exists());
    for (name, reason) in tables::EXEMPT.iter().filter(|(_, reason)| named(reason).is_some()) {
        assert!(has_own_test(reason), "{name}: {reason}");
    }
    let reason_of = |key: &Key| {
        tables::EXEMPT.iter().find(|(name, _)| tables::is_it(key, name)).map(|(_, reason)| *reason)
    };
    let exempt = all.iter().filter_map(reason_of).filter(|reason| !has_own_test(reason)).count();
    assert!(
        exempt * 10 <= all.len(),
        "{exempt} of {} keys are exempt without a test of their own",
        all.len()
    );
    for name in tables::NEEDS.iter().map(|(name, _)| name).chain(tables::VALUES.iter().map(|(name, _)| name))
    {
        assert!(all.iter().any(|key| tables::is_it(key, name)), "there is no key {name}");
    }
}
