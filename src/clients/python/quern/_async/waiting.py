"""Waiting: the only file that asynchronous and plain calls have each their own of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Sequence
from contextlib import aclosing
from typing import Any, Generic, TypeVar

from psycopg import AsyncConnection, AsyncCursor, AsyncRawCursor

__all__ = [
    "AsyncConnection", "AsyncListing", "AsyncStream", "AsyncRawCursor", "Slots", "sleep", "close_soon", "rows_of",
]  # fmt: skip

Item = TypeVar("Item")
AsyncStream = AsyncGenerator[Item, None]
"""Items as they come; closing it early cancels the statement behind it."""


class AsyncListing(Generic[Item]):
    """A list to come: `await` gives it, `async for` goes through it."""

    def __init__(self, work: Callable[[], Awaitable[list[Item]]]) -> None:
        self._work = work

    def __await__(self) -> Generator[Any, None, list[Item]]:
        return self._work().__await__()

    async def __aiter__(self) -> AsyncIterator[Item]:
        for one in await self._work():
            yield one


async def sleep(seconds: float) -> None:
    """Waits."""
    await asyncio.sleep(seconds)


class Slots:
    """So many may be at work at once; the others wait."""

    def __init__(self, count: int) -> None:
        self._semaphore = asyncio.Semaphore(count)

    async def take(self, seconds: float) -> bool:
        """False: none became free in time."""
        if not self._semaphore.locked():
            return await self._semaphore.acquire()
        try:
            return await asyncio.wait_for(self._semaphore.acquire(), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            return False

    def give(self) -> None:
        """Another may go on."""
        self._semaphore.release()


def close_soon(connection: AsyncConnection[object]) -> None:
    """Closes without waiting, also where no event loop runs any more."""
    connection.pgconn.finish()


def rows_of(
    cursor: AsyncCursor[Any], text: str, parameters: Sequence[Any]
) -> aclosing[AsyncGenerator[tuple[Any, ...], None]]:
    """A statement's rows as they come; leaving the context early cancels it."""
    return aclosing(cursor.stream(text, parameters, binary=True))  # type: ignore[arg-type]
