//! The bot's stay in the lobby: joins, plays what it is assigned, and joins again whenever the connection is lost.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::arena::{Error, open_channel, reason_of};
use crate::backoff::Backoff;
use crate::outage::Outage;
use crate::settings::Settings;
use crate::table::Table;
use crate::v1::join_response::Response;
use crate::v1::lobby_service_client::LobbyServiceClient;
use crate::v1::{Assignment, Cancelled, ErrorReason, Goodbye, GoodbyeReason, JoinRequest};

const PROTOCOL_VERSION: u32 = 1;
const CLIENT: &str = concat!("kawuxing-example-rust/", env!("CARGO_PKG_VERSION"));
/// For the last messages of matches that are just ending, after the lobby said that all is over.
const LAST_MESSAGES: Duration = Duration::from_secs(5);

/// What the lobby says about matches.
enum News {
    Assignment(Assignment),
    Cancelled(Cancelled),
}

/// Plays until the tournament is over, the bot is withdrawn, or it has played as many matches as it was to.
pub async fn play(settings: Settings) -> Result<(), Error> {
    let mut tables = Tables::new(&settings);
    let (news, mut inbox) = mpsc::channel(16);
    let staying = stay(&settings, tables.channel(&settings.address)?, news);
    tokio::pin!(staying);
    loop {
        tokio::select! {
            biased;
            Some(played) = tables.playing.join_next() => {
                if tables.count(played.expect("tables neither panic nor are aborted"))? {
                    return Ok(());
                }
            }
            Some(news) = inbox.recv() => match news {
                News::Assignment(assignment) => tables.sit_down(assignment)?,
                News::Cancelled(cancelled) => tables.cancel(&cancelled),
            },
            over = &mut staying => {
                over?;
                break;
            }
        }
    }
    let ending = async { while tables.playing.join_next().await.is_some() {} };
    // A match that has not ended by then is lost with the arena.
    let _ = tokio::time::timeout(LAST_MESSAGES, ending).await;
    Ok(())
}

/// Joins, and joins again, until the lobby says goodbye for good.
async fn stay(settings: &Settings, channel: Channel, news: mpsc::Sender<News>) -> Result<(), Error> {
    let mut client = LobbyServiceClient::new(channel);
    let mut backoff = Backoff::new();
    let mut outage = Outage::new(&settings.address);
    loop {
        match listen(settings, &mut client, &news, &mut backoff, &mut outage).await {
            Ok(goodbye) => match goodbye.reason() {
                GoodbyeReason::Withdrawn => {
                    tracing::warn!("the bot was withdrawn from the tournament: {}", goodbye.message);
                    return Ok(());
                }
                GoodbyeReason::Finished => return Ok(()),
                GoodbyeReason::Stopping | GoodbyeReason::Unspecified => {}
            },
            Err(status) if is_final(settings, &status)? => return Ok(()),
            Err(status) => outage.tell(&status),
        }
        backoff.wait().await;
    }
}

/// Passes on what the lobby says until it says goodbye or the stream ends.
async fn listen(
    settings: &Settings,
    client: &mut LobbyServiceClient<Channel>,
    news: &mpsc::Sender<News>,
    backoff: &mut Backoff,
    outage: &mut Outage,
) -> Result<Goodbye, Status> {
    let request = JoinRequest {
        token: settings.token.clone(),
        capacity: settings.capacity,
        protocol_version: PROTOCOL_VERSION,
        client: CLIENT.to_owned(),
    };
    let mut stream = client.join(request).await?.into_inner();
    while let Some(message) = stream.message().await? {
        let said = match message.response {
            Some(Response::Welcome(welcome)) => {
                backoff.reset();
                outage.over();
                tracing::info!("joined as {}, server {}", welcome.bot, welcome.server_version);
                continue;
            }
            Some(Response::Assignment(assignment)) => News::Assignment(assignment),
            Some(Response::Cancelled(cancelled)) => News::Cancelled(cancelled),
            Some(Response::Goodbye(goodbye)) => return Ok(goodbye),
            // What later versions may say.
            None => continue,
        };
        news.send(said).await.expect("whoever polls this keeps the inbox");
    }
    Err(Status::unknown("the lobby closed the stream"))
}

/// Returns whether a failed Join means that all is over; fails if trying again is of no use.
fn is_final(settings: &Settings, status: &Status) -> Result<bool, Error> {
    let said = status.message();
    match reason_of(status) {
        ErrorReason::Withdrawn => {
            tracing::warn!("the bot was withdrawn from the tournament: {said}");
            Ok(true)
        }
        ErrorReason::UnknownToken | ErrorReason::InvalidField => Err(Error::Refused(said.to_owned())),
        ErrorReason::UnsupportedProtocol => Err(Error::Incompatible(said.to_owned())),
        _ if status.code() == Code::Unimplemented => {
            let address = &settings.address;
            Err(Error::Refused(format!(
                "what answers at {address} is no Kawuxing arena: {said}"
            )))
        }
        _ => Ok(false),
    }
}

/// The matches that are being played.
struct Tables<'a> {
    settings: &'a Settings,
    channels: HashMap<String, Channel>,
    playing: JoinSet<Played>,
    /// What ends each match early.
    cancels: HashMap<String, Arc<Notify>>,
    begun: u32,
    ended: u32,
}

/// A match that is over for this client.
struct Played {
    match_id: String,
    sat_down: bool,
    ended: Result<(), Error>,
}

impl<'a> Tables<'a> {
    fn new(settings: &'a Settings) -> Self {
        Self {
            settings,
            channels: HashMap::new(),
            playing: JoinSet::new(),
            cancels: HashMap::new(),
            begun: 0,
            ended: 0,
        }
    }

    fn channel(&mut self, address: &str) -> Result<Channel, Error> {
        if let Some(channel) = self.channels.get(address) {
            return Ok(channel.clone());
        }
        let channel = open_channel(address)?;
        self.channels.insert(address.to_owned(), channel.clone());
        Ok(channel)
    }

    /// Begins to play a match, unless it is being played already or would be one too many.
    fn sit_down(&mut self, assignment: Assignment) -> Result<(), Error> {
        let enough = self.settings.matches.is_some_and(|limit| self.begun >= limit);
        if enough || self.cancels.contains_key(&assignment.match_id) {
            return Ok(());
        }
        let address = if assignment.address.is_empty() {
            &self.settings.address
        } else {
            &assignment.address
        };
        let channel = self.channel(address)?;
        self.begun += 1;
        let match_id = assignment.match_id.clone();
        let cancelled = Arc::new(Notify::new());
        self.cancels.insert(match_id.clone(), Arc::clone(&cancelled));
        let mut table = Table::new(channel, assignment);
        self.playing.spawn(async move {
            let ended = tokio::select! {
                ended = table.play() => ended,
                () = cancelled.notified() => Ok(()),
            };
            Played {
                match_id,
                sat_down: table.sat_down(),
                ended,
            }
        });
        Ok(())
    }

    fn cancel(&self, cancelled: &Cancelled) {
        if let Some(cancel) = self.cancels.get(&cancelled.match_id) {
            tracing::info!("match {} cancelled: {}", cancelled.match_id, cancelled.reason);
            cancel.notify_one();
        }
    }

    /// Counts a match, unless it was over before it began for this client; returns whether it was the last to play.
    fn count(&mut self, played: Played) -> Result<bool, Error> {
        self.cancels.remove(&played.match_id);
        played.ended?;
        if !played.sat_down {
            self.begun -= 1;
            return Ok(false);
        }
        self.ended += 1;
        Ok(Some(self.ended) == self.settings.matches)
    }
}
