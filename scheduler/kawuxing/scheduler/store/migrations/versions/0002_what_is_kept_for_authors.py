"""What is kept of each bot for its author: faults, until now in the attempt log, and decision times."""

from __future__ import annotations

import json
from itertools import zip_longest

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_AT_ONCE = 1000

match = sa.table("match", sa.column("id"), sa.column("tournament"), sa.column("bots"))
match_result = sa.table("match_result", sa.column("match"), sa.column("decision_times"))
attempt_log = sa.table("attempt_log", sa.column("id"), sa.column("match"), sa.column("entry"))


def upgrade() -> None:
    """Go to this revision."""
    entrant_times = op.create_table(
        "entrant_times",
        sa.Column("tournament", sa.String(), nullable=False),
        sa.Column("bot", sa.String(), nullable=False),
        sa.Column("decision_times", sa.Text(), nullable=False),
        sa.Column("slowest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"], name=op.f("entrant_times_tournament_refers")),
        sa.PrimaryKeyConstraint("tournament", "bot", name=op.f("entrant_times_key")),
    )
    fault = op.create_table(
        "fault",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament", sa.String(), nullable=False),
        sa.Column("bot", sa.String(), nullable=False),
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("hand", sa.Integer(), nullable=False),
        sa.Column("decision", sa.Integer(), nullable=False),
        sa.Column("fault", sa.String(), nullable=False),
        sa.Column("legal", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"], name=op.f("fault_tournament_refers")),
        sa.ForeignKeyConstraint(["match"], ["match.id"], name=op.f("fault_match_refers")),
        sa.PrimaryKeyConstraint("id", name=op.f("fault_key")),
    )
    op.create_index(op.f("fault_tournament_bot_index"), "fault", ["tournament", "bot"])
    _move_faults(fault)
    _add_up_times(entrant_times)


def _move_faults(fault: sa.Table) -> None:
    """Move them out of the attempt log, in its order; what was asked was not kept there."""
    connection = op.get_bind()
    last = 0
    # By and by: the log of a long tournament is large, and is changed while it is read.
    while entries := connection.execute(
        sa.select(attempt_log.c.id, attempt_log.c.entry, match)
        .where(attempt_log.c.match == match.c.id, attempt_log.c.id > last)
        .order_by(attempt_log.c.id)
        .limit(_AT_ONCE)
    ).all():
        for log_id, text, match_id, tournament, bots in entries:
            last = log_id
            entry = json.loads(text)
            faults = entry.pop("faults", None)
            if faults is None:
                continue
            connection.execute(
                sa.update(attempt_log)
                .where(attempt_log.c.id == log_id)
                .values(entry=json.dumps(entry, sort_keys=True, separators=(",", ":")))
            )
            rows = [
                {
                    "tournament": tournament,
                    "bot": json.loads(bots)[told["entrant"]],
                    "match": match_id,
                    "hand": told["hand"],
                    "decision": told["decision"],
                    "fault": told["fault"],
                    "legal": "[]",
                    "detail": told["detail"],
                }
                for told in faults
            ]
            if rows:
                op.bulk_insert(fault, rows)


def _add_up_times(entrant_times: sa.Table) -> None:
    """Add up the times of all results; which decisions were slow was not kept."""
    sums: dict[tuple[str, str], list[int]] = {}
    results = (
        sa.select(match.c.tournament, match.c.bots, match_result.c.decision_times)
        .where(match_result.c.match == match.c.id)
        .execution_options(yield_per=_AT_ONCE)
    )
    for tournament, bots, times in op.get_bind().execute(results):
        for bot, histogram in zip(json.loads(bots), json.loads(times), strict=True):
            before = sums.get((tournament, bot), [])
            sums[tournament, bot] = [a + b for a, b in zip_longest(before, histogram, fillvalue=0)]
    op.bulk_insert(
        entrant_times,
        [
            {
                "tournament": tournament,
                "bot": bot,
                "decision_times": json.dumps(histogram, separators=(",", ":")),
                "slowest": "[]",
            }
            for (tournament, bot), histogram in sorted(sums.items())
        ],
    )
