"""Tournaments: configuration, seatings, store, dispatch, ratings and standings."""
