"""Tries a single bot as an organiser would before letting it in: scripted hands, lost connections, unknown messages.

Here a bot meets the lobby, the tables and the clock of a tournament; only its opponents and the walls are made up.
"""
