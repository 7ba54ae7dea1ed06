//! Access specifications of Iometer, and the I/Os that one worker makes of one specification at one target.

use sansim_kernel::{RandomStream, Span};

/// The bytes of a sector: places of a line without alignment are multiples of it.
pub const SECTOR_BYTES: u64 = 512;
/// The most bytes of a transfer: just under 1 GiB.
pub const MOST_BYTES: u64 = (1 << 30) - 1;
/// The most lines of a specification.
pub const MOST_LINES: usize = 100;

/// A named mix of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSpecification {
    /// The name of the specification.
    pub name: String,
    /// The lines of the specification; their shares add up to 100.
    pub lines: Vec<AccessLine>,
}

/// One line of an access specification, with the columns of an `.icf` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessLine {
    /// The bytes of a transfer.
    pub bytes: u64,
    /// The percentage of the bursts that this line governs.
    pub share_percent: u8,
    /// The percentage of the transfers that are reads.
    pub read_percent: u8,
    /// The percentage of the transfers that go to a drawn place; the others follow the transfer before.
    pub random_percent: u8,
    /// The pause before each burst.
    pub delay: Span,
    /// The number of transactions in a row from this line.
    pub burst: u32,
    /// Places are moved up to a multiple of this number of bytes; 0 means a sector.
    pub align_bytes: u64,
    /// Each transfer is followed by one of this size in the other direction; 0 means there is none.
    pub reply_bytes: u64,
}

impl Default for AccessLine {
    /// The new line that Iometer proposes by default.
    fn default() -> AccessLine {
        AccessLine {
            bytes: 2048,
            share_percent: 100,
            read_percent: 67,
            random_percent: 100,
            delay: Span::ZERO,
            burst: 1,
            align_bytes: 2048,
            reply_bytes: 0,
        }
    }
}

impl AccessSpecification {
    /// Bytes of the largest transfer or reply.
    pub fn largest_bytes(&self) -> u64 {
        self.lines.iter().map(|line| line.bytes.max(line.reply_bytes)).max().unwrap_or(0)
    }

    /// The sum of the shares of the lines; it has to be 100.
    pub fn total_percent(&self) -> u32 {
        self.lines.iter().map(|line| u32::from(line.share_percent)).sum()
    }
}

/// One transfer of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IometerTransfer {
    /// Whether the transfer writes.
    pub write: bool,
    /// The first byte of the transfer in the test area.
    pub offset: u64,
    /// The bytes of the transfer.
    pub bytes: u64,
    /// The pause before the transfer, if it begins a burst. I/Os in flight still complete during the pause.
    pub delay_before: Span,
    /// Whether the transfer answers the transfer before, with which it forms one transaction.
    pub reply: bool,
}

/// The transfers of one worker at one target, from one access specification.
#[derive(Clone, Debug)]
pub struct IometerStream {
    specification: AccessSpecification,
    area_bytes: u64,
    /// The offset at which the last transfer ended.
    end: u64,
    line: AccessLine,
    left_of_burst: u32,
    reply_to: Option<bool>,
}

impl IometerStream {
    /// The transfers in an area of this many bytes. `None` if a transfer does not fit into it, or the shares do not add up to 100.
    pub fn new(specification: &AccessSpecification, area_bytes: u64) -> Option<IometerStream> {
        let fits = specification.largest_bytes() <= area_bytes
            && specification.lines.iter().all(|line| line.bytes > 0 && line.burst > 0)
            && specification.total_percent() == 100;
        fits.then(|| IometerStream {
            specification: specification.clone(),
            area_bytes,
            end: 0,
            line: AccessLine::default(),
            left_of_burst: 0,
            reply_to: None,
        })
    }

    /// The next transfer.
    pub fn next(&mut self, random: &mut RandomStream) -> IometerTransfer {
        if let Some(written) = self.reply_to.take() {
            let offset = self.place(self.end, self.line.reply_bytes);
            return self.transfer(!written, offset, self.line.reply_bytes, Span::ZERO, true);
        }
        let delay = if self.left_of_burst == 0 { self.begin_burst(random) } else { Span::ZERO };
        self.left_of_burst -= 1;
        let line = self.line;
        let write = random.draw_below(100) >= u64::from(line.read_percent);
        let wanted = if random.draw_below(100) < u64::from(line.random_percent) {
            random.draw_below(self.area_bytes)
        } else {
            self.end
        };
        let offset = self.place(wanted, line.bytes);
        if line.reply_bytes > 0 {
            self.reply_to = Some(write);
        }
        self.transfer(write, offset, line.bytes, delay, false)
    }

    /// Draws the line of a burst, and returns the pause of that line.
    fn begin_burst(&mut self, random: &mut RandomStream) -> Span {
        let drawn = random.draw_below(100);
        let mut below = 0;
        let found = self.specification.lines.iter().find(|line| {
            below += u64::from(line.share_percent);
            drawn < below
        });
        self.line = found.copied().unwrap_or_default();
        self.left_of_burst = self.line.burst.max(1);
        self.line.delay
    }

    /// The place, moved up to the alignment; the beginning of the area if the transfer would cross its end.
    fn place(&self, wanted: u64, bytes: u64) -> u64 {
        let align = if self.line.align_bytes > 0 { self.line.align_bytes } else { SECTOR_BYTES };
        let fits = |place: &u64| place.checked_add(bytes).is_some_and(|end| end <= self.area_bytes);
        wanted.checked_next_multiple_of(align).filter(fits).unwrap_or(0)
    }

