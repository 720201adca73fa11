"""quern.haystack under Haystack's own tests of document stores, with embeddings here and in the server; and what those
do not ask: retrievers, filters as Haystack's own evaluator reads them, saved pipelines."""

import os
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import pytest_tap
from haystack import Document, Pipeline
from haystack.core.serialization import allow_deserialization_module
from haystack.dataclasses import ByteStream, SparseEmbedding
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.testing.document_store import (
    CountDocumentsByFilterTest,
    CountDocumentsTest,
    DeleteDocumentsTest,
    DocumentStoreBaseExtendedTests,  # DocumentStoreBaseTests are among them
    WriteDocumentsTest,
)
from haystack.utils.filters import document_matches_filter
from quern.error import CollectionNotFoundError
from quern.haystack import QuernDocumentStore, QuernEmbeddingRetriever, QuernTextRetriever

SERVER = {"host": os.environ["PGHOST"], "port": int(os.environ["PGPORT"])}


def emptied(**options):
    store = QuernDocumentStore(f"standard-{uuid.uuid4()}", **SERVER, **options)
    yield store
    store.delete_collection()
    store.close()


class Equal:
    """Documents come in no order, and their embeddings are float32."""

    @staticmethod
    def assert_documents_are_equal(received, expected):
        received, expected = ({one.id: one.to_dict(flatten=False) for one in each} for each in (received, expected))
        assert received.keys() == expected.keys()
        for name, one in received.items():
            other = expected[name]
            mine, theirs = one.pop("embedding"), other.pop("embedding")
            assert mine == (theirs and pytest.approx(theirs, rel=1e-6))
            assert one == other

    def test_write_documents(self, document_store):
        one = Document(content="test doc")
        assert document_store.write_documents([one]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([one])
        assert document_store.write_documents([]) == 0


class TestOwnEmbeddings(Equal, CountDocumentsByFilterTest, DocumentStoreBaseExtendedTests):
    @pytest.fixture()
    def document_store(self):
        yield from emptied(server_embeds=False)


class TestServerEmbeds(Equal, CountDocumentsTest, DeleteDocumentsTest, WriteDocumentsTest):
    @pytest.fixture()
    def document_store(self):
        yield from emptied()


class TestPartition(Equal, CountDocumentsTest, DeleteDocumentsTest, WriteDocumentsTest):
    @pytest.fixture()
    def document_store(self):
        yield from emptied(partition="tenant", server_embeds=False)


BOOKS = [
    Document(id="moby", content="a captain hunts the white whale", embedding=[1.0, 0.0], meta={"year": 1851, "by": {"name": "Melville"}}),
    Document(id="jaws", content="a shark hunts swimmers off the beach", embedding=[0.8, 0.6], meta={"year": 1974, "tags": ["sea"]}),
    Document(id="emma", content="a young woman makes matches", embedding=[0.0, 1.0], meta={"year": 1815, "none": None}),
    Document(id="dune", content="sand, spice and worms", meta={"year": "1965", "at": "2020-01-01T00:00:00+02:00"}),
    Document(id="note", meta={"at": "2019-12-31T23:00:00", "year": 1851.0}),
    Document(id="page", content="", embedding=[-1.0, 0.0], meta={"at": "2020-01-01", "on": True}),
]


@pytest.fixture(scope="module")
def books():
    made = emptied()
    store = next(made)
    store.write_documents(BOOKS)
    yield store
    next(made, None)


def ids(documents):
    return [one.id for one in documents]


def has(name, sign, value):
    return {"field": name, "operator": sign, "value": value}


CONDITIONS = [
    has("meta.year", "==", 1851), has("meta.year", "!=", 1851), has("meta.year", "==", "1965"), has("meta.year", "in", [1815, "1965", None]),
    has("meta.year", "not in", [1815, None]), has("meta.none", "==", None), has("meta.none", "!=", None), has("meta.none", "in", []),
    has("meta.by.name", "==", "Melville"), has("meta.by.name", "!=", "Melville"), has("meta.by", "==", {"name": "Melville"}),
    has("meta.tags", "==", ["sea"]), has("meta.tags", "==", "sea"), has("meta.on", "==", True), has("meta.no.such", "==", None),
    has("year", "==", 1815), has("id", "==", "emma"), has("id", "in", ["emma", "dune", 3]), has("content", "==", None), has("content", "!=", ""),
    has("embedding", "==", None), has("meta.at", ">", "2019-12-31T22:00:00"), has("meta.at", "<=", "2019-12-31T23:30:00+01:00"),
    has("meta.at", "==", "2019-12-31T22:00:00Z"), has("meta.at", "==", "2020-01-01T00:00"), has("meta.at", ">=", "2020-01-01"), has("meta.at", "<", None),
]  # fmt: skip


def compound():
    year, name, at = has("meta.year", "==", 1851), has("meta.by.name", "==", "Melville"), has("meta.at", ">", "2019-01-01")
    for sign in ("AND", "OR", "NOT"):
        yield {"operator": sign, "conditions": [year, name]}
        yield {"operator": sign, "conditions": []}
        yield {"operator": "NOT", "conditions": [{"operator": sign, "conditions": [name, {"operator": "NOT", "conditions": [at]}]}]}
    yield {"operator": "OR", "conditions": [has("meta.year", "==", at) for at in range(1800, 1900)]}


class TestFilters:
    """As Haystack itself would choose."""

    @pytest.mark.parametrize("given", [*CONDITIONS, *compound()], ids=lambda one: f"{CONDITIONS.index(one) if one in CONDITIONS else 'joined'}")
    def test_chosen(self, books, given):
        expected = {one.id for one in BOOKS if document_matches_filter(given, one)}
        assert set(ids(books.filter_documents(given))) == expected
        assert books.count_documents_by_filter(given) == len(expected)

    @pytest.mark.parametrize(
        "given",
        [
            has("meta.year", ">", {}), has("meta.year", "<", "old"), has("meta.year", "==", object()), has("meta.year", "~", 1),
            has("meta.year", ["=="], 1), has(3, "==", 1), has("embedding", "==", [1.0]), has("content", ">", 1), has("meta.year", "in", "1851"),
            {"operator": "XOR", "conditions": []}, {"operator": "AND", "conditions": {}}, {"operator": "AND", "conditions": [1]}, [1], "year",
        ],
    )  # fmt: skip
    def test_refused(self, books, given):
        with pytest.raises(FilterError):
            books.filter_documents(given)


class TestDocuments:
    @pytest.fixture()
    def store(self):
        yield from emptied()

    def test_all_comes_back(self, store):
        blob = ByteStream(b"\0\1", meta={"name": "x.bin"}, mime_type="application/x")
        meta = {"none": None, "list": [1, "a", [], {}], "float": 1.5, "nested": {"a": {"b": "ü"}}, "empty": {}}
        one = Document(content="ü\n", blob=blob, meta=meta, sparse_embedding=SparseEmbedding([1, 7], [0.5, 0.25]))
        store.write_documents([one, Document(id="bare")])
        assert sorted(store.filter_documents(), key=lambda each: each.id != one.id) == [one, Document(id="bare")]

    def test_twice_in_a_batch(self, store):
        old, new = Document(id="1", content="old"), Document(id="1", content="new")
        with pytest.raises(DuplicateDocumentError):
            store.write_documents([old, new])
        assert store.count_documents() == 0
        assert store.write_documents([old, new], DuplicatePolicy.SKIP) == 1
        assert store.filter_documents() == [old]
        assert store.write_documents([old, new], DuplicatePolicy.OVERWRITE) == 2
        assert store.filter_documents() == [new]

    def test_fails_as_a_whole(self, store):
        store.write_documents([Document(id="1500")])
        many = [Document(id=str(at), content="x") for at in range(2500)]
        with pytest.raises(DuplicateDocumentError, match="'1500'"):
            store.write_documents(many)
        assert store.count_documents() == 1
        assert store.write_documents(many, DuplicatePolicy.SKIP) == 2499
        assert store.count_documents() == 2500

    def test_writers_at_once(self, store):
        name = store.to_dict()["init_parameters"]["collection"]
        many = [Document(id=str(at), content=str(at), embedding=[1.0, at]) for at in range(100)]

        def write(_):
            return QuernDocumentStore(name, **SERVER, server_embeds=False).write_documents(many, DuplicatePolicy.SKIP)

        with ThreadPoolExecutor(4) as pool:
            assert sorted(pool.map(write, range(4))) == [0, 0, 0, 100]
        assert {one.content for one in store.filter_documents()} == {one.content for one in many}

    def test_embeddings_later(self, store):
        store.write_documents([Document(id="text", content="whale")])
        assert store.embedding_retrieval([1.0, 0.0]) == []
        with pytest.raises(FilterError):
            store.delete_by_filter({})
        other = QuernDocumentStore(store.to_dict()["init_parameters"]["collection"], **SERVER)
        other.write_documents([Document(id="near", embedding=[1.0, 0.1]), Document(id="far", embedding=[0.0, 1.0])])
        assert ids(store.embedding_retrieval([1.0, 0.0])) == ["near", "far"]
        other.write_documents([Document(id="mid", embedding=[1.0, 1.0])])
        other.close()
        assert ids(store.embedding_retrieval([1.0, 0.0])) == ["near", "mid", "far"]

    def test_without_haystack(self):
        program = "import sys; sys.modules['haystack'] = None; import quern.haystack"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert "pip install 'quern[haystack]'" in done.stderr

    def test_no_collection(self):
        store = QuernDocumentStore("not-there", create_collection=False, **SERVER)
        for work in (store.count_documents, store.filter_documents, lambda: store.write_documents([Document(id="1")])):
            with pytest.raises(CollectionNotFoundError):
                work()


class TestRetrievers:
    def test_embedding(self, books):
        retriever = QuernEmbeddingRetriever(books, top_k=2)
        found = retriever.run([1.0, 0.0])["documents"]
        assert ids(found) == ["moby", "jaws"] and found[0].embedding is None
        assert [one.score for one in found] == pytest.approx([1.0, 0.8])
        assert ids(retriever.run([1, 0], filters=has("meta.year", ">", 1900))["documents"]) == ["jaws"]
        assert retriever.run([1.0, 0.0], top_k=0)["documents"] == []
        [whole] = QuernEmbeddingRetriever(books, top_k=1, return_embedding=True).run([1.0, 0.0])["documents"]
        assert whole.embedding == [1.0, 0.0] and whole.meta == BOOKS[0].meta

    @pytest.mark.parametrize("mode", ["hybrid", "similarity", "keyword"])
    def test_text(self, books, mode):
        retriever = QuernTextRetriever(books, mode=mode, top_k=1)
        [found] = retriever.run("whales")["documents"]
        assert found.id == "moby" and found.score > 0 and found.embedding is None
        assert ids(retriever.run("swimmers at the beach", filters=has("meta.year", "!=", 1851))["documents"]) == ["jaws"]
        assert retriever.run("")["documents"] == []

    def test_both(self, books):
        retriever = QuernTextRetriever(books)
        assert "page" not in ids(retriever.run("whale")["documents"])
        assert "page" in ids(retriever.run("whale", query_embedding=[-1, 0])["documents"])

    def test_policy(self, books):
        first = has("meta.year", ">", 1850)
        for policy, expected in (("replace", ["emma", "jaws", "moby"]), ("merge", ["jaws", "moby"])):
            retriever = QuernEmbeddingRetriever(books, filters=first, filter_policy=policy)
            given = has("id", "in", ["moby", "jaws", "emma"])
            assert sorted(ids(retriever.run([1.0, 0.0], filters=given)["documents"])) == expected

    def test_refuses(self, books):
        for work in (
            lambda: QuernTextRetriever(books, mode="vague"),
            lambda: QuernTextRetriever(books, top_k=0),
            lambda: QuernTextRetriever(books, mode="keyword").run("x", query_embedding=[1.0]),
            lambda: QuernEmbeddingRetriever(books).run([1.0, 0.0], top_k=-1),
        ):
            with pytest.raises(ValueError):
                work()
        with pytest.raises(TypeError):
            QuernTextRetriever("books")

    def test_pipeline_saved(self, books):
        pipeline = Pipeline()
        pipeline.add_component("text", QuernTextRetriever(books, mode="keyword", filters=has("meta.year", "==", 1851)))
        pipeline.add_component("near", QuernEmbeddingRetriever(books, top_k=1, filter_policy="merge"))
        saved = pipeline.dumps()
        assert os.environ["QUERN_API_KEY"] not in saved and "QUERN_API_KEY" in saved
        allow_deserialization_module("quern.haystack")
        again = Pipeline.loads(saved)
        assert again.dumps() == saved
        found = again.run({"text": {"query": "whale"}, "near": {"query_embedding": [0.0, 1.0]}})
        assert [ids(found[name]["documents"]) for name in ("text", "near")] == [["moby"], ["emma"]]


if __name__ == "__main__":
    pytest_tap.run(__file__)
