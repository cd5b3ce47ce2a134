//! What the process has used: time of its processor and memory at its highest.
//!
//! Apart because all figures ask here, so that they mean the same: time of the processor without waiting, memory as the
//! kernel counts it. Must not know what is measured.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time of the process.
pub(crate) fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// Returns the most memory that was resident at once, in bytes.
pub(crate) fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|it| it.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Sets the highest mark of resident memory to what is resident now.
pub(crate) fn forget_peak() {
    // Where the system does not let us the mark stays, and figures are too high, not too low.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the least processor time of several runs, in nanoseconds a run.
pub(crate) fn least_ns(windows: u32, runs: u32, mut run: impl FnMut()) -> f64 {
    let mut least = f64::MAX;
    for _ in 0..windows {
        let start = cpu();
        (0..runs).for_each(|_| run());
        let taken = (cpu() - start).as_secs_f64() * 1e9 / f64::from(runs);
        least = least.min(taken);
    }
    least
}
