//! Detection of first lines that name columns.

/// Whether a first line names its columns, or is a comment: none of its fields begins with a digit.
pub(crate) fn is_heading(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    if line.starts_with(b"#") {
        return true;
    }
    let mut fields =
        line.split(|byte| b",;|\t ".contains(byte)).map(|field| field.trim_ascii().trim_ascii_start());
    let names = |field: &[u8]| {
        let field = field.strip_prefix(b"\"").unwrap_or(field);
        field.is_empty()
            || field[0].is_ascii_alphabetic()
            || field[0] == b'_'
            || field[0] == b'('
            || field[0] == b'['
    };
    line.len() > 1 && line.iter().any(u8::is_ascii_alphabetic) && fields.all(names)
}
