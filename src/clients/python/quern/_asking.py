"""Arguments of search, ask and research, and what their rows mean."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from ._compile import Compiler
from ._documents import to_json_text
from ._expression import Expression, condition
from ._names import check_name, quoted, text_literal
from ._parameters import check_text
from .error import InvalidArgumentError
from .types import Answer, Chunk, Content, ContentData, Fact, Image, Page, Progress, SearchResult

Filter = Union[Expression, bool, str, None]
DatasetInput = Union[str, Mapping[str, Any]]
MODES = ("auto", "summarize", "research")
TOP_K_MAX = 1000
SEARCH_COLUMNS = "score, dataset, doc_id, doc_name, doc_type, content_id, kind, text, doc_pages, metadata"


class TextCompiler(Compiler):
    """Writes values into the text: filters of datasets are texts themselves."""

    def bind(self, value: Any, cast: str) -> str:
        if isinstance(value, list):
            return f"ARRAY[{', '.join(map(text_literal, value))}]::{cast}"
        if isinstance(value, bytes):
            value = f"\\x{value.hex()}"
        return f"{text_literal(str(value))}::{cast}" if cast else text_literal(str(value))


class _DocumentNames(dict[str, str]):
    """Names in a filter of `list`: what is known of every document, then fields of metadata."""

    OWN = ("doc_id", "name", "size", "mime_type", "status", "status_reason")

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and "." not in name

    def __getitem__(self, name: str) -> str:
        if name in ("_id", "id"):
            return quoted("doc_id")
        return quoted(name) if name in self.OWN else f"metadata[{text_literal(name)}]"


def filter_text(given: Filter) -> str | None:
    """A filter as the SQL text that `search` and `ask` take; a str is that text already."""
    if given is None or isinstance(given, str):
        return given
    return TextCompiler().filter(condition(given), {})


def list_filter(given: Filter) -> tuple[str, list[Any]]:
    """A filter as a condition over `documents`, with its parameters."""
    if given is None:
        return "", []
    if isinstance(given, str):
        return f" WHERE {given}", []
    to = Compiler()
    return f" WHERE {to.filter(condition(given), _DocumentNames())}", to.parameters


def dataset_list(datasets: Any) -> str:
    """Datasets as JSON: names, or `{"dataset": name, "filter": expression}`.

    Raises:
        InvalidArgumentError: none at all, or no name of a dataset.
    """
    if isinstance(datasets, (str, Mapping)):
        datasets = [datasets]
    if datasets is None or not hasattr(datasets, "__iter__"):
        raise TypeError(f"expected a list of datasets, not {type(datasets).__name__}")
    read = [_dataset(one) for one in datasets]
    if not read:
        raise InvalidArgumentError("provide at least one dataset")
    return to_json_text(read)


def _dataset(one: Any) -> dict[str, str]:
    if isinstance(one, str):
        return {"dataset": check_name(one, "dataset")}
    if not isinstance(one, Mapping) or "dataset" not in one:
        raise TypeError('a dataset is a name or {"dataset": name, "filter": expression}')
    unknown = set(one) - {"dataset", "filter"}
    if unknown:
        raise InvalidArgumentError(f"a dataset has no {min(unknown)!r}, only 'dataset' and 'filter'")
    text = filter_text(one.get("filter"))
    return {"dataset": check_name(one["dataset"], "dataset"), **({} if text is None else {"filter": text})}


def search_statement(query: Any, datasets: Any, top_k: Any, given: Filter) -> tuple[str, list[Any]]:
    """The SQL of a search and its parameters."""
    if isinstance(top_k, bool) or not isinstance(top_k, int):
        raise TypeError(f"top_k is an int, not {type(top_k).__name__}")
    if not 1 <= top_k <= TOP_K_MAX:
        raise InvalidArgumentError(f"top_k is from 1 to {TOP_K_MAX}, not {top_k}")
    text = f"SELECT {SEARCH_COLUMNS} FROM search($1::text, $2::jsonb, top_k => $3::int, filter => $4::text)"
    return text, [_question(query), dataset_list(datasets), str(top_k), filter_text(given)]


def ask_statement(function: str, query: Any, datasets: Any, given: Filter, mode: Any) -> tuple[str, list[Any]]:
    """The SQL of a question and its parameters."""
    parameters: list[Any] = [_question(query), dataset_list(datasets)]
    rest = ""
    if mode is not None:
        if mode not in MODES:
            raise InvalidArgumentError(f"unknown mode {mode!r}: {', '.join(MODES)}")
        parameters.append(mode)
        rest += f", mode => ${len(parameters)}::text"
    if given is not None:
        parameters.append(filter_text(given))
        rest += f", filter => ${len(parameters)}::text"
    columns = "kind, update, fact, ref_ids, refs, confidence"
    return f"SELECT {columns} FROM {function}($1::text, $2::jsonb{rest})", parameters


def _question(query: Any) -> str:
    if not isinstance(query, str):
        raise TypeError(f"a question is a str, not {type(query).__name__}")
    return check_text(query)


def check_fields(fields: Any) -> list[str]:
    """Names of fields of metadata."""
    if fields is None:
        return []
    read = [fields] if isinstance(fields, str) else list(fields)
    for one in read:
        if not isinstance(one, str):
            raise TypeError(f"a field's name is a str, not {type(one).__name__}")
    return read


def result_from(row: tuple[Any, ...], fields: Sequence[str]) -> SearchResult:
    """A result from a row of `SEARCH_COLUMNS`."""
    score, dataset, doc_id, doc_name, doc_type, content_id, kind, text, pages, metadata = row
    value = Page(pages[0] if pages else 0) if kind == "page" and text is None else Chunk(text or "", pages or [])
    kept = {name: metadata[name] for name in fields if name in (metadata or {})}
    return SearchResult(doc_id, doc_type, dataset, content_id, doc_name, Content(ContentData(value)), kept, score)


def content_from(given: Mapping[str, Any]) -> Content:
    """Content from what `quern.get_content` and references give."""
    if given.get("data") is not None:
        image = Image(b64decode(given["data"]), given.get("mime_type") or "application/octet-stream")
        if given.get("kind") == "page":
            return Content(ContentData(Page((given.get("doc_pages") or [0])[0], image)))
        return Content(ContentData(image))
    return Content(ContentData(Chunk(given.get("text") or "", given.get("doc_pages") or [])))


class AnswerReader:
    """Progress as it comes, and the answer from the rows before it."""

    def __init__(self, include_content: bool) -> None:
        self._include_content = include_content
        self._facts: list[Fact] = []

    def read(self, row: tuple[Any, ...]) -> Union[Progress, Answer, None]:
        """The step that a row completes."""
        kind, update, fact, ref_ids, refs, confidence = row
        if kind == "progress":
            return Progress(update)
        if kind == "fact":
            self._facts.append(Fact(fact, ref_ids or []))
            return None
        if kind != "answer":
            return Progress(update) if update else None
        cited = {key: self._reference(one) for key, one in (refs or {}).items()}
        return Answer(self._facts, cited, confidence)

    def _reference(self, one: Mapping[str, Any]) -> SearchResult:
        content = content_from(one["content"]) if self._include_content and one.get("content") else None
        return SearchResult(
            one["doc_id"], one["doc_type"], one["dataset"], one["content_id"], one["doc_name"], content,
            one.get("metadata") or {},
        )  # fmt: skip


def documents_wanted(answer: Answer) -> dict[str, list[str]]:
    """Dataset to the documents of it that an answer cites."""
    wanted: dict[str, list[str]] = {}
    for one in answer.refs.values():
        ids = wanted.setdefault(one.dataset, [])
        if one.doc_id not in ids:
            ids.append(one.doc_id)
    return wanted


def with_metadata(answer: Answer, known: Mapping[str, Mapping[str, Any]], fields: Iterable[str]) -> Answer:
    """The answer with these fields of its documents' metadata."""
    names = list(fields)
    for one in answer.refs.values():
        metadata = known.get(one.dataset, {}).get(one.doc_id, {})
        one.metadata.update({name: metadata[name] for name in names if name in metadata})
    return answer
