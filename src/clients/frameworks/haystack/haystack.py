"""Haystack: a document store over a collection, and its retrievers. `pip install quern[haystack]`.

    from haystack import Document
    from quern.haystack import QuernDocumentStore, QuernTextRetriever

    store = QuernDocumentStore("notes")
    store.write_documents([Document(id="moby", content="a white whale", meta={"year": 1851})])
    QuernTextRetriever(document_store=store).run("obsession at sea", top_k=1)["documents"]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, Union

from . import schema
from ._compile import Compiler
from ._expression import Expression
from ._stages import Query
from ._sync.client import Client
from ._sync.waiting import Connection
from .error import CollectionNotFoundError, InvalidArgumentError, PartitionNotFoundError, QuernError
from .query import field, fn, match

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.document_stores.errors import DuplicateDocumentError
    from haystack.document_stores.types import DuplicatePolicy, FilterPolicy, apply_filter_policy
    from haystack.errors import FilterError
    from haystack.utils import Secret, deserialize_secrets_inplace
except ImportError as error:
    raise ImportError("quern.haystack needs haystack-ai: pip install 'quern[haystack]'") from error

from ._haystack_documents import document_of, fields_of, plain
from ._haystack_filters import read_filter

__all__ = ["QuernDocumentStore", "QuernEmbeddingRetriever", "QuernTextRetriever"]

BATCH = 1000
FIELDS = ("content", "meta", "blob", "sparse_embedding")
MODES = ("similarity", "keyword", "hybrid")
Filters = Union[dict[str, Any], None]
Given = TypeVar("Given")


class QuernDocumentStore:
    """Documents in a collection: `{"_id", "content", "meta": {…}}`, and `embedding`, `blob`, `sparse_embedding`
    where a document has one. Embeddings are kept as float32.

    Args:
        collection: its name. Made by the first write where it is not there, and empty until then.
        api_key, region, host, https, port: those of `quern.Client`; by default of the environment (`QUERN_API_KEY`,
            `QUERN_HOST`, …).
        partition: of the collection.
        server_embeds: whether the server embeds contents too, for searches by text; of a collection that is made.
        model: the server's model then.
        create_collection: False: a collection that is not there is `CollectionNotFoundError`.
    """

    def __init__(
        self,
        collection: str = "haystack",
        *,
        api_key: Secret = Secret.from_env_var("QUERN_API_KEY", strict=False),
        region: str | None = None,
        host: str | None = None,
        https: bool = True,
        port: int | None = None,
        partition: str | None = None,
        server_embeds: bool = True,
        model: str | None = None,
        create_collection: bool = True,
    ) -> None:
        self._settings = {
            "collection": collection, "region": region, "host": host, "https": https, "port": port,
            "partition": partition, "server_embeds": server_embeds, "model": model,
            "create_collection": create_collection,
        }  # fmt: skip
        self._api_key = api_key
        self._server_embeds = server_embeds
        self._model = model
        self._create = create_collection
        self._client = Client(api_key.resolve_value(), region=region, host=host, https=https, port=port)
        self._documents = self._client.collection(collection, partition)
        self._schema: Mapping[str, schema.FieldSpec] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As a dict, for pipelines that are saved; of the key only the name of its variable."""
        return dict(default_to_dict(self, **self._settings, api_key=self._api_key.to_dict()))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> QuernDocumentStore:
        """Restores from the result of `to_dict`."""
        data = {**data, "init_parameters": dict(data.get("init_parameters", {}))}
        deserialize_secrets_inplace(data["init_parameters"], keys=["api_key"])
        store: QuernDocumentStore = default_from_dict(cls, data)
        return store

    def count_documents(self) -> int:
        """How many there are."""
        return self._read(self._documents.count, 0)

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        """How many a filter finds."""
        return sum(row["_count"] for row in self._filtered(lambda query: query.count(), filters))

    def filter_documents(self, filters: Filters = None) -> list[Document]:
        """Those that a filter finds, in no order; all without one.

        Raises:
            FilterError: no filter of Haystack's, or a value of a type that its operator does not take.
        """
        return [document_of(row) for row in self._filtered(lambda all_: all_.select(*FIELDS, "embedding"), filters)]

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Stores documents, all or none of them where `policy` is not `OVERWRITE`.

        Args:
            policy: of ids that are there, or come twice. `FAIL`, as by default, is an error, `SKIP` keeps the old
                (the first), `OVERWRITE` the new (the last).

        Returns:
            How many were written; with `OVERWRITE` how many were given.

        Raises:
            ValueError: no list of documents.
            DuplicateDocumentError: by `FAIL`; nothing was stored.
        """
        if not isinstance(documents, list) or not all(isinstance(one, Document) for one in documents):
            raise ValueError("write_documents takes a list of haystack.Document")
        if not documents:
            return 0
        overwrites = policy == DuplicatePolicy.OVERWRITE
        new = {one.id: one for one in (documents if overwrites else reversed(documents))}
        if len(new) < len(documents) and policy not in (DuplicatePolicy.OVERWRITE, DuplicatePolicy.SKIP):
            raise DuplicateDocumentError("an id comes twice among the documents")
        self._prepare(documents)
        if not overwrites:
            return self._insert(new, skips=policy == DuplicatePolicy.SKIP)
        for batch in _batches(list(new.values())):
            self._documents.upsert([fields_of(one) for one in batch])
        return len(documents)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Deletes by ids; those that are not there are passed over."""
        self._read(lambda: self._documents.delete(document_ids), "")

    def delete_all_documents(self) -> None:
        """Leaves the collection empty."""
        self._read(lambda: self._documents.delete(field("_id").is_not_null()), "")

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Deletes what a filter finds.

        Returns:
            How many.
        """
        condition, to = _needed(filters), Compiler()
        text = f"DELETE FROM {self._documents._relation} WHERE {to.filter(condition, {})} RETURNING _id"
        session = self._client._session
        return self._asked(lambda: len(session.rows(text, to.parameters, again=False).rows), condition, 0)

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Merges metadata into the documents that a filter finds.

        Returns:
            How many.
        """
        _needed(filters)
        found = [row["_id"] for row in self._filtered(lambda query: query.select("_id"), filters)]
        for batch in _batches(found):
            self._documents.update([{"_id": one, "meta": plain(meta)} for one in batch])
        return len(found)

    def delete_collection(self) -> None:
        """Drops the collection, where it is there."""
        self._schema = None
        try:
            self._client.collections().delete(self._documents.name)
        except CollectionNotFoundError:
            pass

    def close(self) -> None:
        """Ends the client's connections."""
        self._client.close()

    def embedding_retrieval(
        self,
        query_embedding: list[float],
        *,
        filters: Filters = None,
        top_k: int = 10,
        return_embedding: bool = False,
    ) -> list[Document]:
        """The nearest to an embedding, best first. Scores are cosine similarity, or what the field's metric gives."""
        if not self._has("embedding"):
            return []
        near = fn.vector_distance("embedding", [float(number) for number in query_embedding])
        return self._best(near, filters, top_k, return_embedding, is_ascending=self._is_distance())

    def text_retrieval(
        self,
        query: str,
        *,
        mode: str = "hybrid",
        filters: Filters = None,
        top_k: int = 10,
        query_embedding: list[float] | None = None,
        return_embedding: bool = False,
    ) -> list[Document]:
        """The best for a text, best first; see `QuernTextRetriever`."""
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}: {', '.join(MODES)}")
        if query_embedding is not None and mode != "hybrid":
            raise ValueError("an embedding beside the text is for mode 'hybrid'")
        if not self._has("content") or top_k == 0:
            return []
        if mode == "similarity":
            return self._best(fn.semantic_similarity("content", query), filters, top_k, return_embedding)
        if mode == "keyword":
            words = match(query, "content")
            return self._best(fn.bm25_score(), filters, top_k, return_embedding, words=words)
        condition = read_filter(filters)
        own: dict[str, Any] = {}
        if query_embedding is not None:
            own = {"vector": [float(number) for number in query_embedding], "vector_column": "embedding"}
        columns = ["content"]
        found: list[dict[str, Any]] = self._asked(
            lambda: self._documents.hybrid(query, top_k, columns=columns, filter=condition, **own), condition, []
        )
        return [document_of(row, row["score"], return_embedding) for row in found]

    def _best(
        self,
        score: Expression,
        filters: Filters,
        top_k: int,
        return_embedding: bool,
        *,
        words: Expression | None = None,
        is_ascending: bool = False,
    ) -> list[Document]:
        names = (*FIELDS, "embedding") if return_embedding else FIELDS

        def best(query: Query) -> Query:
            found = query if words is None else query.filter(words)
            return found.select(*names, _score=score).topk(field("_score"), top_k, asc=is_ascending)

        # A text without a word, and a document without an embedding, are like nothing.
        rows = [row for row in self._filtered(best, filters) if "_score" in row] if top_k else []
        return [document_of(row, row["_score"]) for row in rows]

    def _filtered(self, rest: Callable[[Query], Query], filters: Filters) -> list[dict[str, Any]]:
        condition = read_filter(filters)
        query = rest(Query() if condition is None else Query().filter(condition))
        return self._asked(lambda: self._documents.query(query), condition, [])

    def _asked(self, work: Callable[[], Given], condition: Expression | None, empty: Given) -> Given:
        """Conditions that the server refuses, such as a day that no month has, are errors of the filter."""
        try:
            return self._read(work, empty)
        except InvalidArgumentError as error:
            if condition is None:
                raise
            raise FilterError(str(error)) from error

    def _read(self, work: Callable[[], Given], empty: Given) -> Given:
        """A missing collection is empty, where it is to be made."""
        try:
            return work()
        except (CollectionNotFoundError, PartitionNotFoundError):
            if not self._create:
                raise
            return empty

    def _has(self, name: str) -> bool:
        """True when the collection is there with this field; asked until it is."""
        if name not in (self._schema or {}):
            self._schema = self._read(lambda: self._client.collections().get(self._documents.name).schema, None)
        return name in (self._schema or {})

    def _is_distance(self) -> bool:
        """True when the least number is the nearest."""
        indexes = (self._schema or {})["embedding"].indexes
        return any(one.option("metric") in ("euclidean", "hamming") for one in indexes)

    def _prepare(self, documents: Sequence[Document]) -> None:
        """Makes the collection, and with the first embedding its field."""
        length = next((len(one.embedding) for one in documents if one.embedding is not None), None)
        fields: dict[str, schema.FieldSpec] = {}
        if length is not None:
            fields["embedding"] = schema.f32_vector(length).index(schema.vector_index("cosine"))
        name, collections = self._documents.name, self._client.collections()
        if not self._has("content") and self._schema is None:
            by = schema.semantic_index(self._model) if self._server_embeds else schema.keyword_index()
            fields["content"] = schema.text().index(by)
            self._change(lambda: collections.create(name, fields), "content")
        if "embedding" in fields and not self._has("embedding"):
            self._change(lambda: collections.add_field(name, "embedding", fields["embedding"]), "embedding")

    def _change(self, work: Callable[[], object], field_: str) -> None:
        """Changes the schema, unless another one was first."""
        try:
            work()
        except QuernError:
            if not self._has(field_):
                raise

    def _insert(self, new: Mapping[str, Document], skips: bool) -> int:
        """Stores those whose ids are not there, in one transaction; another one that is, is skipped or an error."""
        session = self._client._session

        def work(connection: Connection[Any]) -> int:
            session.fetch(connection, "BEGIN")
            try:
                free = {row[0] for batch in _batches(list(new)) for row in session.fetch(
                    connection, INSERT_IDS.format(self._documents._relation), [batch]
                ).rows}  # fmt: skip
                if not skips and len(free) < len(new):
                    raise DuplicateDocumentError(f"there is a document {min(new.keys() - free)!r} already")
                for batch in _batches([one for one in new.values() if one.id in free]):
                    text, values = self._documents._request("upsert", [fields_of(one) for one in batch], {}, "")
                    session.fetch(connection, text, values)
                session.fetch(connection, "COMMIT")
            except BaseException:
                if not connection.closed:
                    session.fetch(connection, "ROLLBACK")
                raise
            return len(free)

        return int(session.run(work, again=False))


