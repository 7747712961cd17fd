package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	kawuxingv1 "kawuxing.example/bot/gen/kawuxing/v1"
)

// giveUpAfter is how long a table may be out of reach before the match is left; the lobby assigns it again if it lives.
const giveUpAfter = 2 * time.Minute

// table plays one match, through any number of lost connections.
type table struct {
	stub   kawuxingv1.TableServiceClient
	ticket string
	choose Choose
	log    *slog.Logger
	// rules are those of the match, nil before it has begun for this client.
	rules *kawuxingv1.RuleSet
	// inTouch tells whether the match has begun, or gone on, on the stream of the last converse.
	inTouch bool
	pause   backoff
}

func newTable(channel *grpc.ClientConn, assignment *kawuxingv1.Assignment, choose Choose) *table {
	return &table{
		stub:   kawuxingv1.NewTableServiceClient(channel),
		ticket: assignment.GetTicket(),
		choose: choose,
		log:    slog.With("match", assignment.GetMatchId()),
	}
}

func (t *table) satDown() bool {
	return t.rules != nil
}

// play returns when the match is over for this client. Its error is the context's, or wraps ErrIncompatible.
func (t *table) play(ctx context.Context) error {
	reached := time.Now()
	for {
		err := t.converse(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil, errors.Is(err, ErrIncompatible):
			return err
		case isOver(reasonOf(err)):
			t.log.Info("left the table", "error", err)
			return nil
		case t.inTouch, status.Code(err) != codes.Unavailable:
			reached = time.Now()
		case time.Since(reached) > giveUpAfter:
			t.log.Warn("gave up a table out of reach", "error", err)
			return nil
		}
		t.log.Debug("lost the table", "error", err)
		if err := t.pause.wait(ctx); err != nil {
			return err
		}
	}
}

// converse talks on one stream. It returns nil after the match, and the stream's error if that ended before.
func (t *table) converse(ctx context.Context) error {
	t.inTouch = false
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := t.stub.Play(ctx)
	if err != nil {
		return err
	}
	hello := &kawuxingv1.Hello{
		Ticket: t.ticket, ObservationMode: kawuxingv1.ObservationMode_OBSERVATION_MODE_SNAPSHOT,
	}
	if err := send(stream, &kawuxingv1.PlayRequest{Request: &kawuxingv1.PlayRequest_Hello{Hello: hello}}); err != nil {
		return err
	}
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		switch response := message.GetResponse().(type) {
		case *kawuxingv1.PlayResponse_MatchStart:
			if err := checkKinds(response.MatchStart.GetRules()); err != nil {
				return err
			}
			t.rules = response.MatchStart.GetRules()
			t.inTouch = true
			t.pause.reset()
		case *kawuxingv1.PlayResponse_DecisionRequest:
			if err := send(stream, t.answer(response.DecisionRequest)); err != nil {
				return err
			}
		case *kawuxingv1.PlayResponse_MatchEnd:
			t.log.Debug("the match is over", "record_sha256", response.MatchEnd.GetRecordSha256())
			return nil
		case *kawuxingv1.PlayResponse_MatchVoided:
			t.log.Info("the match was voided", "reason", response.MatchVoided.GetReason())
			return nil
		}
		// The bot has no memory, so that it needs neither Resume nor HandEnd, nor what later versions may send.
	}
}

func (t *table) answer(request *kawuxingv1.DecisionRequest) *kawuxingv1.PlayRequest {
	decision := &kawuxingv1.Decision{
		DecisionId: request.GetDecisionId(),
		Choice:     uint32(t.choose(t.rules, request.GetObservation(), request.GetLegalActions())),
	}
	return &kawuxingv1.PlayRequest{Request: &kawuxingv1.PlayRequest_Decision{Decision: decision}}
}

// send leaves it to Recv to say why a stream has ended.
func send(stream kawuxingv1.TableService_PlayClient, request *kawuxingv1.PlayRequest) error {
	if err := stream.Send(request); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func checkKinds(rules *kawuxingv1.RuleSet) error {
	for _, kind := range rules.GetKinds() {
		if _, known := kawuxingv1.Tile_name[int32(kind)]; !known {
			return fmt.Errorf("%w: the arena plays with tiles of kind %d", ErrIncompatible, kind)
		}
	}
	return nil
}

func isOver(reason kawuxingv1.ErrorReason) bool {
	switch reason {
	case kawuxingv1.ErrorReason_ERROR_REASON_UNKNOWN_TICKET,
		kawuxingv1.ErrorReason_ERROR_REASON_SUPERSEDED,
		kawuxingv1.ErrorReason_ERROR_REASON_TOO_MANY_CONNECTIONS,
		kawuxingv1.ErrorReason_ERROR_REASON_WITHDRAWN:
		return true
	}
	return false
}
