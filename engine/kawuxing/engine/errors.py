"""The engine's exceptions, one class for each kind of blame.

::

    KawuxingError                 anything this project raises on purpose
    ├── RulesError                the rule set asked for does not exist or contradicts itself
    ├── QueryError                a question to the oracle that does not make sense
    ├── IllegalAnswerError        the caller answered what was not asked or chose what is not legal
    └── RecordError               the record (or folder of records) is at fault
        ├── InvalidRecordError    it is not what the format and the rules say it must be
        └── UnsupportedRecordError  it is of a format or rules revision that this version cannot judge
"""

from __future__ import annotations


class KawuxingError(Exception):
    """Base of every exception that this project raises on purpose; its text is meant for the user."""


class RulesError(KawuxingError):
    """A rule set that does not exist, has an unknown option or an impossible combination of options."""


class QueryError(KawuxingError):
    """A question to the oracle with a missing, unknown or senseless field, or a decision that is not legal."""


class IllegalAnswerError(KawuxingError):
    """An answer from a seat that was not asked, a missing answer, or an action that is not legal now."""


class RecordError(KawuxingError):
    """A record, or a folder of records, that cannot be accepted."""


class InvalidRecordError(RecordError):
    """A record that is not canonical, not whole, or does not follow from its own wall and decisions."""


class UnsupportedRecordError(RecordError):
    """A record of a format or rules revision unknown to this version: not invalid, but not verifiable here."""
