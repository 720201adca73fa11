"""LlamaIndex: a vector store over a collection. `pip install quern[llama-index]`.

    from quern.llama_index import QuernVectorStore

    store = QuernVectorStore("notes", dimension=1536)  # or without it: the server embeds
    index = VectorStoreIndex.from_vector_store(store, embed_model=…)

What is awaited (`async_add`, `aquery`, …) runs in a thread.
"""

from __future__ import annotations

from asyncio import to_thread
from typing import Any, Callable, Sequence, Union

from . import _llama_filters as filtering
from ._expression import Expression
from ._passages import Names, Passage, Passages, all_of
from ._sync.client import Client
from .query import field, literal

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.schema import BaseNode, MetadataMode
    from llama_index.core.vector_stores.types import (
        BasePydanticVectorStore,
        MetadataFilters,
        VectorStoreQuery,
        VectorStoreQueryMode,
        VectorStoreQueryResult,
    )
    from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict
except ImportError as error:
    raise ImportError("quern.llama_index needs llama-index-core: pip install 'quern[llama-index]'") from error

__all__ = ["QuernVectorStore"]

MMR_CHOICE = 4
"""Factor of near ones from which marginal relevance chooses, unless it is told: LlamaIndex's number."""


class QuernVectorStore(BasePydanticVectorStore):
    """Nodes in a collection.

    Args:
        collection: its name. Made by the first write where it is not there, and empty until then.
        dimension: of the vectors of LlamaIndex's embedding model, which are stored; None: the server embeds texts,
            by a semantic index, and nodes and queries need no embedding.
        client: by default one of the environment's (`QUERN_API_KEY`, `QUERN_HOST`, …).
        partition: of the collection.
        text_field, metadata_field, vector_field: the fields that hold them.
        create_collection: False: a collection that is not there is `CollectionNotFoundError`.
        model: the server's model where it embeds and the collection is made.
    """

    stores_text: bool = True
    flat_metadata: bool = False
    collection: str
    dimension: Union[int, None] = None
    partition: Union[str, None] = None
    _passages: Passages = PrivateAttr()

    def __init__(
        self,
        collection: str = "llama_index",
        *,
        dimension: int | None = None,
        client: Client | None = None,
        partition: str | None = None,
        text_field: str = "text",
        metadata_field: str = "metadata",
        vector_field: str = "vector",
        create_collection: bool = True,
        model: str | None = None,
    ) -> None:
        given: dict[str, Any] = {"collection": collection, "dimension": dimension, "partition": partition}
        super().__init__(is_embedding_query=dimension is not None, **given)
        self._passages = Passages(
            client or Client(),
            collection,
            partition=partition,
            names=Names(text_field, metadata_field, vector_field),
            embeds=dimension is not None,
            create=create_collection,
            model=model,
        )

    @classmethod
    def class_name(cls) -> str:
        """Its name in what LlamaIndex writes."""
        return "QuernVectorStore"

    @property
    def client(self) -> Client:
        """Quern's client."""
        return self._passages.client

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Stores nodes; one whose id is there is replaced.

        Raises:
            ValueError: a node without an embedding, or with one of another dimension, where LlamaIndex embeds.
        """
        texts = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        about = [node_to_metadata_dict(node, remove_text=True, flat_metadata=False) for node in nodes]
        return self._passages.add([node.node_id for node in nodes], texts, about, self._vectors(nodes))

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Deletes the nodes of a document."""
        self._passages.delete(self._of_documents([ref_doc_id]))

    def delete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """Deletes nodes by ids, or what a filter finds, or what both do.

        Raises:
            ValueError: neither.
        """
        found = self._condition(node_ids, filters)
        if found is None:
            raise ValueError("delete_nodes takes node_ids, filters, or both; clear() deletes all")
        self._passages.delete(found)

    def get_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Nodes by ids, in their order; or what a filter finds; or what both do; or all."""
        found = self._condition(None, filters)
        if node_ids is None:
            return [_node(one) for one in self._passages.find(literal(True) if found is None else found)]
        if found is None:
            return [_node(one) for one in self._passages.get(node_ids)]
        by_id = {one.id: one for one in self._passages.find(all_of([_among(node_ids), found]))}
        return [_node(by_id[one]) for one in dict.fromkeys(node_ids) if one in by_id]

    def clear(self) -> None:
        """Deletes all nodes of the collection, or of its partition."""
        self._passages.delete(literal(True))

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The best nodes, first.

        Args:
            query: `mode` is `default`; `text_search` (or `sparse`), BM25; `hybrid` (or `semantic_hybrid`), both in
                one ranking, with `alpha` from 0, words, to 1, meaning; or `mmr`, near ones unlike one another.
            kwargs: of `mmr`: `mmr_threshold`, from 0, unlike one another, to 1, near; `mmr_prefetch_k` or
                `mmr_prefetch_factor`, of how many it chooses.

        Raises:
            ValueError: another mode, or the query lacks what its mode needs.
        """
        search = MODES.get(query.mode)
        if search is None:
            raise ValueError(f"unknown mode {str(query.mode.value)!r}: {', '.join(one.value for one in MODES)}")
        names = self._passages.names
        if query.embedding_field not in (None, names.vector):
            raise ValueError(f"vectors are in {names.vector!r}, not in {query.embedding_field!r}")
        # An index over a store that keeps its nodes knows of none, and its retrievers say so: no ids are all.
        found = search(self, query, self._condition(query.node_ids or None, query.filters, query.doc_ids), kwargs)
        return VectorStoreQueryResult(
            nodes=[_node(one) for one in found],
            similarities=[one.score for one in found],
            ids=[one.id for one in found],
        )

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """As `add`."""
        return await to_thread(self.add, nodes, **kwargs)

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """As `delete`."""
        await to_thread(self.delete, ref_doc_id, **delete_kwargs)

    async def adelete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """As `delete_nodes`."""
        await to_thread(self.delete_nodes, node_ids, filters, **delete_kwargs)

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """As `get_nodes`."""
        return await to_thread(self.get_nodes, node_ids, filters)

    async def aclear(self) -> None:
        """As `clear`."""
        await to_thread(self.clear)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """As `query`."""
        return await to_thread(self.query, query, **kwargs)

    def _vectors(self, nodes: Sequence[BaseNode]) -> list[list[float]] | None:
        if self.dimension is None:
            return None
        vectors = [node.get_embedding() for node in nodes]
        for node, vector in zip(nodes, vectors):
            if len(vector) != self.dimension:
                raise ValueError(f"the embedding of {node.node_id!r} is of {len(vector)} numbers, not {self.dimension}")
        return vectors

    def _of_documents(self, ids: Sequence[str]) -> Expression:
        return field(f"{self._passages.names.metadata}.ref_doc_id").in_(list(ids))

    def _condition(
        self, node_ids: Sequence[str] | None, filters: MetadataFilters | None, doc_ids: Sequence[str] | None = None
    ) -> Expression | None:
        given = [] if node_ids is None else [_among(node_ids)]
        if doc_ids is not None:
            given.append(self._of_documents(doc_ids))
        if filters is not None and filters.filters:
            given.append(filtering.read(filters, f"{self._passages.names.metadata}."))
        return all_of(given) if given else None

    def _wanted(self, query: VectorStoreQuery, words: bool = False) -> tuple[str | None, list[float] | None]:
        """The text and the vector to search by."""
        if self.dimension is not None and query.query_embedding is None:
            raise ValueError(f"mode {query.mode.value!r} needs a query_embedding where LlamaIndex embeds")
        if query.query_str is None and (words or self.dimension is None):
            raise ValueError(f"mode {query.mode.value!r} needs a query_str")
        return query.query_str, query.query_embedding if self.dimension is not None else None

    def _nearest(self, query: VectorStoreQuery, where: Expression | None, options: dict[str, Any]) -> list[Passage]:
        found = self._passages.search(*self._wanted(query), query.similarity_top_k, where=where)
        if not self._passages.are_distances:
            return found
        nearness = self._passages.relevance
        return [Passage(one.id, one.text, one.metadata, nearness(one.score)) for one in found]

    def _words(self, query: VectorStoreQuery, where: Expression | None, options: dict[str, Any]) -> list[Passage]:
        if query.query_str is None:
            raise ValueError(f"mode {query.mode.value!r} needs a query_str")
        k = query.similarity_top_k if query.sparse_top_k is None else query.sparse_top_k
        return self._passages.words(query.query_str, k, where)

    def _hybrid(self, query: VectorStoreQuery, where: Expression | None, options: dict[str, Any]) -> list[Passage]:
        k = query.similarity_top_k if query.hybrid_top_k is None else query.hybrid_top_k
        wanted = self._wanted(query, words=True)
        return self._passages.search(*wanted, k, mode="hybrid", where=where, meaning=query.alpha)

    def _diverse(self, query: VectorStoreQuery, where: Expression | None, options: dict[str, Any]) -> list[Passage]:
        k = query.similarity_top_k
        threshold = query.mmr_threshold if query.mmr_threshold is not None else options.get("mmr_threshold")
        depth = options.get("mmr_prefetch_k") or int(k * options.get("mmr_prefetch_factor", MMR_CHOICE))
        diversity = 1 - (0.5 if threshold is None else threshold)
        return self._passages.diverse(*self._wanted(query), k, diversity=diversity, depth=depth, where=where)


Search = Callable[
    [QuernVectorStore, VectorStoreQuery, Union[Expression, None], dict[str, Any]],
    list[Passage],
]

MODES: dict[VectorStoreQueryMode, Search] = {
    VectorStoreQueryMode.DEFAULT: QuernVectorStore._nearest,
    VectorStoreQueryMode.TEXT_SEARCH: QuernVectorStore._words,
    VectorStoreQueryMode.SPARSE: QuernVectorStore._words,
    VectorStoreQueryMode.HYBRID: QuernVectorStore._hybrid,
    VectorStoreQueryMode.SEMANTIC_HYBRID: QuernVectorStore._hybrid,
    VectorStoreQueryMode.MMR: QuernVectorStore._diverse,
}
"""How each mode searches."""


def _among(ids: Sequence[str]) -> Expression:
    return field("_id").in_(list(ids))


def _node(one: Passage) -> BaseNode:
    return metadata_dict_to_node(one.metadata, text=one.text)
