"""Exceptions of the metadata store; each message is one line for the operator."""

from __future__ import annotations


class StoreError(Exception):
    """The metadata store could not do what was asked."""


class StoreUnavailable(StoreError):
    """No record can be written now (disk full or broken).  Whether the last write survives is unknown."""


class StoreDamaged(StoreError):
    """Stored metadata cannot be trusted; an operator has to restore or repair it."""
