//! Rewrites `docs/study-reference.md` from the tables.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::write(docs.join("study-reference.md"), sansim_study::study_key_reference())
}
