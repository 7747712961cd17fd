// Package client plays the matches that an arena assigns: it joins the lobby, sits down at tables, and comes back to both
// whenever a connection is lost.
package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	kawuxingv1 "kawuxing.example/bot/gen/kawuxing/v1"
)

const (
	protocolVersion = 1
	clientName      = "kawuxing-example-go/1"
	// lastMessages is the time for matches that are just ending, after the lobby said that all is over.
	lastMessages = 5 * time.Second
)

var (
	// ErrRefused says that the arena refuses the bot as it is told to connect.
	ErrRefused = errors.New("the arena refuses this bot")
	// ErrIncompatible says that arena and bot do not understand each other: one of them is too old.
	ErrIncompatible = errors.New("the arena and this bot do not understand each other")

	errPlayedEnough = errors.New("all matches are played")
)

// Choose returns the index of one of the legal actions.
type Choose func(*kawuxingv1.RuleSet, *kawuxingv1.Observation, []*kawuxingv1.Action) int

// Play plays until the tournament is over, the bot is withdrawn, or it has played as many matches as it was to.
// Its error is the context's, or wraps ErrRefused or ErrIncompatible.
func Play(ctx context.Context, settings Settings, choose Choose) error {
	ctx, stop := context.WithCancelCause(ctx)
	l := &lobby{
		settings: settings,
		choose:   choose,
		stop:     stop,
		channels: map[string]*grpc.ClientConn{},
		tables:   map[string]context.CancelFunc{},
	}
	defer l.close()
	err := l.stay(ctx)
	if err == nil {
		l.lastMessages(ctx)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errPlayedEnough) {
		return nil
	}
	return err
}

type lobby struct {
	settings Settings
	choose   Choose
	// stop ends everything, for the reason given.
	stop     context.CancelCauseFunc
	channels map[string]*grpc.ClientConn
	playing  sync.WaitGroup

	// mutex guards what follows.
	mutex sync.Mutex
	// tables has what cancels each match in progress.
	tables map[string]context.CancelFunc
	begun  int
	ended  int
}

func (l *lobby) close() {
	l.stop(nil)
	l.playing.Wait()
	for _, channel := range l.channels {
		channel.Close()
	}
}

// stay joins, and joins again, until the lobby says goodbye for good.
func (l *lobby) stay(ctx context.Context) error {
	channel, err := l.channel(l.settings.Address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	stub := kawuxingv1.NewLobbyServiceClient(channel)
	outage := outage{address: l.settings.Address}
	var pause backoff
	for {
		goodbye, err := l.listen(ctx, stub, &pause, &outage)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if over, err := l.judge(err); over || err != nil {
				return err
			}
			outage.tell(err)
		case goodbye.GetReason() == kawuxingv1.GoodbyeReason_GOODBYE_REASON_WITHDRAWN:
			slog.Warn("the bot was withdrawn from the tournament", "reason", goodbye.GetMessage())
			return nil
		case goodbye.GetReason() == kawuxingv1.GoodbyeReason_GOODBYE_REASON_FINISHED:
			return nil
		}
		if err := pause.wait(ctx); err != nil {
			return err
		}
	}
}

// listen does as the lobby says until it says goodbye or the stream ends.
func (l *lobby) listen(
	ctx context.Context, stub kawuxingv1.LobbyServiceClient, pause *backoff, outage *outage,
) (*kawuxingv1.Goodbye, error) {
	listening, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := stub.Join(listening, &kawuxingv1.JoinRequest{
		Token:           l.settings.Token,
		Capacity:        l.settings.Capacity,
		ProtocolVersion: protocolVersion,
		Client:          clientName,
	})
	if err != nil {
		return nil, err
	}
	for {
		message, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		switch response := message.GetResponse().(type) {
		case *kawuxingv1.JoinResponse_Welcome:
			pause.reset()
			outage.over()
			slog.Info("joined", "bot", response.Welcome.GetBot(), "server", response.Welcome.GetServerVersion())
		case *kawuxingv1.JoinResponse_Assignment:
			if err := l.sitDown(ctx, response.Assignment); err != nil {
				return nil, err
			}
		case *kawuxingv1.JoinResponse_Cancelled:
			l.leave(response.Cancelled)
		case *kawuxingv1.JoinResponse_Goodbye:
			return response.Goodbye, nil
		}
	}
}

// judge returns whether a failed Join means that all is over, and an error if trying again is of no use.
func (l *lobby) judge(err error) (over bool, final error) {
	said := status.Convert(err).Message()
	switch reasonOf(err) {
	case kawuxingv1.ErrorReason_ERROR_REASON_WITHDRAWN:
		slog.Warn("the bot was withdrawn from the tournament", "reason", said)
		return true, nil
	case kawuxingv1.ErrorReason_ERROR_REASON_UNKNOWN_TOKEN, kawuxingv1.ErrorReason_ERROR_REASON_INVALID_FIELD:
		return false, fmt.Errorf("%w: %s", ErrRefused, said)
	case kawuxingv1.ErrorReason_ERROR_REASON_UNSUPPORTED_PROTOCOL:
		return false, fmt.Errorf("%w: %s", ErrIncompatible, said)
	}
	if status.Code(err) == codes.Unimplemented {
		return false, fmt.Errorf("%w: what answers at %s is no Kawuxing arena: %s", ErrRefused, l.settings.Address, said)
	}
	return false, nil
}

// sitDown begins to play a match, unless it is being played already or would be one too many.
func (l *lobby) sitDown(ctx context.Context, assignment *kawuxingv1.Assignment) error {
	address := assignment.GetAddress()
	if address == "" {
		address = l.settings.Address
	}
	channel, err := l.channel(address)
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	id := assignment.GetMatchId()
	if l.tables[id] != nil || (l.settings.Matches > 0 && l.begun >= l.settings.Matches) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	l.tables[id] = cancel
	l.begun++
	l.playing.Go(func() {
		defer cancel()
		table := newTable(channel, assignment, l.choose)
		if err := table.play(ctx); errors.Is(err, ErrIncompatible) {
			l.stop(err)
		}
		l.left(id, table.satDown())
	})
	return nil
}

// left counts a match, unless it was over before it began for this client.
func (l *lobby) left(id string, satDown bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.tables, id)
	if !satDown {
		l.begun--
		return
	}
	l.ended++
	if l.ended == l.settings.Matches {
		l.stop(errPlayedEnough)
	}
}

func (l *lobby) leave(cancelled *kawuxingv1.Cancelled) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if cancel := l.tables[cancelled.GetMatchId()]; cancel != nil {
		slog.Info("match cancelled", "match", cancelled.GetMatchId(), "reason", cancelled.GetReason())
		cancel()
	}
}

// lastMessages waits for the matches that are just ending.
func (l *lobby) lastMessages(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		l.playing.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	case <-time.After(lastMessages):
	}
}

func (l *lobby) channel(address string) (*grpc.ClientConn, error) {
	if channel := l.channels[address]; channel != nil {
		return channel, nil
	}
	channel, err := openChannel(address)
	if err == nil {
		l.channels[address] = channel
	}
	return channel, err
}
