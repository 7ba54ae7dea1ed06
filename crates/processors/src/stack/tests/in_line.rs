//! Tests of jobs that continue in line, in all states of the threads.

use super::*;
use proptest::prelude::*;

#[test]
fn a_poll_that_ends_with_a_period_and_finds_something_was_not_in_vain_before() {
    let ApplianceProcessors::Polling(model) = one_or_two() else { unreachable!("it polls") };
    let mut bench = bench(ApplianceProcessors::Polling(model), 1);
    let [one, ..] = three(&mut bench);
    // Polls of the first adapter end at 97 us, which is too soon, and at 100 us; the thread works during all of the period that begins
    // then.
    let (module, time) = (Module::LookUp, Span::from_us(100));
    bench.receive(
        instant_at_us(97),
        0,
        Message::Job(ModuleJob { request: Some(one), module, time, bytes: 1024, number: 1 }),
    );
    bench.handle_due_timer(instant_at_us(100));
    assert_eq!(polls(&bench, 100), (1, 99));
    bench.handle_due_timer(instant_at_us(200));
    assert_eq!(bench.component.gauge(instant_at_us(200), 2, 0), 2);
    assert!(done(&bench.handle_due_timer(instant_at_us(205)).messages_sent_at_port(0)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Threads begin and stop after every period, while they work or when they have just finished.
    #[test]
    fn what_goes_on_in_line_takes_its_own_time_and_no_other_whatever_threads_do(
        jobs in prop::collection::vec((0..300_u64, 0..300_u64), 1..20),
        most_threads in 1..4_u32,
        [another_from, fewer_below] in prop::array::uniform2(prop::sample::select(vec![0, 1, 200_000, 1_000_000])),
    ) {
        let ApplianceProcessors::Polling(model) = polling(1, most_threads) else { unreachable!("it polls") };
        let share = |millionths| Share { millionths };
        let model = PollingStack { another_from: share(another_from), fewer_below: share(fewer_below), ..model };
        let mut bench = bench(ApplianceProcessors::Polling(model), 1);
        let mut at = instant_at_us(0);
        let coming: Vec<(Time, ModuleJob)> = (0..).zip(&jobs).map(|(number, &(gap, long))| {
            at += Span::from_us(gap);
            let request = Some(bench.open_request(instant_at_us(0), sample_read(number, 1024)));
            let (module, time) = (Module::LookUp, Span::from_us(long));
            (at, ModuleJob { request, module, time, bytes: 1024, number: 1 + number as u32 % 2 })
        }).collect();
        let mut coming = coming.into_iter().peekable();
        let mut in_line = Vec::new();
        let mut done = 0;
        while done < jobs.len() {
            let timer = bench.timers().first().map_or(Time::NEVER, |timer| timer.0);
            if let Some((at, job)) = coming.next_if(|(at, _)| *at <= timer) {
                bench.receive(at, 0, Message::Job(job));
                continue;
            }
            prop_assert!(timer < instant_at_us(1_000_000), "{} jobs are left", jobs.len() - done);
            for message in bench.handle_due_timer(timer).messages_sent_at_port(0) {
                let Message::JobDone(job) = message else { continue };
                if job.number == 0 {
                    prop_assert!(in_line.contains(&(job.request, timer)), "{job:?} is done at {timer}");
                    done += 1;
                } else {
                    in_line.push((job.request, timer + Span::from_us(5)));
                    bench.receive(timer, 0, Message::Job(ModuleJob { number: 0, time: Span::ZERO, ..job }));
                }
            }
        }
    }
}
