//! In a steady state the calendar, the streams and the accumulators allocate nothing.
//!
//! Only a counting allocator can detect an allocation, and `GlobalAlloc` is an unsafe trait: therefore this test
//! file, and nothing else in the crate, allows unsafe code. The counting allocator forwards every call to the system
//! allocator.
#![allow(unsafe_code)]

use sansim_kernel::{Calendar, Histogram, Order, RandomStream, Span, Time, TimeWeighted};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every method passes its arguments unchanged to the system allocator and returns its result.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `pending` events that each schedule a successor, with a timeout set and cancelled at every other event;
/// returns the number of allocations during the last `events` events.
fn allocations(pending: u32, events: u64) -> u64 {
    let mut calendar = Calendar::new();
    let mut random = RandomStream::new(1, "test");
    let mut busy = TimeWeighted::new();
    let mut delays = Histogram::with_largest(u64::from(u32::MAX) * 64);
    for unit in 0..pending {
        calendar.schedule(Time(random.draw_below(1_000_000)), Order { priority: 0, rank: 0, unit }, unit);
    }
    let mut before = 0;
    for i in 0..events * 2 {
        if i == events {
            before = ALLOCATIONS.load(Ordering::Relaxed);
        }
        let (now, unit) = calendar.pop().expect("every event has a successor");
        // The delays have very different sizes, including zero, so that every part of the calendar has work.
        let delay = Span(random.next_u64() >> (27 + random.draw_below(37)));
        if i % 2 == 0 {
            let timeout = calendar.schedule_cancellable(
                now + delay + Span(1_000_000),
                Order { priority: 1, rank: 0, unit },
                unit,
            );
            assert!(calendar.cancel(timeout));
        }
        calendar.schedule(now + delay, Order { priority: 0, rank: 0, unit }, unit);
        busy.set(now, i % 2);
        delays.record(delay.ticks());
    }
    assert_eq!(calendar.len(), pending as usize);
    ALLOCATIONS.load(Ordering::Relaxed) - before
}

// There is only one test, because tests of one file run at the same time and share the counter.
#[test]
fn a_steady_state_allocates_nothing() {
    for pending in [1, 10, 100, 1_000, 20_000] {
        assert_eq!(allocations(pending, 2_000_000), 0, "{pending} pending events");
    }
}
