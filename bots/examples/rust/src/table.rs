//! One match over `TableService.Play`, through any number of lost connections.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::arena::{Error, reason_of};
use crate::backoff::Backoff;
use crate::strategy::choose;
use crate::v1::play_request::Request;
use crate::v1::play_response::Response;
use crate::v1::table_service_client::TableServiceClient;
use crate::v1::{
    Assignment, Decision, DecisionRequest, ErrorReason, Hello, MatchStart, ObservationMode, PlayRequest, RuleSet, Tile,
};

/// How long a table may be out of reach before the match is left; the lobby assigns it again if it still lives.
const GIVE_UP_AFTER: Duration = Duration::from_secs(120);

/// Plays one entrant's part of one match.
pub struct Table {
    client: TableServiceClient<Channel>,
    assignment: Assignment,
    /// Those of the match; none before it has begun for this client.
    rules: Option<RuleSet>,
    /// Whether the match has begun, or gone on, on the last stream.
    in_touch: bool,
    backoff: Backoff,
}

/// Why a stream ended before its match.
enum Lost {
    Stream(Status),
    Incompatible(String),
}

impl From<Status> for Lost {
    fn from(status: Status) -> Self {
        Self::Stream(status)
    }
}

impl Table {
    /// Prepares to sit down at the table behind a channel.
    pub fn new(channel: Channel, assignment: Assignment) -> Self {
        Self {
            client: TableServiceClient::new(channel),
            assignment,
            rules: None,
            in_touch: false,
            backoff: Backoff::new(),
        }
    }

    /// Whether the match has begun for this client.
    pub fn sat_down(&self) -> bool {
        self.rules.is_some()
    }

    /// Plays until the match is over for this client; fails only if arena and bot do not understand each other.
    pub async fn play(&mut self) -> Result<(), Error> {
        let mut reached = Instant::now();
        loop {
            let status = match self.converse().await {
                Ok(()) => return Ok(()),
                Err(Lost::Incompatible(what)) => return Err(Error::Incompatible(what)),
                Err(Lost::Stream(status)) => status,
            };
            let (id, message) = (&self.assignment.match_id, status.message());
            if is_over(reason_of(&status)) {
                tracing::info!("left the table of {id}: {message}");
                return Ok(());
            }
            if self.in_touch || status.code() != Code::Unavailable {
                reached = Instant::now();
            } else if reached.elapsed() > GIVE_UP_AFTER {
                tracing::warn!("gave up the table of {id}, which is out of reach: {message}");
                return Ok(());
            }
            tracing::debug!("lost the table of {id}: {message}");
            self.backoff.wait().await;
        }
    }

    /// Talks on one stream until the match is over.
    async fn converse(&mut self) -> Result<(), Lost> {
        self.in_touch = false;
        let (answers, outgoing) = mpsc::channel(1);
        let hello = Hello {
            ticket: self.assignment.ticket.clone(),
            observation_mode: ObservationMode::Snapshot.into(),
        };
        send(&answers, Request::Hello(hello)).await;
        let mut stream = self.client.play(ReceiverStream::new(outgoing)).await?.into_inner();
        while let Some(message) = stream.message().await? {
            match message.response {
                Some(Response::MatchStart(start)) => self.start(start)?,
                Some(Response::DecisionRequest(request)) => send(&answers, self.answer(&request)?).await,
                Some(Response::MatchEnd(_)) => return Ok(()),
                Some(Response::MatchVoided(voided)) => {
                    tracing::info!("match {} was voided: {}", self.assignment.match_id, voided.reason);
                    return Ok(());
                }
                // The bot has no memory, so that it needs neither of these, nor what later versions may send.
                Some(Response::Resume(_) | Response::HandEnd(_)) | None => {}
            }
        }
        Err(Status::unknown("the table closed the stream").into())
    }

    fn start(&mut self, start: MatchStart) -> Result<(), Lost> {
        let rules = start.rules.unwrap_or_default();
        if let Some(kind) = rules.kinds.iter().find(|&&kind| Tile::try_from(kind).is_err()) {
            return Err(Lost::Incompatible(format!("the arena plays with tiles of kind {kind}")));
        }
        self.rules = Some(rules);
        self.in_touch = true;
        self.backoff.reset();
        Ok(())
    }

    fn answer(&self, request: &DecisionRequest) -> Result<Request, Lost> {
        let (Some(rules), Some(seen)) = (&self.rules, &request.observation) else {
            return Err(Lost::Incompatible(
                "a question came without rules or observation".to_owned(),
            ));
        };
        let choice = choose(rules, seen, &request.legal_actions);
        let choice = u32::try_from(choice).expect("an index into a message fits");
        Ok(Request::Decision(Decision {
            decision_id: request.decision_id,
            choice,
        }))
    }
}

/// Sends unless the stream has ended; what is received next says why.
async fn send(answers: &mpsc::Sender<PlayRequest>, request: Request) {
    let _ = answers.send(PlayRequest { request: Some(request) }).await;
}

fn is_over(reason: ErrorReason) -> bool {
    matches!(
        reason,
        ErrorReason::UnknownTicket | ErrorReason::Superseded | ErrorReason::TooManyConnections | ErrorReason::Withdrawn
    )
}
