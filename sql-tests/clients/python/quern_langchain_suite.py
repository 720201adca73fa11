"""quern.langchain beside LangChain's own tests: filters, scores, hybrid searches, marginal relevance, retrievers, what it refuses."""

import hashlib
import os
import subprocess
import sys

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from quern import AsyncClient, Client, error, schema
from quern.langchain import QuernRetriever, QuernVectorStore
from quern.query import field
from tap import check, equal, run

SERVER = {"api_key": os.environ["PGPASSWORD"], "host": os.environ["PGHOST"], "port": int(os.environ["PGPORT"])}
CLIENT = Client(**SERVER)
BOOKS = [
    Document(id="moby", page_content="a captain hunts the white whale", metadata={"year": 1851, "tags": ["sea", "hunt"], "by": {"name": "Melville"}}),
    Document(id="jaws", page_content="a shark hunts swimmers off the beach", metadata={"year": 1974, "tags": ["sea"], "price": 9.5}),
    Document(id="emma", page_content="a young woman makes matches", metadata={"year": 1815, "tags": [], "by": {"name": "Austen"}}),
    Document(id="dune", page_content="sand, spice and worms", metadata={"year": 1965, "film": True}),
]


class WordEmbeddings(Embeddings):
    """A bag of hashed words: near texts share words, and no model is needed."""

    def embed_query(self, text):
        vector = [0.0] * 64
        for word in text.lower().replace(",", "").split():
            vector[int(hashlib.md5(word.encode()).hexdigest(), 16) % 64] += 1
        return vector

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


def store(name, embedding=True, **options):
    made = QuernVectorStore(f"lc-{name}", client=CLIENT, embedding=WordEmbeddings() if embedding else None, **options)
    made.delete_collection()
    return made


def filled(name, **options):
    made = store(name, **options)
    made.add_documents(BOOKS)
    return made


def ids(documents):
    return [one.id for one in documents]


def raises(kind, work, part=""):
    try:
        result = work()
    except kind as raised:
        assert part in str(raised), f"{raised} does not say {part!r}"
        return
    raise AssertionError(f"gave {result!r}, no {kind.__name__}")


@check
def filters_narrow_the_search():
    for embedding in (True, False):
        books = filled(f"filters-{embedding}", embedding=embedding)

        def found(condition, **options):
            return "".join(sorted(one.id[0] for one in books.similarity_search("a whale hunts", k=9, filter=condition, **options)))

        for condition, expected in [
            ({"year": 1851}, "m"), ({"year": {"$eq": 1851}}, "m"), ({"year": {"$ne": 1851}}, "dej"), ({"year": {"$gt": 1851}}, "dj"),
            ({"year": {"$gte": 1851, "$lt": 1970}}, "dm"), ({"year": {"$lte": 1851}}, "em"), ({"year": {"$between": [1815, 1851]}}, "em"),
            ({"year": {"$in": [1815, 1974, "x"]}}, "ej"), ({"year": {"$in": []}}, ""), ({"year": {"$nin": [1815]}}, "djm"),
            ({"by.name": "Austen"}, "e"), ({"by.name": {"$in": ["Austen", "Melville"]}}, "em"), ({"tags": {"$contains": "sea"}}, "jm"),
            ({"by.name": {"$starts_with": "Mel"}}, "m"), ({"price": {"$exists": True}}, "j"), ({"price": {"$exists": False}}, "dem"),
            ({"film": True}, "d"), ({"price": 9.5}, "j"), ({"year": "1851"}, ""), ({}, "dejm"), (None, "dejm"),
            ({"$or": [{"year": 1815}, {"tags": {"$contains": "hunt"}}]}, "em"), ({"$not": {"year": 1815}}, "djm"),
            ({"$and": [{"year": {"$gt": 1820}}, {"tags": {"$contains": "sea"}}]}, "jm"), ({"film": {"$ne": True}}, ""),
            ({"$or": [{"year": year} for year in range(1000, 1900)]}, "em"), ({"year": {"$in": list(range(1000, 1900))}}, "em"),
            (field("metadata.year") < 1900, "em"), ((field("metadata.year") > 1900) & field("text").contains("shark"), "j"),
        ]:  # fmt: skip
            equal((condition, found(condition)), (condition, expected))
        equal(found({"year": {"$gt": 1900}, "tags": {"$contains": "sea"}}, mode="hybrid"), "j")
        raises(ValueError, lambda: found({"year": {"$near": 1}}), "$exists")
        raises(ValueError, lambda: found({"$xor": []}), "$or")
        raises(TypeError, lambda: found("year > 3"), "dict")


