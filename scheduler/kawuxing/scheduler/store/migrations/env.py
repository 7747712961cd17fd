"""Runs migrations on the connection that the caller has begun a transaction on."""

from __future__ import annotations

from alembic import context

from kawuxing.scheduler.store.models import Row

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Row.metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
