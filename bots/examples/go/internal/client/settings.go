package client

import (
	"fmt"
	"net"
	"strconv"
)

const (
	maxCapacity = 64
	maxMatches  = 1_000_000_000
)

// Settings say where, as whom and how much to play.
type Settings struct {
	// Address is the arena's host:port.
	Address string
	// Token is how the arena knows the bot.
	Token string
	// Capacity is how many matches to play at once, 1 to 64.
	Capacity uint32
	// Matches is how many matches to play before stopping; 0 is as many as there are.
	Matches int
}

// SettingsFrom reads the settings from environment variables. An error names the variable, its value and what was expected.
func SettingsFrom(lookup func(string) (string, bool)) (Settings, error) {
	var settings Settings
	var err error
	if settings.Address, err = required(lookup, "KAWUXING_ADDRESS"); err != nil {
		return Settings{}, err
	}
	if !isAddress(settings.Address) {
		return Settings{}, fmt.Errorf(
			"KAWUXING_ADDRESS is %q: expected host:port, such as 127.0.0.1:7700", settings.Address)
	}
	if settings.Token, err = required(lookup, "KAWUXING_TOKEN"); err != nil {
		return Settings{}, err
	}
	capacity, err := number(lookup, "KAWUXING_CAPACITY", 1, maxCapacity)
	if err != nil {
		return Settings{}, err
	}
	settings.Capacity = uint32(capacity)
	if settings.Matches, err = number(lookup, "KAWUXING_MATCHES", 0, maxMatches); err != nil {
		return Settings{}, err
	}
	return settings, nil
}

func required(lookup func(string) (string, bool), name string) (string, error) {
	value, _ := lookup(name)
	if value == "" {
		return "", fmt.Errorf("%s is not set", name)
	}
	return value, nil
}

func number(lookup func(string) (string, bool), name string, absent, limit int) (int, error) {
	text, _ := lookup(name)
	if text == "" {
		return absent, nil
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 || value > limit {
		return 0, fmt.Errorf("%s is %q: expected a whole number from 1 to %d", name, text, limit)
	}
	return value, nil
}

func isAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" {
		return false
	}
	value, err := strconv.ParseUint(port, 10, 16)
	return err == nil && value > 0
}
