package client

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// backoff makes the pauses between attempts: doubling from 0.1 s to 5 s, each taken at random from its upper half.
type backoff struct {
	next time.Duration
}

func (b *backoff) reset() {
	b.next = 0
}

func (b *backoff) pause() time.Duration {
	longest := max(b.next, firstPause)
	b.next = min(2*longest, longestPause)
	return longest/2 + rand.N(longest/2)
}

// wait pauses, or returns early with the context's error.
func (b *backoff) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(b.pause()):
		return nil
	}
}
