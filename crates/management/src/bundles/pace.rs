//! How long to wait before the next request: between two bounds by chance, longer and longer after failures.
//!
//! Chance is handed in, so that the same seed gives the same times.

use std::time::Duration;

use crate::services::Random;

/// The pause that grows after failures.
const PAUSE_FIRST: Duration = Duration::from_millis(100);
/// How much longer the next pause is.
const GROWTH: f64 = 1.6;
/// A pause is longer or shorter by this part of it, so that many clients do not come at once.
const JITTER: f64 = 0.2;

/// Returns a time between two, by chance.
pub(crate) fn between(min: Duration, max: Duration, random: &Random) -> Duration {
    min + max.saturating_sub(min).mul_f64(share(random))
}

/// Returns how long to wait after a failure, the first being number 0: not at all, then longer each time.
pub(crate) fn after_failure(number: u32, max: Duration, random: &Random) -> Duration {
    if number == 0 {
        return Duration::ZERO;
    }
    let mut pause = PAUSE_FIRST;
    for _ in 0..number {
        if pause >= max {
            break;
        }
        pause = pause.mul_f64(GROWTH);
    }
    pause.min(max).mul_f64(1.0 + JITTER * (share(random) * 2.0 - 1.0))
}

/// Returns a number from 0 to 1.
fn share(random: &Random) -> f64 {
    let mut bytes = [0; 4];
    random(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn always(byte: u8) -> Random {
        Arc::new(move |bytes: &mut [u8]| bytes.fill(byte))
    }

    #[test]
    fn times_are_within_their_bounds() {
        let (min, max) = (Duration::from_secs(60), Duration::from_secs(120));
        assert_eq!(between(min, max, &always(0)), min);
        assert_eq!(between(min, max, &always(0xff)), max);
        assert_eq!(after_failure(0, max, &always(0)), Duration::ZERO);
        assert_eq!(after_failure(1, max, &always(0)), Duration::from_millis(128));
        assert_eq!(after_failure(2, max, &always(0xff)).as_millis(), 307);
        assert_eq!(after_failure(u32::MAX, max, &always(0xff)), Duration::from_secs(144));
        assert_eq!(after_failure(9, Duration::from_millis(1), &always(0)), Duration::from_micros(800));
    }
}
