//! What a bot's author is told while the arena cannot be reached.

use std::time::{Duration, Instant};

use tonic::Status;

const SILENCE: Duration = Duration::from_secs(60);

/// Warns at the first failure to reach the arena and then once a minute.
#[derive(Debug)]
pub struct Outage {
    address: String,
    told: Option<Instant>,
}

impl Outage {
    /// Prepares for failures to reach `host:port`.
    pub fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            told: None,
        }
    }

    /// Warns of a failed call, unless it has just done so.
    pub fn tell(&mut self, status: &Status) {
        if self.told.is_none_or(|told| told.elapsed() >= SILENCE) {
            self.told = Some(Instant::now());
            let (address, code) = (&self.address, status.code());
            tracing::warn!(
                "no lobby at {address}; trying again, silent for a minute: {code:?}: {}",
                status.message()
            );
        }
    }

    /// Warns at once at the next failure, after the arena has been reached.
    pub fn over(&mut self) {
        self.told = None;
    }
}