INSERT_IDS = "INSERT INTO {} (_id) SELECT unnest($1::text[]) ON CONFLICT (_id) DO NOTHING RETURNING _id"


@component
class QuernEmbeddingRetriever:
    """The documents whose embeddings are nearest to that of a query, which an embedder of Haystack gives.

    Args:
        filters: of all runs; `filter_policy` says what becomes of them where a run has some.
        top_k: how many.
        return_embedding: whether documents bring theirs along.
    """

    def __init__(
        self,
        document_store: QuernDocumentStore,
        filters: Filters = None,
        top_k: int = 10,
        return_embedding: bool = False,
        filter_policy: Union[str, FilterPolicy] = FilterPolicy.REPLACE,
    ) -> None:
        self.document_store = _store(document_store)
        self.filters = filters
        self.top_k = _at_least(1, top_k)
        self.return_embedding = return_embedding
        self.filter_policy = _policy(filter_policy)

    def to_dict(self) -> dict[str, Any]:
        """As a dict, for pipelines that are saved."""
        return _component_dict(self, return_embedding=self.return_embedding)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> QuernEmbeddingRetriever:
        """Restores from the result of `to_dict`."""
        retriever: QuernEmbeddingRetriever = default_from_dict(cls, _with_store(data))
        return retriever

    @component.output_types(documents=list[Document])
    def run(
        self, query_embedding: list[float], filters: Filters = None, top_k: Union[int, None] = None
    ) -> dict[str, list[Document]]:
        """The nearest, best first."""
        found = self.document_store.embedding_retrieval(
            query_embedding,
            filters=apply_filter_policy(self.filter_policy, self.filters, filters),
            top_k=_at_least(0, self.top_k if top_k is None else top_k),
            return_embedding=self.return_embedding,
        )
        return {"documents": found}


