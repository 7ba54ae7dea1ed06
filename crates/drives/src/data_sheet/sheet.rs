//! The file of a data sheet: a table with a line for each response time.
//!
//! Comma-separated values with a line of names first. The columns `operation` (`read` or `write`), `size` (`4 KiB`), `queue_depth`, and
//! `response_time` (`5.1 ms`) or `iops` (the response time is then the queue depth divided by it) are required; `pattern` (`random`, the
//! default, or `sequential`) and `cache` (`on` or `off`) are optional. Other columns, empty lines and lines that begin with `#` are
//! ignored.

use super::responses::{CommandClass, ResponsePoint};
use sansim_kernel::Span;
use sansim_schema::units::{Decimal, Dimension, split_number_and_unit, unit_named};

/// The lines of a file that are valid for this setting of the cache, where the file distinguishes cache settings.
///
/// # Errors
/// A line cannot be read; the text has its number and what was expected instead.
pub fn read_data_sheet_lines(text: &str, cache: &str) -> Result<Vec<ResponsePoint>, Vec<String>> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let Some((_, header)) = lines.next() else { return Err(vec!["the file is empty".to_owned()]) };
    let columns = Columns::of(header).map_err(|why| vec![why])?;
    let (mut measured, mut faults) = (Vec::new(), Vec::new());
    for (number, line) in lines {
        let values: Vec<&str> = line.split(',').map(str::trim).collect();
        match columns.line(&values, cache) {
            Ok(Some(line)) => measured.push(line),
            Ok(None) => {}
            Err(why) => faults.push(format!("line {}: {why}", number + 1)),
        }
    }
    if faults.is_empty() { Ok(measured) } else { Err(faults) }
}

/// The column of each value in a line.
struct Columns {
    operation: usize,
    size: usize,
    queue_depth: usize,
    response_time: Option<usize>,
    iops: Option<usize>,
    pattern: Option<usize>,
    cache: Option<usize>,
}

impl Columns {
    fn of(header: &str) -> Result<Self, String> {
        let names: Vec<String> = header.split(',').map(|name| name.trim().to_lowercase()).collect();
        let place = |name: &str| names.iter().position(|other| other == name);
        let needed = |name: &str| {
            place(name).ok_or_else(|| {
                format!("the first line names no column `{name}`; it has {}", names.join(", "))
            })
        };
        let (response_time, iops) = (place("response_time"), place("iops"));
        if response_time.is_none() && iops.is_none() {
            return Err("the first line names neither `response_time` nor `iops`".to_owned());
        }
        Ok(Self {
            operation: needed("operation")?,
            size: needed("size")?,
            queue_depth: needed("queue_depth")?,
            response_time,
            iops,
            pattern: place("pattern"),
            cache: place("cache"),
        })
    }

    /// The point of a line; none if the line is for another setting of the cache.
    fn line(&self, values: &[&str], cache: &str) -> Result<Option<ResponsePoint>, String> {
        let value = |place: usize| values.get(place).copied().unwrap_or("");
        let one_of = |name: &str, text: &str, [no, yes]: [&str; 2]| {
            if text.eq_ignore_ascii_case(yes) {
                Ok(true)
            } else if text.eq_ignore_ascii_case(no) {
                Ok(false)
            } else {
                Err(format!("{name} is `{text}`; it must be `{no}` or `{yes}`"))
            }
        };
        if let Some(place) = self.cache
            && one_of("cache", value(place), ["off", "on"])? != (cache == "on")
        {
            return Ok(None);
        }
        let write = one_of("operation", value(self.operation), ["read", "write"])?;
        let sequential = match self.pattern {
            Some(place) => one_of("pattern", value(place), ["random", "sequential"])?,
            None => false,
        };
        let bytes = amount("size", value(self.size), Dimension::Size, "4 KiB")?;
        let depth = value(self.queue_depth);
        let queue_depth = depth
            .parse()
            .ok()
            .filter(|depth| (1..=65_536).contains(depth))
            .ok_or_else(|| format!("queue_depth is `{depth}`; it must be a number from 1 to 65536"))?;
        let response = match (self.response_time.map(value), self.iops.map(value)) {
            (Some(text), _) if !text.is_empty() => {
                Span(amount("response_time", text, Dimension::Time, "5.1 ms")?)
            }
            (_, Some(text)) => {
                let iops: f64 = text
                    .parse()
                    .ok()
                    .filter(|iops: &f64| *iops > 0.0 && iops.is_finite())
                    .ok_or_else(|| format!("iops is `{text}`; it must be a number above 0"))?;
                Span::from_ns_f64(f64::from(queue_depth) * 1e9 / iops)
            }
            (_, None) => return Err("it has no response_time".to_owned()),
        };
        if response == Span::ZERO || response > Span::LONGEST {
            return Err(format!("a response time of {response}; it must be above 0 and at most 30 days"));
        }
        Ok(Some(ResponsePoint { asked: CommandClass { write, sequential, bytes }, queue_depth, response }))
    }
}

/// A number with a unit, in the base unit of its dimension.
fn amount(name: &str, text: &str, dimension: Dimension, example: &str) -> Result<u64, String> {
    let wrong = || format!("{name} is `{text}`; it must be a number with a unit, as `{example}`");
    let (number, unit, _) = split_number_and_unit(text);
    let number = Decimal::parse(number.trim()).map_err(|_| wrong())?;
    let unit = unit_named(unit.trim()).filter(|unit| unit.dimension == dimension).ok_or_else(wrong)?;
    let (value, _) = number.multiply_rounded(unit.numerator, unit.denominator).ok_or_else(wrong)?;
    if value == 0 { Err(wrong()) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "operation, pattern, size, queue_depth, response_time, iops, cache\n";

    #[test]
    fn a_line_is_a_time_or_a_number_of_ios_in_a_second() {
        let text = format!(
            "# a drive\n{HEADER}\nread,random,4 KiB,4,,500,on\nWrite,sequential,512 B,1,2.5 ms,,on\nread,random,4 KiB,4,1 ms,,off\n"
        );
        let lines = read_data_sheet_lines(&text, "on").expect("a sheet");
        assert_eq!(lines.len(), 2, "one is for another setting of the cache");
        assert_eq!(lines[0].response, Span::from_us(8_000));
        assert_eq!(
            lines[1],
            ResponsePoint {
                asked: CommandClass { write: true, sequential: true, bytes: 512 },
                queue_depth: 1,
                response: Span::from_us(2_500)
            }
        );
    }

    #[test]
    fn every_line_that_is_wrong_is_named() {
        let text = format!(
            "{HEADER}reed,random,4 KiB,4,1 ms,,on\nread,random,4096,4,1 ms,,on\nread,random,4 KiB,0,1 ms,,on\nread,random,4 KiB,1,,-3,on\n"
        );
        assert_eq!(
            read_data_sheet_lines(&text, "on"),
            Err(vec![
                "line 2: operation is `reed`; it must be `read` or `write`".to_owned(),
                "line 3: size is `4096`; it must be a number with a unit, as `4 KiB`".to_owned(),
                "line 4: queue_depth is `0`; it must be a number from 1 to 65536".to_owned(),
                "line 5: iops is `-3`; it must be a number above 0".to_owned(),
            ])
        );
        assert_eq!(
            read_data_sheet_lines("operation,size,queue_depth\n", "on"),
            Err(vec!["the first line names neither `response_time` nor `iops`".to_owned()])
        );
        assert_eq!(read_data_sheet_lines("", "on"), Err(vec!["the file is empty".to_owned()]));
    }
}
