"""LangChain: a vector store over a collection, and a retriever over datasets. `pip install quern[langchain]`.

    from quern.langchain import QuernVectorStore

    store = QuernVectorStore("notes", embedding=OpenAIEmbeddings())  # or without one: the server embeds
    store.add_texts(["a white whale"], metadatas=[{"year": 1851}], ids=["moby"])
    store.similarity_search("obsession at sea", k=1, filter={"year": {"$lt": 1900}})

What is awaited (`aadd_texts`, `asimilarity_search`, …) runs in a thread, as LangChain has it by default; of the
retriever it is the `async_client`, where there is one.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence, Union

from ._async.client import AsyncClient
from ._passages import Names, Passage, PassageFilter, Passages
from ._sync.client import Client
from .types import Chunk, Image, SearchResult

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables.config import run_in_executor
    from langchain_core.vectorstores import VectorStore
except ImportError as error:
    raise ImportError("quern.langchain needs langchain-core: pip install 'quern[langchain]'") from error

__all__ = ["QuernRetriever", "QuernVectorStore"]


class QuernVectorStore(VectorStore):
    """Texts with metadata in a collection.

    Args:
        collection: its name. Made by the first write where it is not there, and empty until then.
        embedding: embeds texts here, and vectors are stored; None: the server embeds, by a semantic index.
        client: by default one of the environment's (`QUERN_API_KEY`, `QUERN_HOST`, …).
        partition: of the collection.
        mode: what searches are unless they say so: `similarity`, or `hybrid`, words and meaning together.
        text_field, metadata_field, vector_field: the fields that hold them.
        create_collection: False: a collection that is not there is `CollectionNotFoundError`.
        model: the server's model where it embeds and the collection is made.

    A `filter` is a dict over metadata, such as `{"year": {"$gte": 1990}, "genre": {"$in": ["sea", "war"]}}`, or an
    expression of `quern.query` over the collection's fields, such as `field("metadata.year") >= 1990`.
    """

    def __init__(
        self,
        collection: str = "langchain",
        *,
        embedding: Embeddings | None = None,
        client: Client | None = None,
        partition: str | None = None,
        mode: str = "similarity",
        text_field: str = "text",
        metadata_field: str = "metadata",
        vector_field: str = "vector",
        create_collection: bool = True,
        model: str | None = None,
    ) -> None:
        self._embedding = embedding
        self._mode = mode
        self._passages = Passages(
            client or Client(),
            collection,
            partition=partition,
            names=Names(text_field, metadata_field, vector_field),
            embeds=embedding is not None,
            create=create_collection,
            model=model,
        )

    @property
    def embeddings(self) -> Embeddings | None:
        """The embedding model; None: the server embeds."""
        return self._embedding

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: Sequence[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Stores texts; one whose id is there is replaced. What a text without an id gets is among those returned."""
        given = list(texts)
        vectors = None if self._embedding is None or not given else self._embedding.embed_documents(given)
        return self._passages.add(ids, given, metadatas, vectors)

    def delete(
        self,
        ids: Sequence[str] | None = None,
        *,
        filter: PassageFilter = None,  # noqa: A002
        **kwargs: Any,
    ) -> bool:
        """Deletes by ids; ids that are not there are passed over. Or what a filter finds.

        Raises:
            ValueError: neither or both.
        """
        found = self._passages.condition(filter)
        if ids is not None and found is None:
            self._passages.delete(ids)
        elif found is not None and ids is None:
            self._passages.delete(found)
        else:
            raise ValueError("delete takes ids, or a filter")
        return True

    def delete_collection(self) -> None:
        """Drops the collection."""
        self._passages.drop()

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Documents that are there, in the order of the ids."""
        return [_document(one) for one in self._passages.get(ids)]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The nearest, best first; `filter` and `mode` as of the store."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        *,
        filter: PassageFilter = None,  # noqa: A002
        mode: str | None = None,
        **kwargs: Any,
    ) -> list[tuple[Document, float]]:
        """The nearest with scores: cosine similarity, -1 to 1; in hybrid mode 0 to 1."""
        found = self._passages.search(query, self._embed(query), k, mode=mode or self._mode, where=filter)
        return [(_document(one), one.score) for one in found]

    def similarity_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        *,
        filter: PassageFilter = None,  # noqa: A002
        **kwargs: Any,
    ) -> list[Document]:
        """The nearest to a vector.

        Raises:
            ValueError: the server embeds.
        """
        return [_document(one) for one in self._passages.search(None, self._own(embedding), k, where=filter)]

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: PassageFilter = None,  # noqa: A002
        **kwargs: Any,
    ) -> list[Document]:
        """Near ones that are unlike one another, chosen within the server of the `fetch_k` nearest."""
        found = self._passages.diverse(
            query, self._embed(query), k, diversity=1 - lambda_mult, depth=fetch_k, where=filter
        )
        return [_document(one) for one in found]

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: PassageFilter = None,  # noqa: A002
        **kwargs: Any,
    ) -> list[Document]:
        """As `max_marginal_relevance_search`, by a vector."""
        vector = self._own(embedding)
        found = self._passages.diverse(None, vector, k, diversity=1 - lambda_mult, depth=fetch_k, where=filter)
        return [_document(one) for one in found]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> QuernVectorStore:
        """A store with these texts; `kwargs` are those of the constructor."""
        store = cls(embedding=embedding, **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return self._passages.relevance

    def _embed(self, query: str) -> list[float] | None:
        return None if self._embedding is None else self._embedding.embed_query(query)

    def _own(self, vector: list[float]) -> list[float]:
        if self._embedding is None:
            raise ValueError("the server embeds texts here: search by text, or give the store an embedding")
        return vector


class QuernRetriever(BaseRetriever):
    """Passages of datasets, by `client.search`: what was ingested with `dataset.upsert_file`.

    Attributes:
        datasets: names, or `{"dataset": name, "filter": expression}`.
        k: how many, 1 to 1,000.
        filter: a condition over metadata, for all datasets.
        select_fields: fields of the files' metadata that documents bring along.
        client: by default one of the environment's.
        async_client: what `ainvoke` uses; else it runs `invoke` in a thread.

    A document's id is the passage's content id; its metadata have `dataset`, `doc_id`, `doc_name`, `doc_type`,
    `content_id`, `pages` (from 1) and `score`.
    """

    datasets: Any
    k: int = 10
    filter: Any = None
    select_fields: Union[list[str], None] = None
    client: Any = None
    async_client: Any = None

    def model_post_init(self, context: Any, /) -> None:
        """A client of the environment where none is given."""
        super().model_post_init(context)
        if self.client is None and self.async_client is None:
            self.client = Client()

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **kwargs: Any
    ) -> list[Document]:
        client: Client = self.client or Client()
        top_k = self.k if k is None else k
        return [_passage(one) for one in client.search(query, self.datasets, top_k, self.filter, self.select_fields)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None, **kwargs: Any
    ) -> list[Document]:
        client: AsyncClient | None = self.async_client
        if client is None:
            sync = run_manager.get_sync()
            return await run_in_executor(None, self._get_relevant_documents, query, run_manager=sync, k=k, **kwargs)
        top_k = self.k if k is None else k
        found = client.search(query, self.datasets, top_k, self.filter, self.select_fields)
        return [_passage(one) async for one in found]


def _document(one: Passage) -> Document:
    return Document(id=one.id, page_content=one.text, metadata=one.metadata)


def _passage(one: SearchResult) -> Document:
    content = None if one.content is None else one.content.data.value
    pages = content.doc_pages if isinstance(content, Chunk) else []
    if content is not None and not isinstance(content, (Chunk, Image)):
        pages = [content.page_number]
    about = {
        "dataset": one.dataset, "doc_id": one.doc_id, "doc_name": one.doc_name, "doc_type": one.doc_type,
        "content_id": one.content_id, "pages": pages, "score": one.score,
    }  # fmt: skip
    text = content.text if isinstance(content, Chunk) else ""
    return Document(id=one.content_id, page_content=text, metadata={**one.metadata, **about})
