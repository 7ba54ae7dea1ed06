//! Access specifications that everybody knows by name.
//!
//! Source: the description of their tests by hardware magazines, in which they became known; the file server is also an
//! example of fio. None of them says an alignment: places are multiples of a sector.

use sansim_kernel::Span;

use super::access::{AccessSpecification, Line};

const KIB: u64 = 1024;

/// A named pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Its name.
    pub name: &'static str,
    /// Reads in percent.
    pub read_percent: u8,
    /// Drawn places in percent.
    pub random_percent: u8,
    /// Bytes with their percentages.
    pub sizes: &'static [(u64, u8)],
}

/// All of them.
pub const PATTERNS: &[Pattern] = &[
    Pattern {
        name: "file-server",
        read_percent: 80,
        random_percent: 100,
        sizes: &[
            (512, 10),
            (KIB, 5),
            (2 * KIB, 5),
            (4 * KIB, 60),
            (8 * KIB, 2),
            (16 * KIB, 4),
            (32 * KIB, 4),
            (64 * KIB, 10),
        ],
    },
    Pattern {
        name: "web-server",
        read_percent: 100,
        random_percent: 100,
        sizes: &[
            (512, 22),
            (KIB, 15),
            (2 * KIB, 8),
            (4 * KIB, 23),
            (8 * KIB, 15),
            (16 * KIB, 2),
            (32 * KIB, 6),
            (64 * KIB, 7),
            (128 * KIB, 1),
            (512 * KIB, 1),
        ],
    },
    Pattern { name: "workstation", read_percent: 80, random_percent: 80, sizes: &[(8 * KIB, 100)] },
    Pattern { name: "database", read_percent: 67, random_percent: 100, sizes: &[(8 * KIB, 100)] },
    Pattern { name: "streaming-read", read_percent: 100, random_percent: 0, sizes: STREAMING },
    Pattern { name: "streaming-write", read_percent: 0, random_percent: 0, sizes: STREAMING },
];

const STREAMING: &[(u64, u8)] = &[(64 * KIB, 34), (128 * KIB, 33), (256 * KIB, 33)];

impl Pattern {
    /// The pattern as an access specification.
    pub fn specification(&self) -> AccessSpecification {
        let line = |(bytes, share_percent): &(u64, u8)| Line {
            bytes: *bytes,
            share_percent: *share_percent,
            read_percent: self.read_percent,
            random_percent: self.random_percent,
            delay: Span::ZERO,
            burst: 1,
            align_bytes: 0,
            reply_bytes: 0,
        };
        AccessSpecification { name: self.name.to_owned(), lines: self.sizes.iter().map(line).collect() }
    }
}

/// The pattern of a name.
pub fn pattern(name: &str) -> Option<&'static Pattern> {
    PATTERNS.iter().find(|pattern| pattern.name == name)
}

/// A mix like that of JESD219, the endurance test of drives for enterprises, which has hot parts and so is no access
/// specification. Source: the example job of fio, which this is, without its depth and number of clones.
pub const JESD219_LIKE_JOB: &str = "\
[jesd219-like]
rw=randrw
norandommap
rwmixread=40
bssplit=512/4:1024/1:1536/1:2048/1:2560/1:3072/1:3584/1:4k/67:8k/10:16k/7:32k/3:64k/3
random_distribution=zoned:50/5:30/15:20/80
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio_job::{self, values::Sizes};

    #[test]
    fn the_shares_of_every_pattern_add_up() {
        for pattern in PATTERNS {
            assert_eq!(pattern.specification().total_percent(), 100, "{}", pattern.name);
        }
        assert_eq!(pattern("database").map(|pattern| pattern.read_percent), Some(67));
    }

    #[test]
    fn the_mean_size_of_the_file_server_is_the_published_one() {
        let sizes = PATTERNS[0].sizes.iter();
        let mean: f64 = sizes.map(|(bytes, share)| *bytes as f64 * f64::from(*share) / 100.0).sum();
        assert!((mean / 1024.0 - 11.08).abs() < 0.005);
    }

    #[test]
    fn the_mix_like_jesd219_is_a_sound_job() {
        let file =
            fio_job::read("jesd219.fio", JESD219_LIKE_JOB, &mut |_| Err(String::new())).expect("sound");
        assert_eq!(file.jobs[0].read_percent, 40);
        assert!(matches!(&file.jobs[0].sizes.read, Sizes::Split(sizes) if sizes.len() == 12));
    }
}
