"""Client of Quern: documents with vectors, words and meaning, and answers with citations.

    from quern import Client

    with Client("my-key", host="127.0.0.1") as client:
        client.collection("books").upsert([{"_id": "b1", "title": "Emma"}])

`AsyncClient` has the same calls, awaited.
"""

from pathlib import Path as _Path

# A wheel has the adapters of frameworks (`quern.langchain`, …) inside, a checkout beside the client.
__path__ += [str(one) for one in _Path(__file__).parents[2].glob("frameworks/*") if one.is_dir()]

from . import data, error, query, schema
from ._async.client import AsyncClient
from ._async.collection import AsyncCollectionClient
from ._async.collections import AsyncCollectionsClient
from ._async.dataset import AsyncDatasetClient
from ._async.datasets import AsyncDatasetsClient
from ._sync.client import Client
from ._sync.collection import CollectionClient
from ._sync.collections import CollectionsClient
from ._sync.dataset import DatasetClient
from ._sync.datasets import DatasetsClient
from .config import BackoffConfig, ConsistencyLevel, RetryConfig, StatementEvent, WaitConfig
from .types import (
    Answer,
    Chunk,
    Collection,
    Content,
    Dataset,
    Fact,
    Image,
    ListEntry,
    Page,
    Partition,
    Progress,
    SearchResult,
    Source,
)

__all__ = [
    "Answer", "AsyncClient", "AsyncCollectionClient", "AsyncCollectionsClient", "AsyncDatasetClient",
    "AsyncDatasetsClient", "BackoffConfig", "Chunk", "Client", "Collection", "CollectionClient", "CollectionsClient",
    "ConsistencyLevel", "Content", "Dataset", "DatasetClient", "DatasetsClient", "Fact", "Image", "ListEntry", "Page",
    "Partition", "Progress", "RetryConfig", "SearchResult", "Source", "StatementEvent", "WaitConfig",
    "data", "error", "query", "schema",
]  # fmt: skip
