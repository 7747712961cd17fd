// A bot for a Kawuxing arena. Where and as whom it plays is told by its environment: see README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"kawuxing.example/bot/internal/client"
	"kawuxing.example/bot/internal/strategy"
)

//go:generate ./generate.sh

const (
	exitWrongSettings = 2
	exitIncompatible  = 3
)

func main() {
	os.Exit(run())
}

func run() int {
	settings, err := client.SettingsFrom(os.LookupEnv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return exitWrongSettings
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	switch err := client.Play(ctx, settings, strategy.Choose); {
	case err == nil, errors.Is(err, context.Canceled):
		return 0
	case errors.Is(err, client.ErrIncompatible):
		fmt.Fprintln(os.Stderr, "error:", err)
		return exitIncompatible
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		return exitWrongSettings
	}
}
