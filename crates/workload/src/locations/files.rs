//! Places of files, some of them popular, that are read again and again.

use super::bijection::Bijection;
use super::grid::{ALIGN, SECTOR, SOME_PART, last, part};
use super::zipf::ZipfRanks;
use sansim_kernel::RandomStream;
use sansim_schema::quantities::{Count, Number, Share};
use sansim_schema::table;

table! {
    /// Files (or extents) of one size, scattered over the region: one is drawn by its popularity, requests go through it from one end to the
    /// other, and then the next one is drawn; popular files soon again.
    #[derive(Copy)]
    pub struct FilesParameters {
        /// Number of files, at most as many as fit into the region.
        files: u64 = Count::<u64>::between(1, 1 << 40), required "10000", source "";
        /// The size of each.
        file_size: u64 = ALIGN, required r#""1 MiB""#, source "";
        /// Skew of the popularity of files: the file of rank r is drawn in proportion to 1 / r^theta; with 0 all files are equally popular.
        theta: f64 = Number::between(0.0, 10.0), default "0.8", source "Breslau et al. 1999";
        /// Share of a file that is read when the file is drawn; a share of less than 100 % begins at a random place.
        part: Share = SOME_PART, default r#""100 %""#, source "ours: whole files";
    }
}

/// The generator of places of files.
#[derive(Clone, Debug)]
pub struct Files {
    region: u64,
    /// The bytes of a file, and the number of them that are read.
    size: u64,
    wanted: u64,
    ranks: ZipfRanks,
    places: Bijection,
    /// The offset of the next request, and the end of the file or of the part that is read.
    next: u64,
    end: u64,
}

impl Files {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &FilesParameters, region: u64, random: &mut RandomStream) -> Files {
        let size = parameters.file_size.min((region / SECTOR * SECTOR).max(SECTOR));
        let room = (region / size).max(1);
        Files {
            region,
            size,
            wanted: part(size, parameters.part).next_multiple_of(SECTOR),
            ranks: ZipfRanks::new(parameters.files.min(room), parameters.theta),
            // Files are at any places of the region, not only at the first ones.
            places: Bijection::new(room, random),
            next: 0,
            end: 0,
        }
    }

    /// The next offset. The last request of a file ends within it, unless a request is larger than the part that is read.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        let length = bytes.next_multiple_of(SECTOR);
        if self.next + length > self.end {
            let begin = self.places.permuted_number(self.ranks.draw(random)) * self.size;
            let places = (self.size - self.wanted) / SECTOR + 1;
            self.next = begin + random.draw_below(places) * SECTOR;
            self.end = self.next + self.wanted;
        }
        let offset = self.next.min(last(self.region, bytes));
        self.next = offset + length;
        offset
    }
}
