"""The ``kawuxing`` command. What a subcommand needs is imported when it runs: see ``main``."""
