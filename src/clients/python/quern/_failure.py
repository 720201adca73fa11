"""From what psycopg raises to what the client raises: by the kind in the error's routine field, then the SQLSTATE."""

from __future__ import annotations

import json
from typing import Any

import psycopg

from . import error
from ._documents import fault_text

_BY_KIND: dict[str, type[error.QuernError]] = {
    "collection_not_found": error.CollectionNotFoundError,
    "collection_already_exists": error.CollectionAlreadyExistsError,
    "partition_not_found": error.PartitionNotFoundError,
    "dataset_not_found": error.DatasetNotFoundError,
    "dataset_already_exists": error.DatasetAlreadyExistsError,
    "document_validation": error.DocumentValidationError,
    "schema_validation": error.SchemaValidationError,
    "lsn_timeout": error.QueryLsnTimeoutError,
    "permission_denied": error.PermissionDeniedError,
    "quota_exceeded": error.QuotaExceededError,
    "request_too_large": error.RequestTooLargeError,
    "slow_down": error.SlowDownError,
    "serialization_failure": error.ConflictError,
    "statement_timeout": error.StatementCancelledError,
    "canceled": error.StatementCancelledError,
    "connection_ended": error.ConnectionLostError,
    "content_not_found": error.InvalidArgumentError,
    "content_replaced": error.InvalidArgumentError,
    "document_not_found": error.InvalidArgumentError,
    "handle_not_found": error.InvalidArgumentError,
    "handle_expired": error.InvalidArgumentError,
    "handle_timeout": error.WaitTimeoutError,
    "ingestion_failed": error.IngestionError,
    "not_supported": error.InvalidArgumentError,
    "invalid_argument": error.InvalidArgumentError,
    "internal": error.ServerError,
}
_BY_STATE: dict[str, type[error.QuernError]] = {
    "53300": error.SlowDownError, "57P03": error.SlowDownError, "57014": error.StatementCancelledError,
    "42501": error.PermissionDeniedError, "25006": error.PermissionDeniedError, "28": error.PermissionDeniedError,
    "53": error.QuotaExceededError, "54": error.RequestTooLargeError, "40": error.ConflictError,
    "08": error.ConnectionLostError, "57P": error.ConnectionLostError, "21": error.InvalidArgumentError,
    "22": error.InvalidArgumentError, "42": error.InvalidArgumentError, "0A": error.InvalidArgumentError,
}  # fmt: skip
_MESSAGES = {"22012": "Divide by zero", "22003": "Number overflow"}


def _class_of(kind: str | None, state: str | None) -> type[error.QuernError]:
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    for length in (5, 3, 2):
        found = _BY_STATE.get((state or "")[:length])
        if found is not None:
            return found
    return error.ServerError


def is_stale_plan(raised: psycopg.Error) -> bool:
    """True when a prepared statement has to be prepared anew: its columns have other types than they had."""
    return raised.sqlstate == "0A000" and "cached plan" in str(raised)


def failure_of(raised: psycopg.Error, where: str, is_lost: bool) -> error.QuernError:
    """The client's error.

    Args:
        where: the server, for errors of the connection.
        is_lost: whether the connection is closed now.
    """
    diag = raised.diag
    state = raised.sqlstate or diag.sqlstate
    if state is None:
        text = " ".join(str(raised).split())
        if is_lost or isinstance(raised, psycopg.OperationalError):
            return error.ConnectionLostError(f"the connection to {where} was lost: {text}")
        return error.InvalidArgumentError(text)
    message = diag.message_primary or str(raised)
    if state in _MESSAGES:
        message = f"{_MESSAGES[state]}: {message}"
    faults = _faults(diag.message_detail)
    kind = diag.source_function
    made = _class_of(kind, state)
    if faults:
        message = "; ".join(map(fault_text, faults[:5])) + (f"; and {len(faults) - 5} more" if len(faults) > 5 else "")
        message = f"{message} ({diag.message_primary})"
    return made(message, sqlstate=state, hint=diag.message_hint, detail=diag.message_detail, kind=kind, errors=faults)


def _faults(detail: str | None) -> list[dict[str, Any]]:
    if detail is None or not detail.startswith("["):
        return []
    try:
        faults = json.loads(detail)
    except ValueError:
        return []
    return [one for one in faults if isinstance(one, dict)] if isinstance(faults, list) else []


def unreachable(raised: psycopg.Error, where: str, setting: str) -> error.QuernError:
    """Why no connection was made, with the setting that says where to go."""
    text = " ".join(str(raised).replace("connection failed: ", "").split())
    lower = text.lower()
    if "password authentication failed" in lower or "28p01" in lower or "28000" in lower or "api key" in lower:
        return error.PermissionDeniedError(f"{where} refused the API key: {text}", sqlstate="28P01")
    if "too many" in lower or "53300" in lower:
        return error.SlowDownError(text, sqlstate="53300")
    if "certificate" in lower or "ssl" in lower or "tls" in lower:
        hint = "https=False goes without TLS; PGSSLROOTCERT names a file of certificates to trust"
        return error.ConnectionFailedError(f"TLS with {where} failed: {text}", hint=hint)
    return error.ConnectionFailedError(f"cannot connect to {where}: {text}", hint=f"it comes from {setting}")
