//! Exact decimal numbers and the units they carry.
//!
//! A number stays an integer and a power of ten until it has been multiplied into the unit of the simulator (ticks, bytes, bytes per
//! second, micrometres, picoseconds per metre, millionths, millionths per second); only then the number is rounded, once, to the nearest.

/// A non-negative decimal number, exact: `mantissa / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    mantissa: u128,
    scale: u32,
}

/// The reason why a text is no [`Decimal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDecimal {
    /// The text is not of the form `12`, `1_000` or `43.9`.
    Malformed,
    /// The text has a minus sign.
    Negative,
    /// The text has more digits than are kept.
    TooLong,
}

impl Decimal {
    /// The most digits that are kept. With this number of digits every product below stays inside a `u128`.
    const DIGITS: usize = 18;

    /// Parses `12`, `1_000` or `43.9`; no sign, no exponent.
    pub fn parse(text: &str) -> Result<Decimal, NotDecimal> {
        if text.starts_with('-') {
            return Err(NotDecimal::Negative);
        }
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return Err(NotDecimal::Malformed),
            None => (text, ""),
        };
        if whole.is_empty() {
            return Err(NotDecimal::Malformed);
        }
        let mut digits = String::new();
        let mut previous = '_';
        for c in whole.chars() {
            match c {
                '0'..='9' => digits.push(c),
                '_' if previous != '_' => {}
                _ => return Err(NotDecimal::Malformed),
            }
            previous = c;
        }
        if previous == '_' || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NotDecimal::Malformed);
        }
        let fraction = fraction.trim_end_matches('0');
        digits.push_str(fraction);
        let digits = digits.trim_start_matches('0');
        if digits.len() > Decimal::DIGITS || fraction.len() > Decimal::DIGITS {
            return Err(NotDecimal::TooLong);
        }
        let mantissa = digits.parse().unwrap_or(0);
        Ok(Decimal { mantissa, scale: fraction.len() as u32 })
    }

    /// The value `self * numerator / denominator`, rounded to the nearest whole number (halves up), and whether the result is exact. `None`
    /// if the result does not fit.
    pub fn multiply_rounded(self, numerator: u64, denominator: u64) -> Option<(u64, bool)> {
        let product = self.mantissa.checked_mul(u128::from(numerator))?;
        let divisor = u128::from(denominator).checked_mul(10u128.pow(self.scale))?;
        let rounded = (product + divisor / 2) / divisor;
        Some((u64::try_from(rounded).ok()?, product % divisor == 0))
    }

    /// The value `self * numerator / denominator` as text; `None` if it has more digits than are kept.
    pub fn multiply_as_text(self, numerator: u64, denominator: u64) -> Option<String> {
        let product = self.mantissa.checked_mul(u128::from(numerator))?;
        let divisor = u128::from(denominator).checked_mul(10u128.pow(self.scale))?;
        let (whole, mut rest) = (product / divisor, product % divisor);
        let mut text = whole.to_string();
        if rest > 0 {
            text.push('.');
        }
        while rest > 0 {
            rest = rest.checked_mul(10)?;
            text.push_str(&(rest / divisor).to_string());
            rest %= divisor;
            if text.len() > 2 * Decimal::DIGITS {
                return None;
            }
        }
        Decimal::parse(&text).is_ok().then_some(text)
    }
}

/// The dimension of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Base unit: the kernel's tick of 1/561 ns.
    Time,
    /// Base unit: the transmission word, whose duration is a fact of the context.
    Words,
    /// Base unit: the byte.
    Size,
    /// Base unit: the byte per second.
    Rate,
    /// Base unit: the micrometre.
    Length,
    /// Base unit: the picosecond per metre.
    Propagation,
    /// A Fibre Channel rate, which is a name more than a number.
    Speed,
    /// Base unit: the millionth.
    Share,
    /// Base unit: a millionth per second.
    Frequency,
}

