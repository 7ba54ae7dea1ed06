//! A random choice of one of several items, each with a probability in proportion to its weight, in a time
//! that does not depend on the number of items.

use crate::RandomStream;

/// Source: the alias method of Walker (ACM TOMS 3, 1977), with the table built as by Vose (IEEE Transactions on Software Engineering 17,
/// 1991): every place of the table belongs to one item up to a limit and to another item beyond it. A choice uses one draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighted {
    places: Vec<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// The limit up to which the place belongs to its own item, as a part of 2^64.
    limit: u64,
    /// The item to which the place belongs beyond the limit.
    beyond: u32,
}

impl Weighted {
    /// A choice among as many items as there are weights. The result is none if there is no weight, if a weight is negative or
    /// not a number, if all weights are zero, or if there are more than 2^32 weights.
    pub fn new(weights: &[f64]) -> Option<Weighted> {
        let count = u32::try_from(weights.len()).ok()?;
        let sum: f64 = weights.iter().sum();
        if !(sum.is_finite() && sum > 0.0 && weights.iter().all(|weight| *weight >= 0.0)) {
            return None;
        }
        // The share of a place that each item still needs: 1 on average.
        let mut needs: Vec<f64> = weights.iter().map(|weight| weight / sum * f64::from(count)).collect();
        let mut places: Vec<Place> = (0..count).map(|item| Place { limit: u64::MAX, beyond: item }).collect();
        let (mut small, mut large): (Vec<u32>, Vec<u32>) =
            (0..count).partition(|item| needs[*item as usize] < 1.0);
        while let (Some(item), Some(&filler)) = (small.pop(), large.last()) {
            let need = needs[item as usize];
            // The factor is 2^64; a float-to-integer `as` saturates.
            places[item as usize] =
                Place { limit: (need * 18_446_744_073_709_551_616.0) as u64, beyond: filler };
            let left = needs[filler as usize] - (1.0 - need);
            needs[filler as usize] = left;
            if left < 1.0 {
                large.pop();
                small.push(filler);
            }
        }
        Some(Weighted { places })
    }

    /// Draws the number of an item.
    pub fn draw(&self, random: &mut RandomStream) -> usize {
        // The high half of the product chooses the place, the low half the part of the place; the error is below items
        // / 2^64.
        let product = u128::from(random.next_u64()) * self.places.len() as u128;
        let (at, part) = ((product >> 64) as usize, product as u64);
        let place = self.places[at];
        if part < place.limit { at } else { place.beyond as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goodness_of_fit::chi_square;

    #[test]
    fn each_item_is_as_likely_as_its_weight_says() {
        let mut random = RandomStream::new(5, "weighted");
        for weights in
            [vec![1.0], vec![1.0, 3.0], vec![0.0, 2.0, 0.0, 1.0], (1..=1_000).map(f64::from).collect()]
        {
            let weighted = Weighted::new(&weights).expect("weights");
            let mut counts = vec![0; weights.len()];
            (0..200_000).for_each(|_| counts[weighted.draw(&mut random)] += 1);
            assert!(counts.iter().zip(&weights).all(|(count, weight)| *weight > 0.0 || *count == 0));
            let fit = chi_square(&counts, &weights, 0.001);
            assert!(fit.is_consistent(), "{} items: {fit:?}", weights.len());
        }
    }

    #[test]
    fn weights_that_choose_nothing_are_refused() {
        for weights in [&[][..], &[0.0, 0.0], &[1.0, -1.0], &[f64::NAN], &[f64::INFINITY, 1.0]] {
            assert_eq!(Weighted::new(weights), None, "{weights:?}");
        }
    }
}
