"""LangChain's PGVector (langchain-postgres): its own tables, add, search with scores and filters, update, delete; async too."""

import hashlib

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_postgres import PGVector

from tap import check, equal, run

URL = "postgresql+psycopg://"
DOCUMENTS = [
    Document(page_content="there are cats in the pond", metadata={"id": 1, "location": "pond", "topic": "animals"}),
    Document(page_content="ducks are also found in the pond", metadata={"id": 2, "location": "pond", "topic": "animals"}),
    Document(page_content="fresh apples are available at the market", metadata={"id": 3, "location": "market", "topic": "food"}),
    Document(page_content="the market also sells fresh oranges", metadata={"id": 4, "location": "market", "topic": "food"}),
]


class WordEmbeddings(Embeddings):
    """A bag of hashed words: near texts share words, and no model is needed."""

    def embed_query(self, text):
        vector = np.zeros(64)
        for word in text.lower().split():
            vector[int(hashlib.md5(word.encode()).hexdigest(), 16) % 64] += 1
        return [float(x) for x in vector / np.linalg.norm(vector)]

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


def store(name, **options):
    return PGVector(embeddings=WordEmbeddings(), collection_name=name, connection=URL, use_jsonb=True,
                    pre_delete_collection=True, **options)


def filled(name):
    made = store(name)
    made.add_documents(DOCUMENTS, ids=[f"{name}-{document.metadata['id']}" for document in DOCUMENTS])
    return made


@check
def documents_are_added_and_found():
    vectors = filled("found")
    equal([d.metadata["id"] for d in vectors.similarity_search("ducks in the pond", k=2)], [2, 1])
    [(document, distance)] = vectors.similarity_search_with_score("fresh apples are available at the market", k=1)
    equal((document.metadata["id"], round(distance, 6)), (3, 0.0))
    equal([d.page_content for d in vectors.get_by_ids(["found-4"])], [DOCUMENTS[3].page_content])


@check
def filters_narrow_the_search():
    vectors = filled("filtered")

    def ids(condition):
        return sorted(d.metadata["id"] for d in vectors.similarity_search("the market pond", k=10, filter=condition))

    equal(ids({"location": "pond"}), [1, 2])
    equal(ids({"id": {"$in": [1, 4]}}), [1, 4])
    equal(ids({"id": {"$gt": 2}}), [3, 4])
    equal(ids({"$and": [{"topic": {"$eq": "food"}}, {"id": {"$ne": 3}}]}), [4])
    equal(ids({"$or": [{"id": 1}, {"topic": "food"}]}), [1, 3, 4])
    equal(ids({"location": {"$like": "mar%"}}), [3, 4])
    equal(ids({"id": {"$between": (2, 3)}}), [2, 3])
    equal(ids({"location": {"$exists": True}}), [1, 2, 3, 4])


@check
def documents_are_replaced_and_deleted():
    vectors = filled("replaced")
    vectors.add_documents([Document(page_content="dogs run in the park", metadata={"id": 1})], ids=["replaced-1"])
    equal(vectors.similarity_search("dogs run in the park", k=1)[0].metadata, {"id": 1})
    vectors.delete(["replaced-1", "replaced-2"])
    equal(sorted(d.metadata["id"] for d in vectors.similarity_search("the", k=10)), [3, 4])
    vectors.delete_collection()
    other = store("replaced_again")
    equal(other.similarity_search("the", k=3), [])


@check
def marginal_relevance_and_retriever():
    vectors = filled("retrieved")
    found = vectors.max_marginal_relevance_search("fresh market", k=2, fetch_k=4)
    equal(len({d.metadata["id"] for d in found}), 2)
    retriever = vectors.as_retriever(search_kwargs={"k": 1, "filter": {"topic": "animals"}})
    equal([d.metadata["id"] for d in retriever.invoke("ducks")], [2])


@check
async def the_async_store_works():
    vectors = store("awaited", async_mode=True)
    await vectors.aadd_documents(DOCUMENTS, ids=["awaited-1", "awaited-2", "awaited-3", "awaited-4"])
    found = await vectors.asimilarity_search_with_score("oranges at the market", k=1, filter={"topic": "food"})
    assert found[0][0].metadata["id"] in (3, 4)
    await vectors.adelete(["awaited-3"])
    equal(len(await vectors.asimilarity_search("market", k=10)), 3)


run()
