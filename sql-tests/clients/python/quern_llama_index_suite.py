"""quern.llama_index under LlamaIndex's own index and retrievers: modes, filters beside LlamaIndex's own, what it refuses."""

import hashlib
import os
import subprocess
import sys

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding, MockEmbedding
from llama_index.core.schema import Document, ImageNode, IndexNode, NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.core.vector_stores.utils import build_metadata_filter_fn
from quern import Client, error, schema
from quern.llama_index import QuernVectorStore
from tap import check, equal, run

CLIENT = Client(api_key=os.environ["PGPASSWORD"], host=os.environ["PGHOST"], port=int(os.environ["PGPORT"]))
SIZE = 64
MODE = VectorStoreQueryMode
BOOKS = {
    "moby": ("a captain hunts the white whale", {"year": 1851, "tags": ["sea", "hunt"], "by": "Melville", "price": 7}),
    "jaws": ("a shark hunts swimmers off the beach", {"year": 1974, "tags": ["sea"], "price": 9.5, "the \"type\"": "film"}),
    "emma": ("a young woman makes matches", {"year": 1815, "tags": [], "by": "Austen (Jane)", "note": ""}),
    "dune": ("sand, spice and worms", {"year": 1965, "film": True, "note": None}),
}


class WordEmbedding(BaseEmbedding):
    """A bag of hashed words: near texts share words, and no model is needed."""

    def _get_text_embedding(self, text):
        vector = [0.0] * SIZE
        for word in text.lower().replace(",", "").split():
            vector[int(hashlib.md5(word.encode()).hexdigest(), 16) % SIZE] += 1
        return vector

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query):
        return self._get_text_embedding(query)


def embed(text):
    return WordEmbedding().get_text_embedding(text)


def node(name, text, metadata, document=None):
    of = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document or f"doc-{name}")}
    keys = {"excluded_embed_metadata_keys": list(metadata)}
    return TextNode(id_=name, text=text, metadata=metadata, relationships=of, embedding=embed(text), **keys)


def store(name, embeds=True, **options):
    try:
        CLIENT.collections().delete(f"li-{name}")
    except error.CollectionNotFoundError:
        pass
    return QuernVectorStore(f"li-{name}", client=CLIENT, dimension=SIZE if embeds else None, **options)


def filled(name, **options):
    made = store(name, **options)
    equal(made.add([node(one, *about) for one, about in BOOKS.items()]), list(BOOKS))
    return made


def query(words, k=9, **options):
    return VectorStoreQuery(query_embedding=embed(words), query_str=words, similarity_top_k=k, **options)


def one(key, operator, value=None):
    return MetadataFilter(key=key, operator=operator, value=value)


def of(*filters, condition="and"):
    return MetadataFilters(filters=list(filters), condition=FilterCondition(condition))


def raises(kind, work, part=""):
    try:
        result = work()
    except kind as raised:
        assert part in str(raised), f"{raised} does not say {part!r}"
        return
    raise AssertionError(f"gave {result!r}, no {kind.__name__}")


MATRIX = [
    ("year", "==", 1851), ("year", "==", 1), ("year", "==", 1851.0), ("by", "==", "Melville"), ("nothing", "==", 1),
    ("year", "!=", 1851), ("by", "!=", "Melville"), ("nothing", "!=", 1), ("price", ">", 7), ("price", ">=", 7),
    ("price", "<", 9.5), ("price", "<=", 9.5), ("year", ">", 1851), ("by", ">", "B"), ("year", "in", [1815, 1974]),
    ("year", "in", []), ("by", "in", ["Melville", "x"]), ("year", "nin", [1815, 1974]), ("by", "nin", ["Melville"]),
    ("price", "nin", []), ("tags", "any", ["hunt", "land"]), ("tags", "any", ["sea", "hunt"]), ("tags", "any", []),
    ("tags", "all", ["sea", "hunt"]), ("tags", "all", ["sea"]), ("tags", "contains", "hunt"), ("tags", "contains", "h"),
    ("by", "text_match", "elv"), ("by", "text_match", "ELV"), ("by", "text_match_insensitive", "ELV"),
    ("by", "text_match_insensitive", "(jane)"), ("by", "text_match_insensitive", "."), ("tags", "is_empty", None),
    ("note", "is_empty", None), ("by", "is_empty", None), ("nothing", "is_empty", None), ("doc_id", "==", "doc-emma"),
    ("the \"type\"", "==", "film"), ("the \"type\"", "nin", ["film"]), ("tags", "==", ["sea"]), ("tags", "!=", ["sea"]), ("year", "==", ["sea"]),
]  # fmt: skip


