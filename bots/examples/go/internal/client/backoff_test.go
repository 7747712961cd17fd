package client

import (
	"testing"
	"time"
)

func TestPausesGrowToALimitAndBeginAgain(t *testing.T) {
	var b backoff
	longest := firstPause
	for range 10 {
		if pause := b.pause(); pause < longest/2 || pause > longest {
			t.Errorf("got %v, want %v to %v", pause, longest/2, longest)
		}
		longest = min(2*longest, longestPause)
	}
	b.reset()
	if pause := b.pause(); pause > 100*time.Millisecond {
		t.Errorf("got %v after a success, want at most 100ms", pause)
	}
}
