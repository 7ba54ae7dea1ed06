//! Arithmetic in GF(256) with the polynomial 0x11d, and stripes of bytes under P and Q.

/// The product of two elements.
pub fn times(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b > 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ if a & 0x80 == 0 { 0 } else { 0x1d };
        b >>= 1;
    }
    product
}

/// The generator 2 to a power.
pub fn generator(power: u32) -> u8 {
    (0..power).fold(1, |element, _| times(element, 2))
}

/// The element whose product with `a` is 1.
fn inverse(a: u8) -> u8 {
    // The inverse is a^254, as a^255 = 1.
    (0..254).fold(1, |product, _| times(product, a))
}

/// The coefficient of data unit `unit` in a position of a stripe of `data` data units.
pub fn coefficient(position: u32, data: u32, unit: u32) -> u8 {
    match position.checked_sub(data) {
        None => u8::from(position == unit),
        Some(0) => 1,
        Some(_) => generator(unit),
    }
}

/// The byte at a position of a stripe, from the stripe's data.
pub fn encode(position: u32, data: &[u8]) -> u8 {
    let number = data.len() as u32;
    (0..number).zip(data).fold(0, |sum, (unit, byte)| sum ^ times(coefficient(position, number, unit), *byte))
}

/// The data of a stripe from as many known positions, by Gaussian elimination. Panics if the known positions do not determine the data.
pub fn solve(data: u32, known: &[(u32, u8)]) -> Vec<u8> {
    let size = data as usize;
    let mut rows: Vec<Vec<u8>> = known
        .iter()
        .map(|(position, byte)| {
            (0..data).map(|unit| coefficient(*position, data, unit)).chain([*byte]).collect()
        })
        .collect();
    for column in 0..size {
        let pivot = (column..rows.len()).find(|row| rows[*row][column] != 0);
        rows.swap(column, pivot.expect("the known positions determine the data"));
        let scale = inverse(rows[column][column]);
        rows[column].iter_mut().for_each(|element| *element = times(*element, scale));
        let pivot = rows[column].clone();
        for (number, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if number != column && factor != 0 {
                row.iter_mut()
                    .zip(&pivot)
                    .for_each(|(element, of_pivot)| *element ^= times(factor, *of_pivot));
            }
        }
    }
    rows[..size].iter().map(|row| row[size]).collect()
}
