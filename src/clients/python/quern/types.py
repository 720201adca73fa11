"""Results of the client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict

from ._expression import Expression
from .schema import FieldSpec


@dataclass(frozen=True)
class Collection:
    """A collection; compares by value.

    Attributes:
        schema: as it was declared.
        created_at: ISO 8601, UTC.
    """

    name: str
    org_id: str
    project_id: str
    region: str
    schema: dict[str, FieldSpec]
    created_at: str


@dataclass(frozen=True)
class Dataset:
    """A dataset; compares by value. `created_at` is ISO 8601, UTC."""

    name: str
    org_id: str
    project_id: str
    region: str
    description: str
    created_at: str


class Partition(str):
    """A partition: its name, which it compares as.

    Attributes:
        created_at: ISO 8601, UTC; "" where it was made by a server that did not keep it.
    """

    __slots__ = ("created_at",)

    def __new__(cls, name: str, created_at: str = "") -> Partition:
        made = super().__new__(cls, name)
        made.created_at = created_at
        return made

    created_at: str

    @property
    def name(self) -> str:
        """The name."""
        return str(self)

    def __repr__(self) -> str:
        return f"Partition(name={str(self)!r}, created_at={self.created_at!r})"

    def __str__(self) -> str:
        return str.__str__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Partition, (str(self), self.created_at))


class _Named(TypedDict):
    dataset: str


class Source(_Named, total=False):
    """A dataset of `search` and `ask`, with a condition over its metadata: `Source(dataset="filings", filter=…)`."""

    filter: Expression | str | None


class Record(Mapping[str, Any]):
    """Attributes that can be read as a mapping too."""

    def __getitem__(self, name: str) -> Any:
        if name not in self._names():
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def _names(self) -> list[str]:
        return [one.name for one in fields(self)]  # type: ignore[arg-type]


@dataclass(frozen=True)
class ListEntry(Record):
    """A document of a dataset.

    Attributes:
        size: in bytes; None while it is not known.
        status: `pending`, `ready` or `error`.
        status_reason: why, of `error`.
    """

    id: str
    name: str
    size: int | None
    mime_type: str | None
    status: str
    status_reason: str | None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Chunk(Record):
    """A passage; `doc_pages` count from 1 and are empty where a format has no pages."""

    text: str
    doc_pages: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Image(Record):
    """A picture, as bytes."""

    data: bytes
    mime_type: str

    def __repr__(self) -> str:
        return f"Image({len(self.data)} bytes, {self.mime_type!r})"


@dataclass(frozen=True)
class Page(Record):
    """A page, from 1, and a picture of it where there is one."""

    page_number: int
    image: Image | None = None


@dataclass(frozen=True)
class ContentData(Mapping[str, Any]):
    """One of `Chunk`, `Image`, `Page`, by the name of its kind: `data.Chunk.text`, `data["Chunk"]["text"]`."""

    value: Chunk | Image | Page

    @property
    def kind(self) -> str:
        """`Chunk`, `Image` or `Page`."""
        return type(self.value).__name__

    def __getitem__(self, name: str) -> Any:
        if name != self.kind:
            raise KeyError(name)
        return self.value

    def __iter__(self) -> Iterator[str]:
        return iter((self.kind,))

    def __len__(self) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        if name in ("Chunk", "Image", "Page"):
            return self.value if name == self.kind else None
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.value, name)

    def __repr__(self) -> str:
        return f"{{{self.kind!r}: {self.value!r}}}"


@dataclass(frozen=True)
class Content(Record):
    """The content that a result or a citation refers to."""

    data: ContentData

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "data":
            raise AttributeError(name)
        return getattr(self.data, name)


@dataclass(frozen=True)
class SearchResult(Record):
    """A ranked passage, picture or page; or what an answer cites.

    Attributes:
        doc_type: media type of the document, such as `application/pdf`.
        content: None where an answer was asked for without (`include_content=False`).
        metadata: the fields that `select_fields` named.
        score: 0 to 1, within one search; None of citations.
    """

    doc_id: str
    doc_type: str
    dataset: str
    content_id: str
    doc_name: str
    content: Content | None
    metadata: dict[str, Any] = field(default_factory=dict)
    score: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Progress(Record):
    """A step under way."""

    update: str


@dataclass(frozen=True)
class Fact(Record):
    """A statement and the keys of `Answer.refs` that it rests on."""

    fact: str
    ref_ids: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Answer(Record):
    """An answer; without facts nothing supports one.

    Attributes:
        confidence: 0 to 100.
    """

    facts: list[Fact]
    refs: dict[str, SearchResult]
    confidence: float
