"""Searches and questions over datasets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Union

from .._asking import (
    AnswerReader,
    DatasetInput,
    Filter,
    ask_statement,
    check_fields,
    documents_wanted,
    result_from,
    search_statement,
    with_metadata,
)
from ..types import Answer, Progress, SearchResult
from .session import AsyncSession
from .waiting import AsyncStream

Datasets = Union[DatasetInput, Sequence[DatasetInput]]


def search(
    session: AsyncSession, query: str, datasets: Datasets, top_k: int, given: Filter, fields: Iterable[str] | None
) -> AsyncStream[SearchResult]:
    """Results, best first; arguments are checked at once."""
    text, parameters = search_statement(query, datasets, top_k, given)
    return _results(session, text, parameters, check_fields(fields))


async def _results(
    session: AsyncSession, text: str, parameters: list[Any], fields: list[str]
) -> AsyncStream[SearchResult]:
    async for row in session.stream(text, parameters):
        yield result_from(row, fields)


def ask(
    session: AsyncSession,
    function: str,
    query: str,
    datasets: Datasets,
    *,
    given: Filter,
    mode: str | None,
    fields: Iterable[str] | None,
    include_content: bool | None,
) -> AsyncStream[Union[Progress, Answer]]:
    """Progress, last the answer; arguments are checked at once."""
    text, parameters = ask_statement(function, query, datasets, given, mode)
    reader = AnswerReader(include_content is not False)
    return _answer(session, text, parameters, reader, check_fields(fields))


async def _answer(
    session: AsyncSession, text: str, parameters: list[Any], reader: AnswerReader, fields: list[str]
) -> AsyncStream[Union[Progress, Answer]]:
    last: Answer | None = None
    async for row in session.stream(text, parameters):
        read = reader.read(row)
        if isinstance(read, Answer):
            last = read
        elif read is not None:
            yield read
    if last is None:
        return
    if fields:
        known = {}
        for dataset, ids in documents_wanted(last).items():
            parameters = [dataset, ids, fields]
            known[dataset] = await session.value(
                "SELECT quern.get_metadata($1::text, $2::text[], $3::text[])", parameters
            )
        last = with_metadata(last, known, fields)
    yield last
