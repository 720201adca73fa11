"""Errors of the client. Every class derives from `QuernError`; those about values are `ValueError` too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class QuernError(Exception):
    """Anything that Quern or the way to it refused.

    Attributes:
        message: what went wrong, in one sentence that names the object.
        sqlstate: the five characters of the SQL standard; None where no server was asked.
        hint: the next step, where one is known.
        kind: a machine-readable word (`partition_not_found`, …) where several kinds share a class.
        errors: of validation: one mapping `{kind, document_offset, field, …}` a fault.
    """

    def __init__(
        self,
        message: str = "",
        *,
        sqlstate: str | None = None,
        hint: str | None = None,
        detail: str | None = None,
        kind: str | None = None,
        errors: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.sqlstate = sqlstate
        self.hint = hint
        self.detail = detail
        self.kind = kind
        self.errors: list[dict[str, Any]] = [dict(one) for one in errors]

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message} (hint: {self.hint})"

    def __repr__(self) -> str:
        state = "" if self.sqlstate is None else f", sqlstate={self.sqlstate!r}"
        return f"{type(self).__name__}({self.message!r}{state})"


class InvalidArgumentError(QuernError, ValueError):
    """An argument, an expression or a query that can never work."""


class CollectionNotFoundError(QuernError):
    """There is no collection of that name."""


class CollectionAlreadyExistsError(QuernError):
    """There is a collection of that name already."""


class PartitionNotFoundError(QuernError):
    """Nobody has written to that partition yet."""


class CollectionValidationError(QuernError, ValueError):
    """A collection that cannot be made."""


class SchemaValidationError(CollectionValidationError):
    """A schema with faults; `errors` lists all of them: `{kind, field, …}`."""


class DocumentValidationError(QuernError, ValueError):
    """Documents with faults; `errors` lists all of the batch: `{kind, document_offset, field, …}`.

    Nothing of the batch was stored.
    """


class DatasetNotFoundError(QuernError):
    """There is no dataset of that name."""


class DatasetAlreadyExistsError(QuernError):
    """There is a dataset of that name already."""


class PermissionDeniedError(QuernError):
    """The key is wrong, or its role may not do this."""


class QueryLsnTimeoutError(QuernError):
    """The write that a read was to wait for did not become visible in time."""


class QuotaExceededError(QuernError):
    """A limit on what one may keep or use is reached."""


class RequestTooLargeError(QuernError):
    """A request over one of the server's limits on sizes."""


class SlowDownError(QuernError):
    """The server has too much to do; it was asked again as `RetryConfig` says, in vain."""


class ConflictError(QuernError):
    """Another writer was first (40001, 40P01), also when asked again."""


class StatementCancelledError(QuernError):
    """The statement was cancelled, or took longer than `statement_timeout`."""


class ConnectionFailedError(QuernError):
    """No connection: nobody listens there, the name is unknown, TLS was refused, …. Nothing was sent."""


class ConnectionLostError(ConnectionFailedError):
    """The connection ended while a statement ran. Of a write nobody can tell whether it was done."""


class IngestionError(QuernError):
    """A file could not be read; the message is the reason."""


class WaitTimeoutError(QuernError, TimeoutError):
    """`wait_for_handle` waited `timeout_secs`; the work goes on."""


class ServerError(QuernError):
    """The server's own fault, or an error without a class of its own: see `sqlstate`."""
