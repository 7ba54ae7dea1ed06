//! Closed forms of write amplification and of the rate that it leaves to a drive, with which the model is compared.
//!
//! `spare` is over-provisioning: physical over logical capacity, minus 1. The formulas are for writes that are uniform over the drive,
//! without trims.

use sansim_kernel::functions::{exponential, natural_logarithm};

/// The principal branch of Lambert's W at -a e^(-a), for a > 1: the w of (-1, 0) with w e^w = -a e^(-a). The value is found by Newton's
/// method on ln(-w) + w = ln a - a, which has exactly this root.
fn lambert_w(a: f64) -> f64 {
    let aim = natural_logarithm(a) - a;
    // The start value is between the root and zero, as e^w < 1; there the function is concave and below zero, so all steps go towards the
    // root.
    let mut w = -exponential(aim);
    for _ in 0..60 {
        let step = (natural_logarithm(-w) + w - aim) / (1.0 / w + 1.0);
        w -= step;
        if step.abs() <= 1e-15 * w.abs() {
            break;
        }
    }
    w
}

/// The write amplification where the block that was filled longest ago is collected: (1 + s) / (1 + s + W(-(1 + s) e^-(1 + s))), for
/// `spare` above 0.
///
/// Source: Xiang and Kurkoski, "An improved analytic expression for write amplification in NAND flash", ICNC 2012; Desnoyers, SYSTOR
/// 2012, for LRU cleaning.
pub fn fifo_write_amplification(spare: f64) -> f64 {
    let a = 1.0 + spare;
    a / (a + lambert_w(a))
}

/// The write amplification where the emptiest of many blocks with `pages` pages is collected.
///
/// A victim has m valid pages out of b, or m - 1 in a share q of cases. Pages are overwritten evenly, so for each j above m as many blocks
/// pass from j valid pages to j - 1 as are collected, and q of that number from m on: the number of blocks with j valid pages is
/// proportional to 1 / j, and to q / m for m. All blocks hold the stored pages, so (1/b + ... + 1/(m + 1) + q/m) / (1 + s) = (b - m + q) /
/// b. For infinitely many pages the amplification is that of collecting the oldest block.
///
/// Source: the stationary state of many blocks as in Desnoyers, SYSTOR 2012, and van Houdt, SIGMETRICS 2013.
pub fn greedy_write_amplification(spare: f64, pages: u32) -> f64 {
    let (all, physical) = (f64::from(pages), 1.0 + spare);
    // The excess of the capacity of blocks over the stored data if no block has fewer than m valid pages; below zero while m is too large.
    let mut over = 0.0;
    for m in (1..=pages).rev() {
        let step = 1.0 / (f64::from(m) * physical) - 1.0 / all;
        if over + step >= 0.0 && step > 0.0 {
            return all / (f64::from(pages - m) - over / step);
        }
        over += step;
    }
    1.0
}

/// A coarser formula for the amplification: (1 + s) / (2 s).
///
/// Source: Agarwal and Marrow, "A closed-form expression for write amplification in NAND flash", GLOBECOM Workshops 2010.
pub fn agarwal_marrow_write_amplification(spare: f64) -> f64 {
    (1.0 + spare) / (2.0 * spare)
}

/// The pages that hosts write in a second if this many planes program at a time, each needing `page_s` for program and transfer, and each
/// page of a host causes `write_amplification` programs.
pub fn page_limited_rate(planes: f64, page_s: f64, write_amplification: f64) -> f64 {
    planes / page_s / write_amplification
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fact: Xiang and Kurkoski state 2.36 at 0.3; the other values were computed with another program.
    #[test]
    fn fifo_has_the_values_that_are_known_of_it() {
        for (spare, known) in [
            (0.07, 7.82),
            (0.10, 5.68),
            (0.15, 4.02),
            (0.20, 3.19),
            (0.28, 2.48),
            (0.30, 2.36),
            (0.50, 1.72),
            (1.0, 1.25),
        ] {
            let amplification = fifo_write_amplification(spare);
            assert!((amplification - known).abs() <= 0.006, "{amplification} for {known} at {spare}");
            let w = lambert_w(1.0 + spare);
            let product = w * exponential(w) + (1.0 + spare) * exponential(-1.0 - spare);
            assert!(product.abs() < 1e-14 && w > -1.0, "w = {w} at {spare}");
        }
        assert!((agarwal_marrow_write_amplification(0.3) - 2.17).abs() < 0.005);
    }

    #[test]
    fn of_larger_blocks_the_emptiest_is_as_full_as_the_oldest() {
        for spare in [0.07, 0.2, 0.3, 1.0] {
            let of = [1, 16, 64, 128, 4_096].map(|pages| greedy_write_amplification(spare, pages));
            assert!(of.is_sorted() && of[0] == 1.0, "a block of one page has nothing to copy: {of:?}");
            let fifo = fifo_write_amplification(spare);
            assert!(of[4] < fifo && of[4] > 0.995 * fifo, "{of:?} {fifo}");
        }
        assert_eq!(greedy_write_amplification(9.0, 4), 1.0, "there is always a block that is empty");
    }
}
