package client

import (
	"log/slog"
	"time"
)

const silence = time.Minute

// outage warns at the first failure to reach the arena and then once a minute.
type outage struct {
	address string
	told    time.Time
}

func (o *outage) tell(err error) {
	if now := time.Now(); now.Sub(o.told) >= silence {
		o.told = now
		slog.Warn("no lobby at this address; trying again, silent for a minute", "address", o.address, "error", err)
	}
}

func (o *outage) over() {
	o.told = time.Time{}
}
