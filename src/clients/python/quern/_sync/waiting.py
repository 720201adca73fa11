"""Waiting: the only file that asynchronous and plain calls have each their own of."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, TypeVar

from psycopg import Connection, Cursor, RawCursor

__all__ = ["Connection", "Listing", "Stream", "RawCursor", "Slots", "sleep", "close_soon", "rows_of"]

Item = TypeVar("Item")
Stream = Generator[Item, None, None]
"""Items as they come; closing it early cancels the statement behind it."""


class Listing(list[Item]):
    """A list, as what is awaited has one to come."""

    def __init__(self, work: Callable[[], list[Item]]) -> None:
        super().__init__(work())

    def __reduce__(self) -> tuple[type[list[Item]], tuple[list[Item]]]:
        return list, (list(self),)


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


class Slots:
    """So many may be at work at once; the others wait."""

    def __init__(self, count: int) -> None:
        self._semaphore = threading.Semaphore(count)

    def take(self, seconds: float) -> bool:
        """False: none became free in time."""
        return self._semaphore.acquire(timeout=seconds)

    def give(self) -> None:
        """Another may go on."""
        self._semaphore.release()


def close_soon(connection: Connection[object]) -> None:
    """Closes without waiting."""
    connection.pgconn.finish()


def rows_of(
    cursor: Cursor[Any], text: str, parameters: Sequence[Any]
) -> closing[Generator[tuple[Any, ...], None, None]]:
    """A statement's rows as they come; leaving the context early cancels it."""
    return closing(cursor.stream(text, parameters, binary=True))  # type: ignore[arg-type]
