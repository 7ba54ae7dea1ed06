//! The wire format of protobuf: fields of a message, appended to a buffer.

/// A base-128 number.
pub fn varint_bytes(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A field with a number.
pub fn number_field(out: &mut Vec<u8>, field: u32, value: u64) {
    varint_bytes(out, u64::from(field) << 3);
    varint_bytes(out, value);
}

/// A field of eight bytes.
pub fn fixed64_field(out: &mut Vec<u8>, field: u32, value: u64) {
    varint_bytes(out, u64::from(field) << 3 | 1);
    out.extend_from_slice(&value.to_le_bytes());
}

/// A field with a text.
pub fn text_field(out: &mut Vec<u8>, field: u32, value: &str) {
    varint_bytes(out, u64::from(field) << 3 | 2);
    varint_bytes(out, value.len() as u64);
    out.extend_from_slice(value.as_bytes());
}

/// A field with a message, which `fill` appends. Nearly all messages are shorter than 128 bytes, so one byte is reserved
/// for the length.
pub fn message(out: &mut Vec<u8>, field: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    varint_bytes(out, u64::from(field) << 3 | 2);
    out.push(0);
    let start = out.len();
    fill(out);
    let length = out.len() - start;
    if length < 0x80 {
        out[start - 1] = length as u8;
    } else {
        let mut prefix = Vec::with_capacity(10);
        varint_bytes(&mut prefix, length as u64);
        out.splice(start - 1..start, prefix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_base_128() {
        let mut out = Vec::new();
        for value in [0, 127, 128, 300, u64::MAX] {
            varint_bytes(&mut out, value);
        }
        let longest = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
        assert_eq!(out, [&[0, 0x7F, 0x80, 0x01, 0xAC, 0x02][..], &longest].concat());
    }

    #[test]
    fn a_message_of_128_bytes_has_a_length_of_two() {
        let mut out = vec![0xEE];
        message(&mut out, 1, |out| out.extend([7; 128]));
        assert_eq!(out[..4], [0xEE, 0x0A, 0x80, 0x01]);
        assert_eq!(out[4..], [7; 128]);
    }
}
