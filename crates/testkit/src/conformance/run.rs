//! Drives an engine over many cases: on several threads, with a guard round each case.
//!
//! A panic fails its case and the engine is made anew. A case without an answer in `LIMIT` fails too
//! and its thread is left behind, since a thread cannot be stopped; the process ends soon after. Deep
//! cases get a deep stack. Nothing here knows what is run or how it is judged.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use super::Engine;
use super::compare::Judged;

/// How long one case may take.
const LIMIT: Duration = Duration::from_secs(20);
const STACK_BYTES: usize = 512 << 20;

/// Makes an engine; called once for each thread and after each panic.
pub type Maker = Arc<dyn Fn() -> Box<dyn Engine> + Send + Sync>;

/// Runs one case on an engine and judges the answer.
pub type Runner<C> = fn(&mut dyn Engine, &C) -> Judged;

/// Runs every case and returns the verdicts in the order of the cases.
#[must_use]
pub fn run<C: Send + Sync + 'static>(cases: &Arc<[C]>, make: &Maker, runner: Runner<C>) -> Vec<Judged> {
    let lanes = thread::available_parallelism().map_or(1, usize::from);
    let mut verdicts = vec![Err("not run".to_owned()); cases.len()];
    let mut found = Vec::new();
    thread::scope(|scope| {
        let handles: Vec<_> = (0..lanes)
            .map(|lane| {
                let places: Vec<usize> = (lane..cases.len()).step_by(lanes).collect();
                scope.spawn(move || run_lane(cases, make, runner, &places))
            })
            .collect();
        for handle in handles {
            found.extend(handle.join().unwrap_or_default());
        }
    });
    for (place, verdict) in found {
        if let Some(slot) = verdicts.get_mut(place) {
            *slot = verdict;
        }
    }
    verdicts
}

/// Runs the cases at `places` one after the other, on a worker that is replaced when it hangs.
fn run_lane<C: Send + Sync + 'static>(
    cases: &Arc<[C]>,
    make: &Maker,
    runner: Runner<C>,
    places: &[usize],
) -> Vec<(usize, Judged)> {
    let mut verdicts = Vec::new();
    while verdicts.len() < places.len() {
        let rest: Vec<usize> = places.iter().copied().skip(verdicts.len()).collect();
        let answers = spawn_worker(Arc::clone(cases), Arc::clone(make), runner, rest.clone());
        for place in rest {
            match answers.recv_timeout(LIMIT) {
                Ok(verdict) => verdicts.push((place, verdict)),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    verdicts.push((place, Err(format!("no answer in {} s", LIMIT.as_secs()))));
                    break;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    verdicts.push((place, Err("the engine could not be made".to_owned())));
                    break;
                }
            }
        }
    }
    verdicts
}

fn spawn_worker<C: Send + Sync + 'static>(
    cases: Arc<[C]>,
    make: Maker,
    runner: Runner<C>,
    places: Vec<usize>,
) -> mpsc::Receiver<Judged> {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let mut engine = make();
        for case in places.iter().filter_map(|place| cases.get(*place)) {
            let verdict = catch_unwind(AssertUnwindSafe(|| runner(engine.as_mut(), case)));
            let verdict = verdict.unwrap_or_else(|payload| {
                engine = make();
                Err(format!("panic: {}", panic_text(payload.as_ref())))
            });
            if sender.send(verdict).is_err() {
                return;
            }
        }
    };
    // Without a thread the sender is dropped, and the lane says that no engine was made.
    drop(thread::Builder::new().stack_size(STACK_BYTES).spawn(work));
    receiver
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::case::{CompileCase, EvalCase, Fault, ParseCase, Version};
    use crate::conformance::{Outcome, Parsed};

    struct Fake;

    impl Engine for Fake {
        fn eval(&mut self, _: &EvalCase) -> Outcome {
            Outcome::Results(Vec::new())
        }

        fn compile(&mut self, _: &CompileCase) -> Vec<Fault> {
            Vec::new()
        }

        fn parse(&mut self, _: &ParseCase, _: Version) -> Parsed {
            Parsed::default()
        }
    }

    #[test]
    fn a_panic_fails_one_case_alone() {
        let cases: Arc<[u32]> = (0..20).collect();
        let make: Maker = Arc::new(|| Box::new(Fake));
        let verdicts = run(&cases, &make, |_, case| {
            assert!(*case != 7, "seven");
            if *case == 9 { Err("nine".to_owned()) } else { Ok(()) }
        });
        let failed: Vec<usize> = (0..20).filter(|it| verdicts[*it].is_err()).collect();
        assert_eq!(failed, [7, 9]);
        assert_eq!(verdicts[7], Err("panic: seven".to_owned()));
    }
}
