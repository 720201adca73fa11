"""quern.langchain under LangChain's own standard tests (langchain-tests), with embeddings here and in the server."""

import os
import uuid

import pytest
import pytest_tap
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests
from quern import AsyncClient, Client
from quern.langchain import QuernRetriever, QuernVectorStore

SERVER = {"api_key": os.environ["PGPASSWORD"], "host": os.environ["PGHOST"], "port": int(os.environ["PGPORT"])}


def emptied(**options):
    with Client(**SERVER) as client:
        store = QuernVectorStore(f"standard-{uuid.uuid4()}", client=client, **options)
        yield store
        store.delete_collection()


class TestOwnEmbeddings(VectorStoreIntegrationTests):
    @pytest.fixture()
    def vectorstore(self):
        yield from emptied(embedding=self.get_embeddings())


class TestServerEmbeds(VectorStoreIntegrationTests):
    @pytest.fixture()
    def vectorstore(self):
        yield from emptied()


class TestPartition(VectorStoreIntegrationTests):
    @pytest.fixture()
    def vectorstore(self):
        yield from emptied(embedding=self.get_embeddings(), partition="tenant")


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True, scope="class")
    def whales(self):
        with Client(**SERVER) as client:
            client.datasets().create("standard-whales")
            whales = client.dataset("standard-whales")
            for at in range(4):
                text = f"# Whale {at}\n\nThe whale number {at} is white and swims in the sea."
                whales.wait_for_handle(whales.upsert_file(f"w{at}", (f"w{at}.md", text.encode(), "text/markdown")))
            yield
            client.datasets().delete("standard-whales")

    @property
    def retriever_constructor(self):
        return QuernRetriever

    @property
    def retriever_constructor_params(self):
        return {"client": Client(**SERVER), "datasets": ["standard-whales"]}

    @property
    def retriever_query_example(self):
        return "a white whale"


class TestAsyncRetriever(TestRetriever):
    @property
    def retriever_constructor_params(self):
        return {**super().retriever_constructor_params, "async_client": AsyncClient(**SERVER)}


if __name__ == "__main__":
    pytest_tap.run(__file__, "-o", "asyncio_mode=auto")
