"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "bot",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("remote", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("bot_key")),
        sa.UniqueConstraint("token_hash", name=op.f("bot_token_hash_unique")),
    )
    op.create_table(
        "tournament",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("config_digest", sa.String(), nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "state IN ('created', 'running', 'finished', 'incomplete')", name=op.f("tournament_known_state")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("tournament_key")),
    )
    op.create_table(
        "worker",
        sa.Column("incarnation", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("incarnation", name=op.f("worker_key")),
    )
    op.create_table(
        "entrant",
        sa.Column("tournament", sa.String(), nullable=False),
        sa.Column("bot", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.Column("struck_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("absent_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("withdrawn", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"], name=op.f("entrant_tournament_refers")),
        sa.PrimaryKeyConstraint("tournament", "bot", name=op.f("entrant_key")),
    )
    op.create_table(
        "match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament", sa.String(), nullable=False),
        sa.Column("schedule_index", sa.Integer(), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("bots", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("voids", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("offered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("offer_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deal_seed", sa.LargeBinary(), nullable=True),
        sa.Column("incarnation", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("match_key")),
        sa.UniqueConstraint("tournament", "schedule_index", name=op.f("match_tournament_schedule_index_unique")),
        sa.UniqueConstraint("tournament", "match_id", name=op.f("match_tournament_match_id_unique")),
        sa.CheckConstraint(
            "state IN ('pending', 'offered', 'playing', 'done', 'cancelled', 'failed')", name=op.f("match_known_state")
        ),
        sa.CheckConstraint(
            "(deal_seed IS NOT NULL) = (state IN ('offered', 'playing'))", name=op.f("match_seed_only_while_live")
        ),
        sa.CheckConstraint(
            "(incarnation IS NOT NULL) = (state = 'playing')", name=op.f("match_owned_only_while_playing")
        ),
        sa.ForeignKeyConstraint(["tournament"], ["tournament.id"], name=op.f("match_tournament_refers")),
        sa.ForeignKeyConstraint(["incarnation"], ["worker.incarnation"], name=op.f("match_incarnation_refers")),
    )
    op.create_index(
        op.f("match_state_tournament_schedule_index_index"), "match", ["state", "tournament", "schedule_index"]
    )

    op.create_table(
        "attempt_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["match.id"], name=op.f("attempt_log_match_refers")),
        sa.PrimaryKeyConstraint("id", name=op.f("attempt_log_key")),
    )
    op.create_index(op.f("attempt_log_match_index"), "attempt_log", ["match"])

    op.create_table(
        "match_result",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("time_faults", sa.Integer(), nullable=False),
        sa.Column("decision_times", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["match.id"], name=op.f("match_result_match_refers")),
        sa.PrimaryKeyConstraint("match", name=op.f("match_result_key")),
    )
    op.create_table(
        "record",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["match.id"], name=op.f("record_match_refers")),
        sa.PrimaryKeyConstraint("match", name=op.f("record_key")),
    )
    op.create_table(
        "reservation",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("bot", sa.String(), nullable=False),
        sa.Column("instance", sa.String(), nullable=False),
        sa.Column("ticket", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["match.id"], name=op.f("reservation_match_refers")),
        sa.PrimaryKeyConstraint("match", "entrant", name=op.f("reservation_key")),
    )
    op.create_index(op.f("reservation_instance_index"), "reservation", ["instance"])
