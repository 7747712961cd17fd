//! Waiting before trying again: longer each time, and never in step with the others.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// The pauses between attempts: doubling from 0.1 s to 5 s, each taken at random from its upper half.
#[derive(Debug)]
pub struct Backoff {
    next: Duration,
}

impl Backoff {
    /// Begins with the shortest pause.
    pub fn new() -> Self {
        Self { next: FIRST }
    }

    /// Begins again with the shortest pause, after a success.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// Pauses.
    pub async fn wait(&mut self) {
        tokio::time::sleep(self.pause()).await;
    }

    fn pause(&mut self) -> Duration {
        let pause = self.next.mul_f64(0.5 + fastrand::f64() / 2.0);
        self.next = LONGEST.min(self.next * 2);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_limit_and_begin_again() {
        let mut backoff = Backoff::new();
        let mut longest = FIRST;
        for _ in 0..10 {
            let pause = backoff.pause();
            assert!(longest / 2 <= pause && pause <= longest, "{pause:?} of {longest:?}");
            longest = LONGEST.min(longest * 2);
        }
        backoff.reset();
        assert!(backoff.pause() <= FIRST);
    }
}
