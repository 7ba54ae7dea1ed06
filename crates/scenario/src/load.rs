//! Reading a scenario from its file.

use std::path::Path;

use crate::scenario::Scenario;
use sansim_schema::file::read_text;
use sansim_schema::report::ProblemReport;
use sansim_schema::source::COMMAND_LINE;

impl Scenario {
    /// Reads a scenario file and replaces some of its values, as [`Scenario::parse_with`] does.
    ///
    /// # Errors
    /// All problems of the file and the overrides, or the one reason why the file cannot be read.
    pub fn load_file(
        path: impl AsRef<Path>,
        overrides: &[(String, String)],
    ) -> Result<Scenario, ProblemReport> {
        Scenario::load_given_by(path, overrides, COMMAND_LINE)
    }

    /// Loads a scenario as [`Scenario::load_file`], for overrides that were not given with `--set`: messages call their place `given_by`.
    ///
    /// # Errors
    /// If the file cannot be loaded, as in [`Scenario::load_file`].
    pub fn load_given_by(
        path: impl AsRef<Path>,
        overrides: &[(String, String)],
        given_by: &str,
    ) -> Result<Scenario, ProblemReport> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = read_text(path, &name)?;
        Scenario::parse_in(path.parent().unwrap_or(Path::new("")), &text, &name, overrides, given_by)
    }
}