    fn transfer(
        &mut self,
        write: bool,
        offset: u64,
        bytes: u64,
        delay_before: Span,
        reply: bool,
    ) -> IometerTransfer {
        self.end = offset + bytes;
        IometerTransfer { write, offset, bytes, delay_before, reply }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn random() -> RandomStream {
        RandomStream::new(1, "iometer")
    }

    fn stream(lines: &[AccessLine], area_bytes: u64) -> IometerStream {
        let specification = AccessSpecification { name: "test".to_owned(), lines: lines.to_vec() };
        IometerStream::new(&specification, area_bytes).expect("it fits")
    }

    const IN_A_ROW: AccessLine = AccessLine {
        bytes: 4096,
        share_percent: 100,
        read_percent: 100,
        random_percent: 0,
        delay: Span::ZERO,
        burst: 1,
        align_bytes: 0,
        reply_bytes: 0,
    };

    #[test]
    fn transfers_in_a_row_go_round_before_they_cross_the_end() {
        let (mut stream, mut random) = (stream(&[IN_A_ROW], 10_000), random());
        let places: Vec<u64> = (0..5).map(|_| stream.next(&mut random).offset).collect();
        assert_eq!(places, [0, 4096, 0, 4096, 0]);
    }

    #[test]
    fn an_alignment_that_does_not_divide_the_size_leaves_holes() {
        let line = AccessLine { align_bytes: 3000, ..IN_A_ROW };
        let (mut stream, mut random) = (stream(&[line], 1 << 20), random());
        let places: Vec<u64> = (0..4).map(|_| stream.next(&mut random).offset).collect();
        assert_eq!(places, [0, 6000, 12_000, 18_000]);
    }

    #[test]
    fn a_burst_is_of_one_line_and_only_its_first_transfer_waits() {
        let slow = AccessLine { share_percent: 30, burst: 5, delay: Span::from_ms(2), ..IN_A_ROW };
        let fast = AccessLine { share_percent: 70, bytes: 512, burst: 5, ..IN_A_ROW };
        let (mut stream, mut random) = (stream(&[slow, fast], 1 << 30), random());
        let (mut slow_bursts, bursts) = (0, 20_000);
        for _ in 0..bursts {
            let burst: Vec<IometerTransfer> = (0..5).map(|_| stream.next(&mut random)).collect();
            assert!(burst.iter().all(|one| one.bytes == burst[0].bytes));
            assert!(burst[1..].iter().all(|one| one.delay_before.is_zero()));
            slow_bursts += u32::from(burst[0].bytes == 4096);
            assert_eq!(
                burst[0].delay_before,
                if burst[0].bytes == 4096 { Span::from_ms(2) } else { Span::ZERO }
            );
        }
        // The tolerance is five standard deviations of a binomial count.
        let deviation = (0.3 * 0.7 * f64::from(bursts)).sqrt();
        assert!((f64::from(slow_bursts) - 0.3 * f64::from(bursts)).abs() < 5.0 * deviation);
    }

    #[test]
    fn a_reply_goes_the_other_way_behind_its_transfer() {
        let line = AccessLine { reply_bytes: 512, read_percent: 50, ..IN_A_ROW };
        let (mut stream, mut random) = (stream(&[line], 1 << 20), random());
        for _ in 0..100 {
            let (ask, reply) = (stream.next(&mut random), stream.next(&mut random));
            assert!(!ask.reply && reply.reply && ask.write != reply.write);
            assert_eq!((reply.offset, reply.bytes), (ask.offset + 4096, 512));
        }
    }

    #[test]
    fn shares_of_reads_and_of_drawn_places_are_those_of_the_line() {
        let line = AccessLine { read_percent: 67, random_percent: 25, ..IN_A_ROW };
        let (mut stream, mut random) = (stream(&[line], 1 << 40), random());
        let (mut reads, mut jumps, mut end) = (0_u32, 0_u32, 0);
        for _ in 0..50_000 {
            let one = stream.next(&mut random);
            reads += u32::from(!one.write);
            jumps += u32::from(one.offset != end);
            end = one.offset + one.bytes;
        }
        for (count, share) in [(reads, 0.67), (jumps, 0.25)] {
            let deviation = (share * (1.0 - share) * 50_000.0_f64).sqrt();
            assert!((f64::from(count) - share * 50_000.0).abs() < 5.0 * deviation, "{count}");
        }
    }

    #[test]
    fn what_does_not_fit_is_no_stream() {
        let specification = AccessSpecification { name: String::new(), lines: vec![IN_A_ROW] };
        assert!(IometerStream::new(&specification, 4095).is_none());
        let half = AccessSpecification {
            lines: vec![AccessLine { share_percent: 50, ..IN_A_ROW }],
            ..specification
        };
        assert!(IometerStream::new(&half, 1 << 20).is_none());
    }

    proptest! {
        #[test]
        fn every_transfer_lies_in_its_area(
            bytes in 1_u64..5_000, reply in 0_u64..5_000, align in 0_u64..9_000, random_percent in 0_u8..=100,
            area in 5_000_u64..20_000, seed in any::<u64>(),
        ) {
            let line = AccessLine { bytes, reply_bytes: reply, align_bytes: align, random_percent, burst: 3, ..IN_A_ROW };
            let (mut stream, mut random) = (stream(&[line], area), RandomStream::new(seed, "area"));
            for _ in 0..200 {
                let one = stream.next(&mut random);
                prop_assert!(one.bytes > 0 && one.offset + one.bytes <= area);
            }
        }
    }
}
