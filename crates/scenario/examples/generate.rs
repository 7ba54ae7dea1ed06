//! Rewrites `docs/scenario.schema.json` and `docs/scenario-reference.md` from the field tables.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    std::fs::create_dir_all(&docs)?;
    std::fs::write(docs.join("scenario.schema.json"), format!("{:#}\n", sansim_scenario::json_schema()))?;
    std::fs::write(docs.join("scenario-reference.md"), sansim_scenario::key_reference())
}
