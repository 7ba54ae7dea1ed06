//! Detection of the format of a file from its beginning.
//!
//! Each format gets the first lines and parses each; the format that understands most of them is chosen. A format therefore needs no second
//! description for its detection, and the reasons against it are those of its parser.

use crate::format::{Format, Parsed};
use crate::formats::FORMATS;
use crate::heading::is_heading;
use crate::input::FileUnit;
use crate::options::FormatOptions;
use crate::record::VolumeNames;
use crate::text::printable::printable;

/// The number of lines, or records, that are examined; lines that are legitimately no requests do not count, as a trace may begin with many
/// of them.
const LOOKED_AT: usize = 64;

/// The judgement of a format on the beginning of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Judgement {
    /// The number of requests that the format finds.
    requests: usize,
    /// The number of pieces, without those that the format itself counts as no request.
    pieces: usize,
    /// The number of pieces that the format itself counts as no request.
    asides: usize,
    /// The objection of the format to the first piece that it does not understand.
    against: Option<String>,
}

/// The format of a file that begins with `head`, which is everything if `ended`; otherwise a message for people.
pub(crate) fn sniff(reading: &FormatOptions, head: &[u8], ended: bool) -> Result<&'static Format, String> {
    let judged: Vec<(&Format, Judgement)> =
        FORMATS.iter().map(|format| (*format, judge(format, reading, head, ended))).collect();
    // The format must understand more than half of the lines: a file may have broken lines, and even its first may be broken.
    let fits = |judgement: &Judgement| judgement.requests * 2 > judgement.pieces;
    let most = judged.iter().filter(|(_, j)| fits(j)).map(|(_, j)| j.requests).max();
    let best: Vec<&Format> = judged
        .iter()
        .filter(|(_, j)| fits(j) && Some(j.requests) == most)
        .map(|(format, _)| *format)
        .collect();
    // A format may understand all lines and find no request: it reports itself what they are.
    let silent = judged.iter().filter(|(_, j)| j.requests == 0 && j.pieces == 0 && j.asides > 1);
    let silent: Vec<&Format> = silent.map(|(format, _)| *format).collect();
    match best.as_slice() {
        [one] => Ok(one),
        [] if silent.len() == 1 => Ok(silent[0]),
        [] => {
            let against: Vec<String> = judged
                .iter()
                .map(|(format, j)| {
                    format!(
                        "\n  {} ({}): {}",
                        format.word,
                        format.fields,
                        j.against.as_deref().unwrap_or("has no request")
                    )
                })
                .collect();
            let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
            Err(format!(
                "looks like none of the formats; its first line is `{}`; give the format if it is one of\n{}",
                printable(first.trim_ascii_end()),
                against.concat().trim_start_matches('\n')
            ))
        }
        several => {
            let words: Vec<&str> = several.iter().map(|format| format.word).collect();
            Err(format!("may be each of {}; give the format", words.join(", ")))
        }
    }
}

/// Judges the beginning of a file by a format.
fn judge(format: &Format, reading: &FormatOptions, head: &[u8], ended: bool) -> Judgement {
    let mut judgement = Judgement { requests: 0, pieces: 0, asides: 0, against: None };
    let mut opened = match (format.open)(reading, head) {
        Ok(opened) => opened,
        Err(why) => return Judgement { against: Some(why), ..judgement },
    };
    let mut volumes = VolumeNames::default();
    let mut rest = head;
    let (mut looked_at, mut at_first) = (0, true);
    while looked_at < LOOKED_AT && !rest.is_empty() {
        let piece = match opened.cut {
            FileUnit::Lines => match rest.iter().position(|&byte| byte == b'\n') {
                Some(end) => rest.split_off(..=end).unwrap_or_default(),
                // A piece that the end of the head cuts through does not count, unless it is the only piece.
                None if !ended && judgement.pieces > 0 => break,
                None => std::mem::take(&mut rest),
            },
            FileUnit::Records(bytes) => match rest.split_off(..bytes) {
                Some(record) => record,
                None => break,
            },
        };
        let piece = if opened.cut == FileUnit::Lines { piece.trim_ascii_end() } else { piece };
        if piece.is_empty() {
            continue;
        }
        let first = std::mem::take(&mut at_first);
        match opened.parse.parse(piece, &mut volumes) {
            Ok(Parsed::Request(_) | Parsed::Kept) => {
                looked_at += 1;
                judgement.requests += 1;
                judgement.pieces += 1;
            }
            Ok(Parsed::Aside(_)) => judgement.asides += 1,
            Err(fault)
                if opened.cut == FileUnit::Lines
                    && (piece.starts_with(b"#") || first && is_heading(piece)) =>
            {
                judgement.against.get_or_insert_with(|| fault.to_string());
            }
            Err(fault) => {
                looked_at += 1;
                judgement.pieces += 1;
                judgement.against.get_or_insert_with(|| fault.to_string());
            }
        }
    }
    judgement
}
