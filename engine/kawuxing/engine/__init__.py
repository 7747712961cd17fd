"""The game of Kawuxing: pure rules, no I/O, no clock, no randomness, no protobuf."""