@check
def filters_find_what_llama_index_finds():
    books = filled("filters")
    flat = {name: {**about, "doc_id": f"doc-{name}"} for name, (_, about) in BOOKS.items()}
    singles = [one(*each) for each in MATRIX]
    pairs = [
        of(left, right, condition=condition)
        for condition in ("and", "or", "not")
        for left, right in zip(singles, [*singles[7:], *singles[:7]])
    ]
    for given in [*map(of, singles), *(of(each, condition="not") for each in singles), *pairs, of()]:
        holds = build_metadata_filter_fn(flat.__getitem__, given)
        found = sorted(each.node_id for each in books.get_nodes(filters=given))
        expected = sorted(name for name in BOOKS if holds(name))
        equal((given, found), (given, expected))
        result = books.query(query("a whale hunts", filters=given))
        equal((given, sorted(result.ids)), (given, expected))


@check
def filters_nest():
    for embeds in (True, False):
        books = filled(f"nest-{embeds}", embeds=embeds)
        old = of(one("year", "<", 1900), of(one("by", "==", "Melville"), one("note", "==", ""), condition="or"))
        equal(sorted(books.query(query("whale hunts", filters=old)).ids), ["emma", "moby"])
        equal(sorted(books.query(query("hunts", filters=of(old, condition="not"))).ids), ["dune", "jaws"])
        equal(sorted(books.query(query("hunts", filters=of(of(), of(old)))).ids), ["emma", "moby"])
        many = of(*(one("year", "==", year) for year in range(1800, 1900)), condition="or")
        equal(sorted(books.query(query("hunts", filters=many)).ids), ["emma", "moby"])
    raises(ValueError, lambda: books.get_nodes(filters=of(one("year", "==", None))), "'==' of 'year' takes str")
    raises(ValueError, lambda: books.get_nodes(filters=of(one("year", "in", 3))), "takes list")
    raises(ValueError, lambda: books.get_nodes(filters=of(one("by", "text_match", 3))), "takes str")


@check
def modes_find_by_vectors_words_and_both():
    for embeds in (True, False):
        books = filled(f"modes-{embeds}", embeds=embeds)
        equal(books.is_embedding_query, embeds)
        for mode in (MODE.DEFAULT, MODE.TEXT_SEARCH, MODE.SPARSE, MODE.HYBRID, MODE.SEMANTIC_HYBRID, MODE.MMR):
            found = books.query(query("the white whale", 1, mode=mode))
            equal((mode, found.ids, found.nodes[0].metadata), (mode, ["moby"], BOOKS["moby"][1]))
            found = books.query(query("the white whale", filters=of(one("by", "==", "Melville")), mode=mode))
            equal((mode, found.ids), (mode, ["moby"]))
            found = books.query(query("hunts", doc_ids=["doc-jaws", "doc-x"], node_ids=["jaws", "moby"], mode=mode))
            equal((mode, found.ids), (mode, ["jaws"]))
            equal(books.query(query("hunts", 0, mode=mode)).ids, [])
        equal(books.query(query("hunts", mode=MODE.TEXT_SEARCH)).ids.__len__(), 2)
        equal(books.query(query("🙂", mode=MODE.TEXT_SEARCH)).ids, [])
        raises(ValueError, lambda: books.query(query("x", mode=MODE.SVM)), "text_search")
        raises(ValueError, lambda: books.query(VectorStoreQuery(mode=MODE.TEXT_SEARCH)), "query_str")
        raises(ValueError, lambda: books.query(VectorStoreQuery()), "query_" if embeds else "query_str")
        raises(ValueError, lambda: books.query(query("x", embedding_field="other")), "'vector'")
        raises(ValueError, lambda: books.query(query("x", mode=MODE.HYBRID, alpha=2.0)), "0 to 1")


