"""Names: which ones there may be, and how they are written in SQL."""

from __future__ import annotations

import re

from .error import InvalidArgumentError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,254}\Z")


def check_name(name: object, what: str) -> str:
    """The name of a collection, partition or dataset.

    Raises:
        TypeError: it is no str.
        InvalidArgumentError: it has other characters than letters, digits, `_`, `-`, `.`, or is too long.
    """
    if not isinstance(name, str):
        raise TypeError(f"a {what} name is a str, not {type(name).__name__}")
    if _NAME.match(name) is None:
        raise InvalidArgumentError(
            f"Invalid {what} name {name!r}: 1 to 255 letters, digits, '_', '-' and '.', "
            "beginning with a letter or digit"
        )
    return name


def quoted(name: str) -> str:
    """As an identifier."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """As a constant."""
    return "'" + text.replace("'", "''") + "'"


def iso(column: str) -> str:
    """A time as ISO 8601, UTC, to the millisecond."""
    return f'''to_char({column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')'''


def path(name: str) -> str:
    """A field of a document: `a.b.c` goes into structs."""
    top, *inner = name.split(".")
    return quoted(top) + "".join(f"[{text_literal(part)}]" for part in inner)


def relation(collection: str, partition: str | None) -> str:
    """A collection or one of its partitions, as an identifier."""
    return quoted(collection if partition is None else f"{collection}${partition}")
