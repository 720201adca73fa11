"""Client of Quern: documents with vectors, words and meaning, and answers with citations.

    from quern import Client

    with Client("my-key", host="127.0.0.1") as client:
        client.collection("books").upsert([{"_id": "b1", "title": "Emma"}])

`AsyncClient` has the same calls, awaited.
"""

from . import data, error, query, schema
from ._async.client import AsyncClient
from ._sync.client import Client
from .config import BackoffConfig, ConsistencyLevel, RetryConfig, StatementEvent, WaitConfig
from .types import Answer, Chunk, Collection, Content, Dataset, Fact, Image, ListEntry, Page, Progress, SearchResult

__all__ = [
    "Answer", "AsyncClient", "BackoffConfig", "Chunk", "Client", "Collection", "ConsistencyLevel", "Content", "Dataset",
    "Fact", "Image", "ListEntry", "Page", "Progress", "RetryConfig", "SearchResult", "StatementEvent", "WaitConfig",
    "data", "error", "query", "schema",
]  # fmt: skip
