"""Plays one match between connected bots: lobby, table, seat, clock, server, and the launcher of bots' processes."""
