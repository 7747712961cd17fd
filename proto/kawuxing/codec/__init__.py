"""The only translator between the protocol's messages (kawuxing.v1) and the engine's objects.

Messages that come in are a stranger's: a ``…_from_message`` function raises ValueError, naming the field, for what the
engine has no word for. Enum names are the same on both sides, so every table here is built from them.
"""