@component
class QuernTextRetriever:
    """The best documents for a text, without an embedder: the server embeds it.

    Args:
        mode: `hybrid`, words and meaning together, scores 0 to 1; `similarity`, meaning alone, cosine; `keyword`,
            words alone, BM25.
        filters, top_k, return_embedding, filter_policy: as of `QuernEmbeddingRetriever`.

    A run may have a `query_embedding` too in mode `hybrid`: nearness to documents' embeddings counts besides.
    """

    def __init__(
        self,
        document_store: QuernDocumentStore,
        mode: str = "hybrid",
        filters: Filters = None,
        top_k: int = 10,
        return_embedding: bool = False,
        filter_policy: Union[str, FilterPolicy] = FilterPolicy.REPLACE,
    ) -> None:
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}: {', '.join(MODES)}")
        self.document_store = _store(document_store)
        self.mode = mode
        self.filters = filters
        self.top_k = _at_least(1, top_k)
        self.return_embedding = return_embedding
        self.filter_policy = _policy(filter_policy)

    def to_dict(self) -> dict[str, Any]:
        """As a dict, for pipelines that are saved."""
        return _component_dict(self, mode=self.mode, return_embedding=self.return_embedding)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> QuernTextRetriever:
        """Restores from the result of `to_dict`."""
        retriever: QuernTextRetriever = default_from_dict(cls, _with_store(data))
        return retriever

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        filters: Filters = None,
        top_k: Union[int, None] = None,
        query_embedding: Union[list[float], None] = None,
    ) -> dict[str, list[Document]]:
        """The best, first."""
        found = self.document_store.text_retrieval(
            query,
            mode=self.mode,
            filters=apply_filter_policy(self.filter_policy, self.filters, filters),
            top_k=_at_least(0, self.top_k if top_k is None else top_k),
            query_embedding=query_embedding,
            return_embedding=self.return_embedding,
        )
        return {"documents": found}


