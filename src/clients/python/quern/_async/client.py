"""Where everything begins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from .._asking import Filter
from .._documents import sql_parameter
from .._host import find_server
from ..config import RetryConfig, Trace, read_config
from ..error import InvalidArgumentError
from ..types import Answer, Progress, SearchResult
from . import asking
from .collection import AsyncCollectionClient
from .collections import AsyncCollectionsClient
from .dataset import AsyncDatasetClient
from .datasets import AsyncDatasetsClient
from .session import AsyncSession
from .waiting import AsyncStream


class AsyncClient:
    """A client of one server; connects when it is first asked for something.

    Args:
        api_key: by default `QUERN_API_KEY`.
        region: by default `QUERN_REGION`, else `local`.
        host: a domain, where the server is `<region>.sql.<host>`; or an address, `localhost`, or a host with a port,
            which are used as they are. By default `QUERN_HOST`, else this machine.
        https: whether the connection is encrypted; certificates are verified, except on this machine.
        port: by default `QUERN_PORT`, else 5432.
        retry_config: a `RetryConfig`, or a dict of its fields.
        trace: called with a `StatementEvent` after each statement, in the thread that sent it.

    Raises:
        InvalidArgumentError: no key, no such port, a region without a host.

    It may be used by many threads or tasks at once, and as a context manager.
    """

    def __init__(
        self,
        api_key: str | None = None,
        region: str | None = None,
        host: str | None = None,
        https: bool = True,
        port: int | None = None,
        retry_config: Union[RetryConfig, Mapping[str, Any], None] = None,
        trace: Trace | None = None,
    ) -> None:
        key = api_key or os.environ.get("QUERN_API_KEY")
        if not key:
            raise InvalidArgumentError("no API key: give api_key, or set QUERN_API_KEY")
        if not isinstance(key, str):
            raise TypeError(f"an API key is a str, not {type(key).__name__}")
        server = find_server(region, host, port, https)
        self._session = AsyncSession(server, key, read_config(RetryConfig, retry_config), trace)

    def __repr__(self) -> str:
        server = self._session.server
        return f"<{type(self).__name__} of {server.where}, region {server.region!r}>"

    def collections(self) -> AsyncCollectionsClient:
        """Makes, finds and drops collections."""
        return AsyncCollectionsClient(self._session)

    def collection(self, name: str, partition: str | None = None) -> AsyncCollectionClient:
        """Documents of a collection, or of one of its partitions. Nothing is asked of the server yet.

        Raises:
            InvalidArgumentError: no name of a collection or partition.
        """
        return AsyncCollectionClient(self._session, name, partition)

    def datasets(self) -> AsyncDatasetsClient:
        """Makes, finds and drops datasets."""
        return AsyncDatasetsClient(self._session)

    def dataset(self, name: str) -> AsyncDatasetClient:
        """Documents of a dataset. Nothing is asked of the server yet.

        Raises:
            InvalidArgumentError: no name of a dataset.
        """
        return AsyncDatasetClient(self._session, name)

    def search(
        self,
        query: str,
        datasets: asking.Datasets,
        top_k: int = 10,
        filter: Filter = None,  # noqa: A002 - the contract's name
        select_fields: Iterable[str] | None = None,
    ) -> AsyncStream[SearchResult]:
        """Ranked passages, best first. Closing the iterator cancels the statement.

        Args:
            datasets: names, or `{"dataset": name, "filter": expression}`.
            top_k: how many, 1 to 1,000.
            filter: a condition over metadata, for all datasets.
            select_fields: fields of metadata that results bring along.

        Raises:
            InvalidArgumentError: no dataset, `top_k` out of range.
            DatasetNotFoundError: when it is read.
        """
        return asking.search(self._session, query, datasets, top_k, filter, select_fields)

    def ask(
        self,
        query: str,
        datasets: asking.Datasets,
        filter: Filter = None,  # noqa: A002
        mode: str | None = None,
        select_fields: Iterable[str] | None = None,
        include_content: bool | None = None,
    ) -> AsyncStream[Union[Progress, Answer]]:
        """`Progress` as it comes, last one `Answer`. Closing the iterator cancels the statement.

        Args:
            datasets: names, or `{"dataset": name, "filter": expression}`.
            filter: a condition over metadata, for all datasets.
            mode: `auto`, `summarize` or `research`.
            select_fields: fields of metadata that references bring along.
            include_content: False leaves content out of references (`dataset.get_content` gets it).

        Raises:
            InvalidArgumentError: no dataset, an unknown mode.
            DatasetNotFoundError: when it is read.
        """
        return asking.ask(
            self._session, "ask", query, datasets, given=filter, mode=mode, fields=select_fields,
            include_content=include_content,
        )  # fmt: skip

    def research(
        self,
        query: str,
        datasets: asking.Datasets,
        filter: Filter = None,  # noqa: A002
        mode: str | None = "research",
        select_fields: Iterable[str] | None = None,
        include_content: bool | None = None,
    ) -> AsyncStream[Union[Progress, Answer]]:
        """As `ask`, in several steps: a plan of questions, a search for each, evidence kept and rejected."""
        return asking.ask(
            self._session, "ask", query, datasets, given=filter, mode=mode or "research", fields=select_fields,
            include_content=include_content,
        )  # fmt: skip

    async def sql(self, statement: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """One statement as somebody wrote it, with `$1`, `$2`, … for parameters, of the types that it asks for.

        Returns:
            Its rows as dicts by the names of columns; null is None. Of a statement without rows an empty list.

        Raises:
            QuernError: of the class that the server's error has. It is not tried again where nobody knows if it ran.
        """
        answer = await self._session.rows(statement, _values(parameters), again=False, use="statements")
        return [dict(zip(answer.names, row)) for row in answer.rows]

    async def read_only(self, statement: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """As `sql`, one statement in a session that may only read, whatever the text looks like.

        The server refuses what writes, takes a number of a sequence, starts a job, or reaches other sessions. Nothing
        of the session stays: what SET changes holds for no other call.

        Raises:
            PermissionDeniedError: it does more than read (25006).
            QuernError: as `sql`.
        """
        answer = await self._session.rows(statement, _values(parameters), use="reading")
        return [dict(zip(answer.names, row)) for row in answer.rows]

    async def close(self) -> None:
        """Closes its connections."""
        await self._session.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _values(parameters: Sequence[Any]) -> list[Any]:
    return [None if one is None else sql_parameter(one) for one in parameters]