@check
def scores_say_how_near():
    books = filled("scores")
    [(document, score), *_] = books.similarity_search_with_score("a captain hunts the white whale", k=2)
    equal((document.id, document.metadata, round(score, 5)), ("moby", BOOKS[0].metadata, 1.0))
    equal(ids(books.similarity_search_by_vector(WordEmbeddings().embed_query("spice worms"), k=1)), ["dune"])
    equal([round(score, 5) for _, score in books.similarity_search_with_relevance_scores("sand, spice and worms", k=1)], [1.0])
    equal(books.similarity_search("whale", k=0), [])
    equal(len(filled("scores-server", embedding=False).similarity_search_with_score("whale", k=2)), 2)
    equal(filled("scores-empty", embedding=False).similarity_search("", k=2), [])


@check
def hybrid_searches_find_by_words_and_meaning():
    for embedding in (True, False):
        books = filled(f"hybrid-{embedding}", embedding=embedding, mode="hybrid")
        [(document, score)] = books.similarity_search_with_score("worms", k=1)
        assert document.id == "dune" and 0 < score <= 1.0001, (document, score)
        equal(ids(books.similarity_search("shark", k=1, filter={"year": {"$gt": 1900}})), ["jaws"])
    raises(ValueError, lambda: books.similarity_search("x", mode="magic"), "hybrid")


@check
def marginal_relevance_is_chosen_by_the_server():
    for embedding in (True, False):
        books = store(f"mmr-{embedding}", embedding=embedding)
        books.add_texts(["the white whale", "the white whale", "the white shark"], ids=["a", "b", "c"])
        equal(ids(books.max_marginal_relevance_search("white whale", k=2, lambda_mult=0.3))[1], "c")
        near = books.max_marginal_relevance_search("white whale", k=2, lambda_mult=1.0)
        equal({one.id for one in near}, {"a", "b"})
        equal(ids(books.max_marginal_relevance_search("whale", k=2, filter={"no": 1})), [])
        raises(ValueError, lambda: books.max_marginal_relevance_search("whale", lambda_mult=2))
    vector = WordEmbeddings().embed_query("white whale")
    raises(ValueError, lambda: books.max_marginal_relevance_search_by_vector(vector), "the server embeds")
    equal(len(filled("mmr-vector").max_marginal_relevance_search_by_vector(vector, k=2)), 2)


@check
def texts_are_replaced_and_deleted():
    books = filled("replaced")
    equal(books.add_texts(["b"], [{"n": None, "l": [1, {"x": 2}]}], ids=["moby"]), ["moby"])
    equal([one.metadata for one in books.get_by_ids(["moby", "none"])], [{"n": None, "l": [1, {"x": 2}]}])
    made = books.add_texts(["c", "d"], ids=[None, "own"])
    equal((made[1], len(made[0])), ("own", 36))
    equal(ids(books.get_by_ids(["own", "moby"])), ["own", "moby"])
    books.delete(["own", made[0]])
    books.delete(filter={"year": {"$gt": 1900}})
    equal(ids(books.get_by_ids(["own", made[0], "emma", "jaws", "dune"])), ["emma"])
    raises(ValueError, books.delete, "ids")
    raises(ValueError, lambda: books.delete(["a"], filter={"a": 1}))
    raises(ValueError, lambda: books.add_texts(["a"], ids=["a", "b"]), "ids")
    raises(ValueError, lambda: books.add_texts(["a"], [{}, {}]), "metadatas")
    equal(books.add_texts([]), [])


@check
def many_texts_are_written_in_batches():
    books = store("many")
    made = books.add_texts([f"text {at}" for at in range(2500)])
    equal((len(set(made)), books.get_by_ids([made[2499]])[0].page_content), (2500, "text 2499"))


