//! Where, as whom and how much to play.

use std::ops::RangeInclusive;

/// What the environment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The arena's `host:port`.
    pub address: String,
    /// By which the arena knows the bot.
    pub token: String,
    /// How many matches to play at once, 1 to 64.
    pub capacity: u32,
    /// How many matches to play before stopping, if not as many as there are.
    pub matches: Option<u32>,
}

/// A setting is missing or malformed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("{0} is not set")]
    Missing(&'static str),
    #[error("{name} is {value:?}: expected {expected}")]
    Malformed {
        name: &'static str,
        value: String,
        expected: String,
    },
}

impl Settings {
    /// Reads the settings from environment variables.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        let required = |name| given(name).ok_or(SettingsError::Missing(name));
        let number = |name, range| given(name).map(|value| parse_number(name, value, range)).transpose();
        Ok(Self {
            address: parse_address("KAWUXING_ADDRESS", required("KAWUXING_ADDRESS")?)?,
            token: required("KAWUXING_TOKEN")?,
            capacity: number("KAWUXING_CAPACITY", 1..=64)?.unwrap_or(1),
            matches: number("KAWUXING_MATCHES", 1..=1_000_000_000)?,
        })
    }
}

fn parse_number(name: &'static str, value: String, range: RangeInclusive<u32>) -> Result<u32, SettingsError> {
    match value.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let expected = format!("a whole number from {} to {}", range.start(), range.end());
            Err(SettingsError::Malformed { name, value, expected })
        }
    }
}

fn parse_address(name: &'static str, value: String) -> Result<String, SettingsError> {
    match value.rsplit_once(':') {
        Some((host, port))
            if !host.is_empty() && !host.contains('/') && port.parse().is_ok_and(|port: u16| port > 0) =>
        {
            Ok(value)
        }
        _ => {
            let expected = "host:port, such as 127.0.0.1:7700".to_owned();
            Err(SettingsError::Malformed { name, value, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(changes: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let defaults = [
            ("KAWUXING_ADDRESS", "arena.example.org:50051"),
            ("KAWUXING_TOKEN", "secret"),
        ];
        Settings::from_variables(|name| {
            let mut given = changes.iter().chain(&defaults);
            given
                .find(|(known, _)| *known == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn settings_have_defaults() {
        let expected = Settings {
            address: "arena.example.org:50051".to_owned(),
            token: "secret".to_owned(),
            capacity: 1,
            matches: None,
        };
        assert_eq!(Ok(expected), settings(&[]));
    }

    #[test]
    fn settings_are_read() {
        let read = settings(&[
            ("KAWUXING_ADDRESS", "[::1]:1"),
            ("KAWUXING_CAPACITY", "64"),
            ("KAWUXING_MATCHES", "7"),
        ]);
        let Settings {
            address,
            capacity,
            matches,
            ..
        } = read.unwrap();
        assert_eq!(("[::1]:1", 64, Some(7)), (address.as_str(), capacity, matches));
    }

    #[test]
    fn wrong_settings_are_named() {
        for (name, value) in [
            ("KAWUXING_ADDRESS", ""),
            ("KAWUXING_ADDRESS", "arena"),
            ("KAWUXING_ADDRESS", ":50051"),
            ("KAWUXING_ADDRESS", "arena:0"),
            ("KAWUXING_ADDRESS", "arena:65536"),
            ("KAWUXING_TOKEN", ""),
            ("KAWUXING_CAPACITY", "0"),
            ("KAWUXING_CAPACITY", "65"),
            ("KAWUXING_MATCHES", "some"),
        ] {
            let message = settings(&[(name, value)]).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains(value), "{message}");
        }
    }
}
