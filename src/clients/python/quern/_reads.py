"""Arguments of reads, and documents from rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from ._names import path, quoted
from ._parameters import check_text
from .config import ConsistencyLevel
from .error import InvalidArgumentError


def check_ids(ids: Any) -> list[str]:
    """Ids as a list; one alone too.

    Raises:
        TypeError: anything but texts.
    """
    if isinstance(ids, str):
        return [check_text(ids)]
    if isinstance(ids, (bytes, dict)) or not hasattr(ids, "__iter__"):
        raise TypeError(f"expected ids, not {type(ids).__name__}")
    read = list(ids)
    for one in read:
        if not isinstance(one, str):
            raise TypeError(f"an _id is a str, not {type(one).__name__}")
        check_text(one)
    return read


def check_lsn(lsn: Any) -> str:
    """A write's LSN.

    Raises:
        InvalidArgumentError: no decimal number above zero.
    """
    text = lsn if isinstance(lsn, str) else str(lsn) if isinstance(lsn, int) else ""
    if re.fullmatch(r"[0-9]{1,19}", text) is None or int(text) == 0:
        raise InvalidArgumentError(f"an LSN is a decimal number above zero, not {lsn!r}")
    return text


def check_consistency(level: Any) -> None:
    """Raises:
    InvalidArgumentError: no level of consistency.
    """
    if level is None or isinstance(level, ConsistencyLevel):
        return
    if level not in {one.value for one in ConsistencyLevel}:
        raise InvalidArgumentError(
            f"unknown consistency {level!r}: ConsistencyLevel.Indexed or ConsistencyLevel.Strong"
        )


NULLS = "_nulls"
"""The column that names fields that were written as null."""
SORTABLE_TYPES = frozenset((18, 19, 20, 21, 23, 25, 700, 701, 1042, 1043, 1082, 1114, 1184, 1700, 2950))
"""OIDs of numbers, texts and times."""
JSONB = 3802


def check_sort_keys(types: Sequence[int], rows: Sequence[tuple[Any, ...]], places: Iterable[int]) -> None:
    """Rows are sorted by numbers and texts.

    Raises:
        InvalidArgumentError: another type of sort key.
    """
    for at in places:
        if types[at] in SORTABLE_TYPES:
            continue
        values = (row[at] for row in rows) if types[at] == JSONB else (True,)
        if any(
            value is not None and (isinstance(value, bool) or not isinstance(value, (str, int, float)))
            for value in values
        ):
            raise InvalidArgumentError("a sort key is a number or text")


def may_be_of_times(error: InvalidArgumentError) -> bool:
    """True when the server met a timestamp beside a number: fields are asked of it, and milliseconds told as times."""
    return error.sqlstate in ("42883", "42804") and "timestamp" in error.message


def columns_of(fields: Iterable[str] | None) -> tuple[str, list[str] | None]:
    """Columns of a SELECT and the names of fields that they are; None: as the server names them."""
    if fields is None:
        return "*", None
    if isinstance(fields, str):
        fields = [fields]
    names = ["_id"]
    for name in fields:
        if not isinstance(name, str):
            raise TypeError(f"a field's name is a str, not {type(name).__name__}")
        if name == "":
            raise InvalidArgumentError("a field's name must not be empty")
        if name not in names:
            names.append(name)
    return ", ".join(f"{path(name)} AS {quoted(name)}" for name in [*names, NULLS]), [*names, NULLS]


def documents_from(
    names: Sequence[str], rows: Iterable[tuple[Any, ...]], fields: Iterable[str] | None = None
) -> list[dict[str, Any]]:
    """Documents; what is null is left out, but for `fields` that were written so (None: any)."""
    if NULLS not in names:
        return [{name: value for name, value in zip(names, row) if value is not None} for row in rows]
    wanted = None if fields is None else set(fields)
    documents = []
    for row in rows:
        document = {name: value for name, value in zip(names, row) if value is not None}
        for name in document.pop(NULLS, ()):
            if name not in document and (wanted is None or name in wanted):
                document[name] = None
        documents.append(document)
    return documents


def documents_by_id(
    names: Sequence[str], rows: Iterable[tuple[Any, ...]], fields: Iterable[str] | None = None
) -> dict[str, dict[str, Any]]:
    """Documents by `_id`."""
    return {document["_id"]: document for document in documents_from(names, rows, fields)}
