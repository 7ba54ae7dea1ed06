//! The reference page of study files, made from their tables.

use sansim_schema::page;

use crate::codes;
use crate::tables::study_file_table;

/// The text before the tables of the reference.
const HEAD: &str = r"# Study reference

This page is generated from the source; `cargo run -p sansim-study --example study-reference` rewrites it.

A study is a TOML file. The [study guide](study-guide.md) explains what the tables are for, with examples; here is every key.
`NAME` stands for any name, of letters, digits and `_`, and a header in two pairs of brackets for one of several such tables. A
table may as well be written in one line where it belongs: `trace = { from = ..., to = ... }`, `rows = [{ ... }, { ... }]`. A key
that is not on this page is an error.

A number with its unit is written as in [scenarios](scenario-reference.md#quantities), and may be negative. Units of time, size, rate and length
are converted. In `unit` stands one of them, `%`, `IOPS`, `KIOPS`, or any other text, which is shown and converts nothing.

## The top level

These keys stand above all tables, but for `set`, which may have a table of its own: `[set]`.

";

/// The reference of every key of a study file, as Markdown.
pub fn study_key_reference() -> String {
    let mut page = HEAD.to_owned();
    page::append_outline(&mut page, &study_file_table());
    page.push_str(
        "\n## Messages\n\nAll problems of a study are reported at once, each with a code that never changes its meaning: those of\n\
         [scenarios](scenario-reference.md#messages), where they are about any file, and these.\n\n",
    );
    page::append_codes(&mut page, codes::ALL);
    page
}