def _component_dict(of: Any, **rest: Any) -> dict[str, Any]:
    return dict(
        default_to_dict(
            of,
            document_store=of.document_store.to_dict(),
            filters=of.filters,
            top_k=of.top_k,
            filter_policy=of.filter_policy.value,
            **rest,
        )
    )


def _with_store(data: dict[str, Any]) -> dict[str, Any]:
    given = dict(data.get("init_parameters", {}))
    if isinstance(given.get("document_store"), dict):
        given["document_store"] = QuernDocumentStore.from_dict(given["document_store"])
    return {**data, "init_parameters": given}


def _store(given: object) -> QuernDocumentStore:
    if not isinstance(given, QuernDocumentStore):
        raise TypeError(f"document_store is a QuernDocumentStore, not {type(given).__name__}")
    return given


def _needed(filters: Filters) -> Expression:
    condition = read_filter(filters)
    if condition is None:
        raise FilterError("a filter is needed, or it would be all documents")
    return condition


def _policy(given: Union[str, FilterPolicy]) -> FilterPolicy:
    return given if isinstance(given, FilterPolicy) else FilterPolicy.from_str(given)


def _at_least(least: int, top_k: int) -> int:
    if top_k < least:
        raise ValueError(f"top_k is at least {least}, not {top_k}")
    return top_k


def _batches(given: list[Given]) -> Iterator[list[Given]]:
    return (given[at : at + BATCH] for at in range(0, len(given), BATCH))