@check
def collections_that_are_there_are_used():
    try:
        CLIENT.collections().create("lc-there", {"body": schema.text().index(schema.semantic_index())})
    except error.CollectionAlreadyExistsError:
        pass
    there = QuernVectorStore("lc-there", client=CLIENT, text_field="body", metadata_field="about", create_collection=False)
    there.add_texts(["a whale"], [{"n": 1}], ids=["w"])
    equal(CLIENT.collection("lc-there").get(["w"]), {"w": {"_id": "w", "body": "a whale", "about": {"n": 1}}})
    equal([one.metadata for one in there.similarity_search("whales", filter={"n": 1})], [{"n": 1}])
    other = QuernVectorStore("lc-there", client=CLIENT, embedding=WordEmbeddings(), text_field="body")
    raises(error.InvalidArgumentError, lambda: other.similarity_search("whale"), "no vector_index on 'vector'")
    absent = QuernVectorStore("lc-absent", client=CLIENT, create_collection=False)
    raises(error.CollectionNotFoundError, lambda: absent.similarity_search("whale"))


@check
def distances_of_other_metrics_are_put_in_order():
    fields = {"text": schema.text(), "vector": schema.f32_vector(64).index(schema.vector_index("euclidean"))}
    store("euclid")
    CLIENT.collections().create("lc-euclid", fields)
    books = QuernVectorStore("lc-euclid", client=CLIENT, embedding=WordEmbeddings())
    books.add_documents(BOOKS)
    [(first, distance), (_, farther)] = books.similarity_search_with_score("sand, spice and worms", k=2)
    assert first.id == "dune" and distance == 0 < farther, (first, distance, farther)
    equal([score for _, score in books.similarity_search_with_relevance_scores("sand, spice and worms", k=1)], [1.0])


@check
async def retrievers_of_the_store_work_and_wait():
    books = await QuernVectorStore.afrom_documents(BOOKS, WordEmbeddings(), collection="lc-retrieved", client=CLIENT)
    retriever = books.as_retriever(search_kwargs={"k": 1, "filter": {"year": {"$lt": 1900}}, "mode": "hybrid"})
    equal(ids(await retriever.ainvoke("whale")), ["moby"])
    sure = books.as_retriever(search_type="similarity_score_threshold", search_kwargs={"score_threshold": 0.99})
    equal(ids(await sure.ainvoke("sand spice and worms")), ["dune"])
    equal(len(await books.as_retriever(search_type="mmr", search_kwargs={"k": 2}).ainvoke("whale")), 2)
    from_texts = QuernVectorStore.from_texts(["x y"], None, [{"a": 1}], ids=["x"], collection="lc-texts", client=CLIENT)
    equal(from_texts.get_by_ids(["x"]), [Document(id="x", page_content="x y", metadata={"a": 1})])
    equal(from_texts.embeddings, None)


@check
async def passages_of_datasets_know_where_they_are_from():
    if "lc-files" in [one.name for one in CLIENT.datasets().list()]:
        CLIENT.datasets().delete("lc-files")
    CLIENT.datasets().create("lc-files")
    files = CLIENT.dataset("lc-files")
    text = "# Whales\n\nThe white whale swims in the sea."
    files.wait_for_handle(files.upsert_file("w", ("w.md", text.encode(), "text/markdown"), {"year": 1851}))
    async with AsyncClient(**SERVER) as awaited:
        retriever = QuernRetriever(
            client=CLIENT, async_client=awaited, datasets="lc-files", select_fields=["year"], filter=field("year") == 1851
        )
        [found] = retriever.invoke("white whales")
        about = {name: found.metadata[name] for name in ("dataset", "doc_id", "doc_name", "doc_type", "year")}
        equal(about, {"dataset": "lc-files", "doc_id": "w", "doc_name": "w.md", "doc_type": "text/markdown", "year": 1851})
        assert "white whale" in found.page_content and found.metadata["score"] > 0, found
        assert found.id == found.metadata["content_id"] and isinstance(found.metadata["pages"], list), found
        equal(await retriever.ainvoke("white whales"), [found])
    assert files.get_content(found.id).data.Chunk is not None


@check
def without_langchain_it_says_what_to_install():
    code = "import sys; sys.modules['langchain_core'] = None\nimport quern\nimport quern.langchain"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'quern[langchain]'" in ended.stderr, ended.stderr


run()