impl Dimension {
    /// The noun for the dimension with its article: `a time`.
    pub fn noun_in_prose(self) -> &'static str {
        match self {
            Dimension::Time => "a time",
            Dimension::Words => "a number of words",
            Dimension::Size => "a size",
            Dimension::Rate => "a rate",
            Dimension::Length => "a length",
            Dimension::Propagation => "a propagation delay",
            Dimension::Speed => "a link speed",
            Dimension::Share => "a percentage",
            Dimension::Frequency => "a number per second",
        }
    }

    /// An example of a quantity of this dimension, as it would be written.
    pub fn example(self) -> &'static str {
        match self {
            Dimension::Time => "43.9 us",
            Dimension::Words => "6 words",
            Dimension::Size => "64 KiB",
            Dimension::Rate => "50 MiB/s",
            Dimension::Length => "10 m",
            Dimension::Propagation => "4.9 ns/m",
            Dimension::Speed => "2GFC",
            Dimension::Share => "1 %",
            Dimension::Frequency => "500/s",
        }
    }

    /// The unit that a number without a unit most likely has, for the correction in a report.
    pub fn likely_missing_unit(self) -> &'static str {
        match self {
            Dimension::Time => "ns",
            Dimension::Words => "words",
            Dimension::Size => "B",
            Dimension::Rate => "MB/s",
            Dimension::Length => "m",
            Dimension::Propagation => "ns/m",
            Dimension::Speed => "GFC",
            Dimension::Share => "%",
            Dimension::Frequency => "/s",
        }
    }

    /// The units of this dimension that are named in messages, the reference and the schema.
    pub fn units(self) -> impl Iterator<Item = &'static str> {
        UNITS.iter().filter(move |unit| unit.dimension == self).map(|unit| unit.name)
    }
}

/// A unit: `numerator / denominator` of the base unit of its dimension.
#[derive(Debug)]
pub struct Unit {
    /// The name of the unit, as it is written.
    pub name: &'static str,
    /// The dimension of the unit.
    pub dimension: Dimension,
    /// The number of base units in the unit, as the numerator of a fraction.
    pub numerator: u64,
    /// The denominator of the fraction of base units.
    pub denominator: u64,
}

const fn unit(name: &'static str, dimension: Dimension, numerator: u64, denominator: u64) -> Unit {
    Unit { name, dimension, numerator, denominator }
}

/// The ticks of the kernel in a nanosecond.
const NS: u64 = sansim_kernel::TICKS_PER_NS;

/// All units that can be written. Decimal prefixes are powers of ten, `Ki`, `Mi`, `Gi`, `Ti`, `Pi` powers of two.
pub const UNITS: &[Unit] = &[
    unit("ps", Dimension::Time, NS, 1_000),
    unit("ns", Dimension::Time, NS, 1),
    unit("us", Dimension::Time, NS * 1_000, 1),
    unit("\u{b5}s", Dimension::Time, NS * 1_000, 1),
    unit("\u{3bc}s", Dimension::Time, NS * 1_000, 1),
    unit("ms", Dimension::Time, NS * 1_000_000, 1),
    unit("s", Dimension::Time, NS * 1_000_000_000, 1),
    unit("words", Dimension::Words, 1, 1),
    unit("word", Dimension::Words, 1, 1),
    unit("B", Dimension::Size, 1, 1),
    unit("KB", Dimension::Size, 1_000, 1),
    unit("MB", Dimension::Size, 1_000_000, 1),
    unit("GB", Dimension::Size, 1_000_000_000, 1),
    unit("TB", Dimension::Size, 1_000_000_000_000, 1),
    unit("PB", Dimension::Size, 1_000_000_000_000_000, 1),
    unit("KiB", Dimension::Size, 1 << 10, 1),
    unit("MiB", Dimension::Size, 1 << 20, 1),
    unit("GiB", Dimension::Size, 1 << 30, 1),
    unit("TiB", Dimension::Size, 1 << 40, 1),
    unit("PiB", Dimension::Size, 1 << 50, 1),
    unit("B/s", Dimension::Rate, 1, 1),
    unit("KB/s", Dimension::Rate, 1_000, 1),
    unit("MB/s", Dimension::Rate, 1_000_000, 1),
    unit("GB/s", Dimension::Rate, 1_000_000_000, 1),
    unit("TB/s", Dimension::Rate, 1_000_000_000_000, 1),
    unit("PB/s", Dimension::Rate, 1_000_000_000_000_000, 1),
    unit("KiB/s", Dimension::Rate, 1 << 10, 1),
    unit("MiB/s", Dimension::Rate, 1 << 20, 1),
    unit("GiB/s", Dimension::Rate, 1 << 30, 1),
    unit("TiB/s", Dimension::Rate, 1 << 40, 1),
    unit("PiB/s", Dimension::Rate, 1 << 50, 1),
    unit("cm", Dimension::Length, 10_000, 1),
    unit("m", Dimension::Length, 1_000_000, 1),
    unit("km", Dimension::Length, 1_000_000_000, 1),
    unit("ns/m", Dimension::Propagation, 1_000, 1),
    unit("us/km", Dimension::Propagation, 1_000, 1),
    unit("GFC", Dimension::Speed, 1, 1),
    unit("%", Dimension::Share, 10_000, 1),
    unit("/s", Dimension::Frequency, 1_000_000, 1),
    unit("/min", Dimension::Frequency, 1_000_000, 60),
    unit("/h", Dimension::Frequency, 1_000_000, 3_600),
];

