//! Large arrays with scattered accesses, such as the slots of a cache of millions of blocks.
//!
//! A scattered access to a large array misses the caches of the processor, and with pages of 4 KiB also its address translation cache
//! (TLB), so the access waits for memory twice. Linux gives pages of 2 MiB to memory for which a process requests them (`madvise(2)`,
//! `MADV_HUGEPAGE`); where `/sys/kernel/mm/transparent_hugepage/enabled` says `always` no request is needed, and where it says `never` the
//! request has no effect. Only speed depends on large pages: the arrays are ordinary vectors.

/// The smallest size in bytes for which an array requests large pages: the size of four of them.
pub const LARGE_BYTES: usize = 8 << 20;

/// An empty vector with capacity for at least this number of elements, in large pages if the memory is large.
pub fn with_capacity<T>(elements: usize) -> Vec<T> {
    let room = Vec::with_capacity(elements);
    ask_for_large_pages(&room);
    room
}

/// Gives a vector capacity for exactly this number of further elements. A large vector moves to new memory, because its present memory
/// keeps its small pages.
pub fn reserve_exact<T>(vector: &mut Vec<T>, more: usize) {
    let capacity = vector.len() + more;
    if capacity <= vector.capacity() {
        return;
    }
    if capacity * size_of::<T>() < LARGE_BYTES {
        vector.reserve_exact(more);
        return;
    }
    let mut larger = with_capacity(capacity);
    larger.append(vector);
    *vector = larger;
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn ask_for_large_pages<T>(vector: &Vec<T>) {
    /// The address for `madvise` has to be a multiple of the page size, and no system has ordinary pages larger than this.
    const PAGE: usize = 64 << 10;
    let bytes = vector.capacity() * size_of::<T>();
    if bytes < LARGE_BYTES {
        return;
    }
    let address = vector.as_ptr().addr();
    let skipped = address.next_multiple_of(PAGE) - address;
    let length = (bytes - skipped) / PAGE * PAGE;
    // SAFETY: the range lies within memory that the vector owns, as LARGE_BYTES is more than a page. MADV_HUGEPAGE changes neither the
    // content of the memory nor its access rights; on a system without it the call fails and has no effect.
    unsafe {
        libc::madvise(vector.as_ptr().cast_mut().byte_add(skipped).cast(), length, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages<T>(_: &Vec<T>) {}

/// Prefetches an element that will be read soon, if the processor is of a kind for which the prefetch instruction is known here. An index
/// without an element has no effect.
#[inline]
#[allow(unsafe_code)]
pub fn prefetch_element<T>(elements: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = elements.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction is part of SSE, which every x86-64 processor has, and whatever the address it changes only the timing of
        // the program; this address is that of an existing element.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (elements, at);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_that_grows_keeps_what_is_in_it_and_has_the_room_that_was_asked_for() {
        let mut numbers: Vec<u64> = Vec::new();
        for elements in [10, 1_000, LARGE_BYTES / 8, LARGE_BYTES / 4] {
            let more = elements - numbers.len();
            reserve_exact(&mut numbers, more);
            assert!(numbers.capacity() >= elements);
            let room = numbers.as_ptr();
            numbers.extend(numbers.len() as u64..elements as u64);
            assert_eq!(room, numbers.as_ptr(), "it moved");
            assert!(numbers.iter().copied().eq(0..elements as u64));
        }
    }

    #[test]
    fn what_has_room_already_stays_where_it_is() {
        let mut numbers: Vec<u64> = with_capacity(LARGE_BYTES);
        let room = numbers.as_ptr();
        reserve_exact(&mut numbers, 10);
        assert_eq!((room, numbers.capacity()), (numbers.as_ptr(), LARGE_BYTES));
    }

    #[test]
    fn foreseeing_changes_nothing_and_may_name_what_is_not_there() {
        let numbers = [1, 2, 3];
        (0..5).chain([usize::MAX]).for_each(|at| prefetch_element(&numbers, at));
        prefetch_element::<u64>(&[], 0);
        assert_eq!(numbers, [1, 2, 3]);
    }

    /// The operating system decides whether large pages are free; the request for them is recorded as `hg` in the kernel's list of the
    /// memory of the process.
    #[cfg(target_os = "linux")]
    #[test]
    fn large_pages_are_asked_for_of_all_of_a_large_vector_but_its_ends() {
        let Ok(text) = std::fs::read_to_string("/proc/self/smaps") else { return };
        if !text.contains("THPeligible") {
            return;
        }
        let large: Vec<u8> = with_capacity(64 << 20);
        let start = large.as_ptr().addr();
        let small: Vec<u8> = with_capacity(LARGE_BYTES - 1);
        let text = std::fs::read_to_string("/proc/self/smaps").expect("what could be read before");
        assert!(is_asked_for(&text, start + (1 << 20)) && is_asked_for(&text, start + (63 << 20)));
        assert!(!is_asked_for(&text, small.as_ptr().addr() + (1 << 20)));
    }

    /// Whether the flags of the memory at an address say that large pages were asked for.
    #[cfg(target_os = "linux")]
    fn is_asked_for(text: &str, address: usize) -> bool {
        let mut within = false;
        for line in text.lines() {
            let range = line.split(' ').next().and_then(|word| word.split_once('-'));
            let ends = range.map(|(start, end)| [start, end].map(|end| usize::from_str_radix(end, 16)));
            if let Some([Ok(start), Ok(end)]) = ends {
                within = (start..end).contains(&address);
            } else if within && line.starts_with("VmFlags:") {
                return line.split(' ').any(|flag| flag == "hg");
            }
        }
        false
    }
}
