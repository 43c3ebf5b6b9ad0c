"""Transactions of a connection: each is of the thread that began it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Self

from tqp.session.names import Namespace

__all__ = ["Transactions"]


class Transactions:
    """The part of a connection that begins and ends transactions."""

    _names: Namespace

    def _require_open(self) -> None:
        raise NotImplementedError

    def forget(self, meaning: object) -> None:
        raise NotImplementedError

    def begin(self) -> Self:
        """Begin a transaction of this thread: others see its changes all at once after `commit`, or not at all.

        >>> _ = con.execute("CREATE TABLE totals(customer VARCHAR NOT NULL, total BIGINT)")
        >>> _ = con.begin().execute("TRUNCATE totals")
        >>> _ = con.execute("INSERT INTO totals SELECT customer, sum(amount) FROM orders GROUP BY ALL")
        >>> con.commit().sql("SELECT count(*) FROM totals").fetchall()
        [(2,)]
        """
        self.open_transaction(read_only=False)
        return self

    def commit(self) -> Self:
        """End the transaction of this thread, so that others see its changes; after an error in it the same as `rollback`.

        TransactionError where others changed the same tables meanwhile, which also undoes it.
        """
        self.end_transaction(commits=True)
        return self

    def rollback(self) -> Self:
        """End the transaction of this thread and undo what it did to tables, views and macros."""
        self.end_transaction(commits=False)
        return self

    @property
    def in_transaction(self) -> bool:
        """Whether this thread began a transaction that has not ended."""
        return self._names.transaction is not None

    def open_transaction(self, read_only: bool) -> None:
        """Begin a transaction of this thread, which may be one that changes nothing."""
        self._require_open()
        self._names.begin(read_only)

    def end_transaction(self, commits: bool) -> None:
        """End the transaction of this thread."""
        self._require_open()
        transaction = self._names.transaction
        try:
            self._names.end(commits)
        finally:
            if transaction is not None:
                for entry in transaction.gone():
                    self.forget(entry.meaning)

    def aborting(self) -> AbstractContextManager[None]:
        """An error within leaves a transaction of this thread with nothing to do but end it."""
        return self._names.aborting()

    def require_whole(self) -> None:
        """TransactionError where something failed in the transaction of this thread."""
        transaction = self._names.transaction
        if transaction is not None:
            transaction.require_whole()