/// The unit with this name.
pub fn unit_named(name: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.name == name)
}

/// Splits `43.9 us` into `43.9` and `us`, and returns the offset at which the unit begins.
pub fn split_number_and_unit(text: &str) -> (&str, &str, usize) {
    let number_end = text
        .char_indices()
        .find(|&(at, c)| {
            !(c.is_ascii_digit() || matches!(c, '.' | '_') || (at == 0 && matches!(c, '-' | '+')))
        })
        .map_or(text.len(), |(at, _)| at);
    let unit = text[number_end..].trim_start();
    (&text[..number_end], unit.trim_end(), text.len() - unit.len())
}

/// `value` base units as the shortest decimal of a unit that parses to exactly `value`, or `None` if more than `decimals` decimals would be
/// needed. With `exact` the decimal must also equal the value, not only round to it.
pub fn decimal_in(value: u64, unit: &Unit, decimals: u32, exact: bool) -> Option<String> {
    decimal_in_scaled_unit(value, unit.numerator, unit.denominator, decimals, exact)
}

/// The decimal of [`decimal_in`] for a unit that is given as a fraction of the base unit.
pub fn decimal_in_scaled_unit(
    value: u64,
    numerator: u64,
    denominator: u64,
    decimals: u32,
    exact: bool,
) -> Option<String> {
    for scale in 0..=decimals {
        let factor = u128::from(denominator) * 10u128.pow(scale);
        let product = u128::from(value) * factor;
        let mantissa = (product + u128::from(numerator) / 2) / u128::from(numerator);
        let mantissa = u64::try_from(mantissa).ok()?;
        let back = Decimal { mantissa: mantissa.into(), scale }.multiply_rounded(numerator, denominator);
        if back.is_some_and(|(read, whole)| read == value && (whole || !exact)) {
            let digits = format!("{mantissa:0width$}", width = scale as usize + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
            return Some(if scale == 0 { whole.to_owned() } else { format!("{whole}.{fraction}") });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<(u64, bool)> {
        let (number, name, _) = split_number_and_unit(text);
        let unit = unit_named(name)?;
        Decimal::parse(number).ok()?.multiply_rounded(unit.numerator, unit.denominator)
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(read("43.9 us"), Some((43_900 * 561, true)));
        assert_eq!(read("1.5KiB"), Some((1536, true)));
        assert_eq!(read("0.1 B"), Some((0, false)));
        assert_eq!(read("37.647 ns"), Some((21120, false)));
        assert_eq!(read("1_000 ns"), Some((561_000, true)));
        assert_eq!(read("4.895 ns/m"), Some((4895, true)));
        assert_eq!(read("0.35 m"), Some((350_000, true)));
    }

    #[test]
    fn a_unit_is_what_its_name_says() {
        // The expected factor to the base unit follows from the prefixes of the international system and the binary prefixes of IEC
        // 80000-13.
        let one = |name: &str| unit_named(name).map(|unit| (unit.numerator, unit.denominator));
        let decimal =
            [("", 1), ("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000), ("T", 1_000_000_000_000)];
        for (prefix, of_base) in decimal {
            assert_eq!(one(&format!("{prefix}B")), Some((of_base, 1)), "{prefix}B");
        }
        assert_eq!(one("PB"), Some((1_000 * 1_000_000_000_000, 1)));
        for (power, prefix) in ["Ki", "Mi", "Gi", "Ti", "Pi"].into_iter().enumerate() {
            assert_eq!(one(&format!("{prefix}B")), Some((1024u64.pow(power as u32 + 1), 1)), "{prefix}B");
        }
        for (name, ps) in
            [("ps", 1), ("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)]
        {
            let (ticks, of) = one(name).expect("a unit of time");
            assert_eq!(u128::from(ticks) * 1_000, u128::from(of) * ps * u128::from(NS), "{name}");
        }
        assert!(["\u{b5}s", "\u{3bc}s"].iter().all(|name| one(name) == one("us")));
        assert_eq!(["cm", "m", "km"].map(one), [10_000, 1_000_000, 1_000_000_000].map(|um| Some((um, 1))));
        // A hundred per cent are the whole.
        assert_eq!(read("100 %"), Some((1_000_000, true)));
    }

    #[test]
    fn a_unit_of_one_per_another_is_their_quotient() {
        let quotients = UNITS
            .iter()
            .filter(|unit| unit.dimension != Dimension::Frequency)
            .filter_map(|unit| Some((unit, unit.name.split_once('/')?)));
        let mut seen = 0;
        for (unit, (above, below)) in quotients {
            let [above, below] =
                [above, below].map(|name| unit_named(name).unwrap_or_else(|| panic!("{name} is a unit")));
            // The expected factor to bytes, ticks and micrometres.
            let quotient =
                (above.numerator * below.denominator) as f64 / (below.numerator * above.denominator) as f64;
            let of_base = match unit.dimension {
                Dimension::Rate => quotient * (NS * 1_000_000_000) as f64,
                // The base units convert as 561 ticks to 1,000 ps, and a million micrometres to a metre.
                Dimension::Propagation => quotient / NS as f64 * 1_000.0 * 1e6,
                other => panic!("{} measures {other:?}", unit.name),
            };
            let found = unit.numerator as f64 / unit.denominator as f64;
            assert!((found / of_base - 1.0).abs() < 1e-12, "{}: {found} is not {of_base}", unit.name);
            seen += 1;
        }
        assert_eq!(seen, 13);
        // A frequency is a plain number per time.
        assert_eq!(
            ["1/s", "1/min", "3/h"].map(read),
            [Some((1_000_000, true)), Some((16_667, false)), Some((833, false))]
        );
        assert_eq!((read("5 us/km"), read("5 ns/m")), (Some((5_000, true)), Some((5_000, true))));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", ".", "1.", ".5", "1..2", "1__0", "_1", "1_", "+1", "1e3", "0x10"] {
            assert_eq!(Decimal::parse(text), Err(NotDecimal::Malformed), "{text}");
        }
        assert_eq!(Decimal::parse("-1"), Err(NotDecimal::Negative));
        assert_eq!(Decimal::parse("12345678901234567890"), Err(NotDecimal::TooLong));
        assert_eq!(Decimal::parse("0.1234567890123456789"), Err(NotDecimal::TooLong));
    }

    proptest! {
        #[test]
        fn a_written_decimal_reads_back(value in 0u64..1 << 56) {
            let ns = unit_named("ns").expect("a unit of the table");
            let text = decimal_in(value, ns, 4, false).expect("four decimals are finer than a tick");
            let number = Decimal::parse(&text).expect("a decimal");
            prop_assert_eq!(number.multiply_rounded(NS, 1).map(|read| read.0), Some(value));
        }
    }
}
