//! Passes to the crate a fingerprint of all sources on which a result depends, so that a stored result is never reused with another version
//! of the sources.
//!
//! `./dev with CRATE` builds this crate with rules of the user's crate, as the crate `with_rules`. It names the folder of the user's crate in `SANSIM_WITH_RULES`, and
//! the folder of the crates of sansim in `SANSIM_CRATES`, because the manifest is elsewhere then.
//!
//! The fingerprint covers the Rust sources of every crate of the workspace and the versions of all dependencies: 64-bit FNV-1a over the
//! files in the order of their paths. The sources of a package (sdist) give the same fingerprint as those of the repository.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo:rustc-check-cfg=cfg(sansim_with_rules)");
    println!("cargo:rerun-if-env-changed=SANSIM_CRATES");
    println!("cargo:rerun-if-env-changed=SANSIM_WITH_RULES");
    let crates = match std::env::var_os("SANSIM_CRATES") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
    };
    let mut files = Vec::new();
    if let Some(with_rules) = std::env::var_os("SANSIM_WITH_RULES") {
        println!("cargo:rustc-cfg=sansim_with_rules");
        let sources = Path::new(&with_rules).join("src");
        println!("cargo:rerun-if-changed={}", sources.display());
        collect(&sources, &mut files)?;
    }
    for entry in fs::read_dir(&crates)? {
        let sources = entry?.path().join("src");
        if sources.is_dir() {
            println!("cargo:rerun-if-changed={}", sources.display());
            collect(&sources, &mut files)?;
        }
    }
    let lock = crates.join("../Cargo.lock");
    if lock.is_file() {
        println!("cargo:rerun-if-changed={}", lock.display());
        files.push(lock);
    }
    // Paths are relative to the crates and have the same separator on every operating system.
    let mut named: Vec<(String, PathBuf)> = files
        .into_iter()
        .map(|file| {
            let parts = file.strip_prefix(&crates).unwrap_or(&file).components();
            let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            (parts.join("/"), file)
        })
        .collect();
    named.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for (name, file) in &named {
        let content = fs::read(file)?;
        add(&mut hash, name.as_bytes());
        add(&mut hash, &(content.len() as u64).to_le_bytes());
        add(&mut hash, &content);
    }
    println!("cargo:rustc-env=SANSIM_MODEL_FINGERPRINT={hash:016x}");
    Ok(())
}

/// All Rust files below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn add(hash: &mut u64, bytes: &[u8]) {
    for &byte in bytes {
        *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
}
