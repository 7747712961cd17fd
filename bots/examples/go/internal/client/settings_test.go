package client

import (
	"strings"
	"testing"
)

func environment(changes map[string]string) func(string) (string, bool) {
	variables := map[string]string{"KAWUXING_ADDRESS": "arena.example.org:50051", "KAWUXING_TOKEN": "secret"}
	for name, value := range changes {
		variables[name] = value
	}
	return func(name string) (string, bool) {
		value, found := variables[name]
		return value, found
	}
}

func TestSettingsHaveDefaults(t *testing.T) {
	settings, err := SettingsFrom(environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Settings{Address: "arena.example.org:50051", Token: "secret", Capacity: 1}); settings != want {
		t.Errorf("got %+v, want %+v", settings, want)
	}
}

func TestSettingsAreRead(t *testing.T) {
	settings, err := SettingsFrom(environment(map[string]string{
		"KAWUXING_ADDRESS": "[::1]:1", "KAWUXING_CAPACITY": "64", "KAWUXING_MATCHES": "7",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Settings{Address: "[::1]:1", Token: "secret", Capacity: 64, Matches: 7}); settings != want {
		t.Errorf("got %+v, want %+v", settings, want)
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	for _, wrong := range []struct{ name, value string }{
		{"KAWUXING_ADDRESS", ""},
		{"KAWUXING_ADDRESS", "arena"},
		{"KAWUXING_ADDRESS", ":50051"},
		{"KAWUXING_ADDRESS", "arena:0"},
		{"KAWUXING_ADDRESS", "arena:65536"},
		{"KAWUXING_TOKEN", ""},
		{"KAWUXING_CAPACITY", "0"},
		{"KAWUXING_CAPACITY", "65"},
		{"KAWUXING_MATCHES", "some"},
	} {
		_, err := SettingsFrom(environment(map[string]string{wrong.name: wrong.value}))
		if err == nil || !strings.Contains(err.Error(), wrong.name) || !strings.Contains(err.Error(), wrong.value) {
			t.Errorf("%s=%q: got %v, want an error that names both", wrong.name, wrong.value, err)
		}
	}
}
