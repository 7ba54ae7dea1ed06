//! Writes the samples again: `cargo run -p sansim-trace --example samples`.

#[path = "../tests/common/samples.rs"]
mod samples;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs;
use std::io::{Result, Write};
use std::path::Path;

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    fs::create_dir_all(folder.join("golden"))?;
    for (name, bytes) in samples::samples() {
        fs::write(folder.join(name), &bytes)?;
        fs::write(folder.join("golden").join(format!("{name}.csv")), samples::golden(&bytes))?;
        if !name.ends_with(".bin") {
            fs::write(folder.join(format!("{name}.broken")), samples::broken(&bytes))?;
        }
        if name == "msr.csv" {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            packed.write_all(&bytes)?;
            fs::write(folder.join("msr.csv.gz"), packed.finish()?)?;
            let packed = compress_to_vec(bytes.as_slice(), CompressionLevel::Fastest);
            fs::write(folder.join("msr.csv.zst"), packed)?;
        }
    }
    Ok(())
}