@check
def alpha_weighs_words_and_meaning():
    books = store("alpha")
    books.add([node("words", "whale whale", {}), node("near", "the big shark", {})])
    both = VectorStoreQuery(query_embedding=embed("the big shark"), query_str="whale", mode=MODE.HYBRID, similarity_top_k=1)
    for alpha, hybrid_top_k, expected in [(0.0, None, ["words"]), (1.0, None, ["near"]), (1.0, 2, ["near", "words"])]:
        both.alpha, both.hybrid_top_k = alpha, hybrid_top_k
        equal(books.query(both).ids, expected)
    server = filled("alpha-server", embeds=False)
    equal(server.query(query("spice", 1, mode=MODE.HYBRID, alpha=0.0)).ids, ["dune"])
    equal(len(server.query(query("spice", 2, mode=MODE.HYBRID, alpha=1.0)).ids), 2)


@check
def marginal_relevance_finds_what_is_unlike():
    books = store("mmr")
    books.add([node(*each, {}) for each in [("a", "the white whale"), ("b", "the white whale"), ("c", "the white shark")]])
    equal(books.query(query("white whale", 2, mode=MODE.MMR, mmr_threshold=0.3)).ids[1], "c")
    equal(books.query(query("white whale", 2, mode=MODE.MMR), mmr_threshold=0.3, mmr_prefetch_k=3).ids[1], "c")
    equal(set(books.query(query("white whale", 2, mode=MODE.MMR, mmr_threshold=1.0)).ids), {"a", "b"})
    raises(ValueError, lambda: books.query(query("x", mode=MODE.MMR, mmr_threshold=3)), "0 to 1")


@check
def scores_say_how_near():
    found = filled("scores").query(query("sand, spice and worms", 2))
    equal((found.ids[0], round(found.similarities[0], 5)), ("dune", 1.0))
    fields = {"text": schema.text(), "vector": schema.f32_vector(SIZE).index(schema.vector_index("euclidean"))}
    books = store("euclid")
    CLIENT.collections().create("li-euclid", fields)
    books.add([node(each, *about) for each, about in BOOKS.items()])
    found = books.query(query("sand, spice and worms", 2))
    assert found.ids[0] == "dune" and found.similarities[0] == 1 > found.similarities[1] > 0, found


@check
def nodes_come_back_as_they_were():
    books = store("nodes")
    given = [
        node("t", "text with \"quotes\" and ünïcode", {"a": {"b": [1, None, 2.5]}, "n": None, "ok": True}),
        TextNode(id_="e", text="", embedding=embed("x"), start_char_idx=3, end_char_idx=9),
        IndexNode(id_="i", text="index", index_id="other", embedding=embed("x")),
        ImageNode(id_="p", text="picture", image_url="x.png", embedding=embed("x")),
        Document(id_="d", text="whole", metadata={"k": "v"}, embedding=embed("x")),
    ]
    books.add(given)
    for before, after in zip(given, books.get_nodes([each.node_id for each in given])):
        equal((after.get_content(), after.metadata, after.relationships), (before.get_content(), before.metadata, before.relationships))
    equal([type(each) for each in books.get_nodes(["t", "i", "p", "none"])], [TextNode, IndexNode, ImageNode])
    equal(books.get_nodes(["e"])[0].end_char_idx, 9)
    equal(books.query(query("ünïcode and", 1)).nodes[0].excluded_embed_metadata_keys, ["a", "n", "ok"])


