//! Channels to the arena, and what its errors mean.

use std::time::Duration;

use tonic::Status;
use tonic::transport::{Channel, Endpoint};
use tonic_types::StatusExt;

use crate::settings::SettingsError;
use crate::v1::ErrorReason;

/// What ends the bot early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting is missing or malformed.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The arena refuses the bot as it is told to connect.
    #[error("the arena refuses this bot: {0}")]
    Refused(String),
    /// One of the two is too old.
    #[error("the arena and this bot do not understand each other: {0}")]
    Incompatible(String),
    /// The system lets nobody listen to signals.
    #[error("cannot listen to signals: {0}")]
    Signals(#[from] std::io::Error),
}

/// Returns a channel to `host:port`; it connects when it is used.
pub fn open_channel(address: &str) -> Result<Channel, Error> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))
        .map_err(|error| Error::Refused(format!("{address} is no address: {error}")))?;
    Ok(endpoint
        .connect_timeout(Duration::from_secs(5))
        // The server cuts off clients that ping more often than every 10 s.
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true)
        .connect_lazy())
}

/// Returns the reason that a failed call carries, unspecified if it carries none that is known here.
pub fn reason_of(status: &Status) -> ErrorReason {
    status
        .get_details_error_info()
        .and_then(|info| ErrorReason::from_str_name(&format!("ERROR_REASON_{}", info.reason)))
        .unwrap_or(ErrorReason::Unspecified)
}
