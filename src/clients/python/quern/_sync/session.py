# Made of ../_async by make_sync.py: change it there.
"""Statements over a few pooled connections, tried again where that is safe."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Literal

import psycopg
from psycopg.rows import tuple_row

from .._failure import failure_of, is_stale_plan, unreachable
from .._host import Server
from .._packing import Kinds
from .._pool_checks import is_alive, is_idle
from .._reading import Adapted
from ..config import RetryConfig, StatementEvent, Trace
from ..error import (
    ConflictError,
    ConnectionFailedError,
    ConnectionLostError,
    InvalidArgumentError,
    QuernError,
    SlowDownError,
)
from .waiting import Connection, RawCursor, Stream, Slots, close_soon, rows_of, sleep

CONNECTIONS_MAX = 16
PREPARE_THRESHOLD = 2
CONNECT_SECONDS = 10

Use = Literal["queries", "statements", "reading"]
"""Uses of a connection; what one leaves behind in its session is no concern of the others."""
OPTIONS: dict[Use, str] = {
    "queries": "-c quern.unknown_columns=null",
    "statements": "",
    "reading": "-c quern.read_only=on",
}
"""Settings by use: queries of the client's own, where a field that no document has is null; statements that somebody
wrote, as PostgreSQL has them; statements that may only read."""


class Rows:
    """An answer: tuples, and names and types (OIDs) of their columns."""

    __slots__ = ("rows", "_result")

    def __init__(self, rows: list[tuple[Any, ...]], result: Any) -> None:
        self.rows = rows
        self._result = result

    @property
    def names(self) -> list[str]:
        """Names of columns."""
        return [self._result.fname(at).decode() for at in range(self._result.nfields)]

    @property
    def types(self) -> list[int]:
        """Their types."""
        return [self._result.ftype(at) for at in range(self._result.nfields)]


class Session:
    """The way to the server; safe for many threads or tasks at once.

    Connections are made when they are wanted, up to `CONNECTIONS_MAX` at work; who wants one more waits. As many are
    kept for later.
    """

    def __init__(self, server: Server, key: str, retry: RetryConfig, trace: Trace | None = None) -> None:
        self._trace = trace
        self.server = server
        self.retry = retry
        self.kinds: dict[str, Kinds] = {}
        self._key = key
        self._free: dict[Use, deque[Connection[Any]]] = {use: deque() for use in OPTIONS}
        self._slots = Slots(CONNECTIONS_MAX)
        self._context = Adapted()
        self._is_closed = False

    def rows(
        self, text: str, parameters: Sequence[Any] = (), *, again: bool = True, use: Use = "queries"
    ) -> Rows:
        """All rows of one statement.

        Args:
            again: whether it may run twice where nobody knows if it ran.
        """

        def work(connection: Connection[Any]) -> Rows:
            answer = self.fetch(connection, text, parameters)
            if not is_idle(connection):
                raise InvalidArgumentError(
                    "a transaction needs a connection of its own", hint="a driver has them, such as psycopg"
                )
            return answer

        answer: Rows = self.run(work, again=again, use=use)
        return answer

    def value(self, text: str, parameters: Sequence[Any] = (), *, again: bool = True) -> Any:
        """The first column of the first row; None without one."""
        answer = self.rows(text, parameters, again=again)
        return answer.rows[0][0] if answer.rows else None

    def run(self, work: Callable[[Connection[Any]], Any], *, again: bool, use: Use = "queries") -> Any:
        """Work with one connection, tried again as `retry` says.

        Raises:
            QuernError: of the class that the server's error has.
        """
        deadline = time.monotonic() + self.retry.timeout / 1000
        tries = 0
        while True:
            try:
                return self._once(work, deadline, use)
            except QuernError as error:
                self.back_off(error, tries, deadline, again)
                tries += 1

    def back_off(self, error: QuernError, tries: int, deadline: float, again: bool) -> None:
        """Waits before the next try.

        Raises:
            QuernError: the error, where trying again is of no use or not safe, or the time is up.
        """
        if not may_retry(error, again) or tries >= self.retry.max_retries:
            raise error
        delay = self.retry.backoff.delay(tries)
        if time.monotonic() + delay > deadline:
            raise error
        sleep(delay)

    def _once(self, work: Callable[[Connection[Any]], Any], deadline: float, use: Use) -> Any:
        while True:
            connection = self.take(deadline, use)
            try:
                return work(connection)
            except psycopg.Error as error:
                if is_stale_plan(error):
                    # Documents gave a column another type: what was prepared on this connection is of no use.
                    close_soon(connection)
                    continue
                raise failure_of(error, self.server.where, connection.closed) from error
            except UnicodeEncodeError as error:
                raise InvalidArgumentError(f"a text is no Unicode: {error.reason}") from error
            finally:
                if use == "reading":
                    forget(connection)
                self.give(connection, use)

    def fetch(self, connection: Connection[Any], text: str, parameters: Sequence[Any] = ()) -> Rows:
        """All rows of one statement on this connection."""
        if self._trace is None:
            return fetch(connection, text, parameters)
        began = time.perf_counter()
        try:
            answer = fetch(connection, text, parameters)
        except BaseException as error:
            self._tell(text, parameters, began, None, error)
            raise
        self._tell(text, parameters, began, len(answer.rows), None)
        return answer

    def _tell(
        self, text: str, parameters: Sequence[Any], began: float, row_count: int | None, error: BaseException | None
    ) -> None:
        if self._trace is not None:
            self._trace(StatementEvent(text, len(parameters), time.perf_counter() - began, row_count, error))

    def stream(self, text: str, parameters: Sequence[Any], *, again: bool = True) -> Stream[tuple[Any, ...]]:
        """Rows as they come. Closing the iterator cancels the statement. Tried again until the first row is there."""
        deadline = time.monotonic() + self.retry.timeout / 1000
        tries, has_begun = 0, False
        while True:
            try:
                connection = self.take(deadline)
                began = time.perf_counter()
                try:
                    with rows_of(connection.cursor(), text, parameters) as rows:
                        for row in rows:
                            has_begun = True
                            yield row
                    self._tell(text, parameters, began, None, None)
                    return
                except psycopg.Error as error:
                    raise failure_of(error, self.server.where, connection.closed) from error
                finally:
                    self.give(connection)
            except QuernError as error:
                if has_begun:
                    raise
                self.back_off(error, tries, deadline, again)
                tries += 1

    def take(self, deadline: float, use: Use = "queries") -> Connection[Any]:
        """A connection of one's own, until `give`."""
        if self._is_closed:
            raise ConnectionFailedError("this client is closed")
        if not self._slots.take(max(0.001, deadline - time.monotonic())):
            raise ConnectionFailedError(
                f"all {CONNECTIONS_MAX} connections of this client are in use",
                hint="iterators that were begun hold one until they are read to the end or closed",
            )
        try:
            free = self._free[use]
            while free:
                connection = free.pop()
                if is_alive(connection):
                    return connection
                close_soon(connection)
            return self._connect(deadline, use)
        except BaseException:
            self._slots.give()
            raise

    def give(self, connection: Connection[Any], use: Use = "queries") -> None:
        """For others to use, or closed where it is not idle."""
        if self._is_closed or not is_idle(connection):
            close_soon(connection)
        else:
            self._free[use].append(connection)
            self._close_spare()
        self._slots.give()

    def _close_spare(self) -> None:
        """Evicts, from the use that has the most, the one that has been idle for the longest."""
        while sum(map(len, self._free.values())) > CONNECTIONS_MAX:
            close_soon(max(self._free.values(), key=len).popleft())

    def _connect(self, deadline: float, use: Use) -> Connection[Any]:
        server = self.server
        seconds = max(1, min(CONNECT_SECONDS, int(deadline - time.monotonic())))
        try:
            connection = Connection.connect(
                host=server.host,
                port=server.port,
                user="quern",
                dbname="quern",
                password=self._key,
                application_name="quern-python",
                options=f"-c TimeZone=UTC {OPTIONS[use]}",
                connect_timeout=seconds,
                autocommit=True,
                prepare_threshold=None if use == "reading" else PREPARE_THRESHOLD,
                cursor_factory=RawCursor,
                row_factory=tuple_row,
                context=self._context,
                **server.tls(),
            )
        except psycopg.Error as error:
            raise unreachable(error, server.where, server.setting) from error
        if use == "reading" and connection.pgconn.parameter_status(b"quern.read_only") != b"on":
            close_soon(connection)
            raise ConnectionFailedError(
                "the server does not keep this session read only",
                hint="an older server, or a pooler on the way that leaves start-up settings out",
            )
        return connection

    def close(self) -> None:
        """Closes all connections; those that are at work close when they are done."""
        self._is_closed = True
        for free in self._free.values():
            while free:
                free.pop().close()

    def __del__(self) -> None:
        for free in self.__dict__.get("_free", {}).values():
            for connection in free:
                close_soon(connection)


def may_retry(error: QuernError, again: bool) -> bool:
    """True when it was not done for certain and may go well next time; or may be done twice (`again`)."""
    if isinstance(error, ConnectionLostError):
        return again
    if isinstance(error, ConnectionFailedError):
        return error.sqlstate is None and not error.message.startswith(FINAL)
    return isinstance(error, (ConflictError, SlowDownError))


FINAL = ("TLS", "this client", "all ", "the server does not")
"""How errors begin that are the same next time."""


def forget(connection: Connection[Any]) -> None:
    """Leaves nothing of what was done in the session; what cannot be left ends with it."""
    if not is_idle(connection):
        return
    try:
        connection.execute("DISCARD ALL")
    except psycopg.Error:
        close_soon(connection)


def fetch(connection: Connection[Any], text: str, parameters: Sequence[Any] = ()) -> Rows:
    """All rows of one statement on this connection."""
    cursor = connection.execute(text, parameters or None, binary=True)
    result = cursor.pgresult
    return Rows(cursor.fetchall() if result is not None and result.nfields else [], result)