@check
def nodes_are_replaced_and_deleted():
    books = filled("deleted")
    books.add([node("a", "x", {"n": 1}, "doc-x"), node("b", "y", {"n": 2}, "doc-x"), node("moby", "again", {"n": 2})])
    ids = lambda **given: sorted(each.node_id for each in books.get_nodes(**given))  # noqa: E731
    equal(books.get_nodes(["moby"])[0].get_content(), "again")
    books.delete("doc-x")
    equal(ids(), sorted(BOOKS))
    equal(ids(node_ids=["moby", "emma"], filters=of(one("n", "==", 2))), ["moby"])
    books.delete_nodes(["moby", "jaws", "none"], of(one("n", "==", 2)))
    equal(ids(), ["dune", "emma", "jaws"])
    books.delete_nodes(filters=of(one("year", "<", 1900)))
    books.delete_nodes(["jaws"])
    books.delete_nodes([])
    raises(ValueError, books.delete_nodes, "clear()")
    raises(ValueError, lambda: books.delete_nodes(filters=of()), "clear()")
    equal(ids(), ["dune"])
    books.clear()
    equal((ids(), books.query(query("x")).ids, books.add([])), ([], [], []))


@check
def partitions_are_stores_of_their_own():
    first, second = filled("tenants", partition="first"), QuernVectorStore("li-tenants", client=CLIENT, dimension=SIZE, partition="second")
    second.add([node("other", "the white whale", {})])
    equal(second.query(query("whale", 5)).ids, ["other"])
    first.clear()
    equal((first.query(query("whale")).ids, len(second.get_nodes())), ([], 1))


@check
def what_is_wrong_is_said():
    books = store("wrong")
    equal((books.query(query("x")).ids, books.get_nodes(["a"]), books.get_nodes(), books.clear()), ([], [], [], None))
    raises(ValueError, lambda: books.add([TextNode(text="no embedding")]), "embedding")
    raises(ValueError, lambda: books.add([TextNode(id_="s", text="x", embedding=[1.0])]), "'s' is of 1 numbers, not 64")
    absent = store("absent", create_collection=False)
    raises(error.CollectionNotFoundError, lambda: absent.query(query("x")))
    filled("mixed", embeds=False)
    other = QuernVectorStore("li-mixed", client=CLIENT, dimension=SIZE)
    raises(error.InvalidArgumentError, lambda: other.query(query("x")), "no vector_index on 'vector'")


@check
async def indexes_of_llama_index_work_over_it():
    for embeds in (True, False):
        books = store(f"index-{embeds}", embeds=embeds)
        model = WordEmbedding() if embeds else MockEmbedding(1)
        nodes = [node(each, *about) for each, about in BOOKS.items()]
        index = VectorStoreIndex(nodes, storage_context=StorageContext.from_defaults(vector_store=books), embed_model=model)
        index.insert_nodes([node("whale", "whale songs", {"year": 1970}, "doc-songs")])
        again = VectorStoreIndex.from_vector_store(books, embed_model=model)
        for mode in ("default", "hybrid", "text_search", "mmr"):
            retriever = again.as_retriever(similarity_top_k=1, vector_store_query_mode=mode, filters=of(one("year", "<", 1900)))
            [found], [awaited] = retriever.retrieve("the white whale"), await retriever.aretrieve("the white whale")
            equal((found.node_id, found.text, awaited.node_id), ("moby", BOOKS["moby"][0], "moby"))
            assert found.score > 0, (mode, found.score)
        again.delete_ref_doc("doc-songs")
        again.delete_nodes(["moby"])
        equal(len(again.as_retriever(similarity_top_k=9, vector_store_query_mode="default").retrieve("whale")), 3)


@check
async def what_is_awaited_does_the_same():
    books = store("awaited")
    equal(await books.async_add([node(each, *about) for each, about in BOOKS.items()]), list(BOOKS))
    equal((await books.aquery(query("white whale", 1))).ids, ["moby"])
    await books.adelete("doc-moby")
    await books.adelete_nodes(["jaws"])
    equal(sorted(each.node_id for each in await books.aget_nodes()), ["dune", "emma"])
    await books.aclear()
    equal(await books.aget_nodes(filters=of()), [])


@check
def without_llama_index_it_says_what_to_install():
    code = "import sys; sys.modules['llama_index'] = None\nimport quern\nimport quern.llama_index"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'quern[llama-index]'" in ended.stderr, ended.stderr


run()
