"""Texts with metadata in a collection, as the vector stores of other projects keep them: what `quern.langchain` and
its like share. A document is `{"_id", "text", "metadata": {…}}`, and `"vector"` where the application embeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, Sequence, Union
from uuid import uuid4

from . import schema
from ._compile import Compiler
from ._expression import Expression, condition, literal
from ._names import quoted, text_literal
from ._parameters import vector as vector_parameter
from ._sync.client import Client
from .error import CollectionAlreadyExistsError, CollectionNotFoundError, InvalidArgumentError
from .query import field, fn, match, not_, select
from .types import Collection

MODES = ("similarity", "hybrid")
BATCH = 1000
DEPTH_MAX = 10_000

PassageFilter = Union[Mapping[str, Any], Expression, None]
"""Conditions on metadata: `{"year": {"$gte": 1990}}`, or an expression over the collection's fields."""


@dataclass(frozen=True)
class Passage:
    """A text as it is kept. `score` is that of the search it comes from."""

    id: str
    text: str
    metadata: dict[str, Any]
    score: float = 0.0


@dataclass(frozen=True)
class Names:
    """The fields that hold texts, metadata and vectors."""

    text: str = "text"
    metadata: str = "metadata"
    vector: str = "vector"


class Passages:
    """One collection, or one of its partitions.

    Args:
        embeds: whether the application embeds texts; else the server does, by a semantic index of the text field.
        create: whether a collection that is not there is made by the first write, and until then is an empty one.
        model: the server's model, where it embeds and the collection is made.
    """

    def __init__(
        self,
        client: Client,
        collection: str,
        *,
        partition: str | None = None,
        names: Names = Names(),
        embeds: bool,
        create: bool = True,
        model: str | None = None,
    ) -> None:
        self.client = client
        self.names = names
        self.embeds = embeds
        self._create = create
        self._model = model
        self._documents = client.collection(collection, partition)
        self._is_ascending: bool | None = None

    def add(
        self,
        ids: Sequence[str | None] | None,
        texts: Sequence[str],
        metadatas: Sequence[Mapping[str, Any]] | None,
        vectors: Sequence[Sequence[float]] | None,
    ) -> list[str]:
        """Stores texts, in place of those of the same id; a text without an id gets one.

        Raises:
            ValueError: not as many ids, metadata or vectors as texts.
        """
        for what, given in (("ids", ids), ("metadatas", metadatas), ("vectors", vectors)):
            if given is not None and len(given) != len(texts):
                raise ValueError(f"there are {len(texts)} texts, but {len(given)} {what}")
        if not texts:
            return []
        new = [one or str(uuid4()) for one in ids or [None] * len(texts)]
        documents: list[dict[str, Any]] = [
            {"_id": one, self.names.text: text, self.names.metadata: dict(metadatas[at]) if metadatas else {}}
            for at, (one, text) in enumerate(zip(new, texts))
        ]
        if vectors is not None:
            for document, values in zip(documents, vectors):
                document[self.names.vector] = [float(number) for number in values]
        if not self._find():
            self._make(None if vectors is None else len(vectors[0]))
        for at in range(0, len(documents), BATCH):
            self._documents.upsert(documents[at : at + BATCH])
        return new

    def get(self, ids: Iterable[str]) -> list[Passage]:
        """Those that are there, in the order of the ids."""
        wanted = list(dict.fromkeys(ids))
        if not wanted or not self._find():
            return []
        found = self._documents.get(wanted, fields=[self.names.text, self.names.metadata])
        return [self._passage(found[one]) for one in wanted if one in found]

    def delete(self, which: Union[Iterable[str], Expression]) -> None:
        """Deletes by id; ids that are not there are passed over. Or those for which a condition holds."""
        if self._find():
            self._documents.delete(which)

    def drop(self) -> None:
        """Drops the collection, where it is there."""
        try:
            self.client.collections().delete(self._documents.name)
        except CollectionNotFoundError:
            pass
        self._is_ascending = None

    def find(self, where: Expression) -> list[Passage]:
        """All for which a condition holds."""
        if not self._find():
            return []
        rows = self._documents.query(select(self.names.text, self.names.metadata).filter(where))
        return [self._passage(row) for row in rows]

    def search(
        self,
        query: str | None,
        vector: Sequence[float] | None,
        k: int,
        *,
        mode: str = "similarity",
        where: PassageFilter = None,
        meaning: float | None = None,
    ) -> list[Passage]:
        """The best, first. Meaning is compared by `vector` where the application embeds, else by `query`.

        Args:
            mode: `similarity`; or `hybrid`, words and meaning together.
            meaning: of hybrid searches how much it counts beside words, 0 to 1; None: what the server thinks good.
        """
        if mode not in MODES:
            raise ValueError(f"unknown mode {mode!r}: {', '.join(MODES)}")
        if k < 1 or not self._find():
            return []
        if mode == "hybrid":
            return self._hybrid(query, vector, f"k => {int(k)}{self._weights(meaning)}", where)
        return self._nearest(query, vector, k, where)

    def words(self, query: str, k: int, where: PassageFilter = None) -> list[Passage]:
        """Those with words of a text, best first by BM25."""
        if k < 1 or not self._find():
            return []
        chosen = select(self.names.text, self.names.metadata, _score=fn.bm25_score())
        rows = self._documents.query(
            self._filtered(chosen.filter(match(query, self.names.text)), where).topk(field("_score"), k)
        )
        return [self._passage(row, row["_score"]) for row in rows]

    def diverse(
        self,
        query: str | None,
        vector: Sequence[float] | None,
        k: int,
        *,
        diversity: float,
        depth: int,
        where: PassageFilter = None,
    ) -> list[Passage]:
        """Those that are near and unlike one another, by maximal marginal relevance within the server.

        Args:
            diversity: 0, only near, to 1, only unlike one another.
            depth: how many of the nearest to choose from.
        """
        if not 0 <= diversity <= 1:
            raise ValueError(f"diversity is from 0 to 1, not {diversity}")
        if k < 1 or not self._find():
            return []
        rest = f"k => {int(k)}, depth => {min(DEPTH_MAX, max(int(k), int(depth)))}, diversity => {float(diversity)!r}"
        if not self.embeds:
            rest += ", weights => ARRAY[1, 0]"
        return self._hybrid(None if self.embeds else query, vector, rest, where)

    def _nearest(
        self, query: str | None, vector: Sequence[float] | None, k: int, where: PassageFilter
    ) -> list[Passage]:
        by = (
            fn.semantic_similarity(self.names.text, query or "")
            if vector is None
            else fn.vector_distance(self.names.vector, [float(number) for number in vector])
        )
        chosen = self._filtered(select(self.names.text, self.names.metadata, _nearness=by), where)
        rows = self._documents.query(chosen.topk(field("_nearness"), k, asc=self._is_ascending is True))
        # A text without a word, and a document without a vector, are like nothing.
        return [self._passage(row, row["_nearness"]) for row in rows if "_nearness" in row]

    def _hybrid(
        self, query: str | None, vector: Sequence[float] | None, rest: str, where: PassageFilter
    ) -> list[Passage]:
        to = Compiler()
        arguments = [text_literal("$".join(filter(None, (self._documents.name, self._documents.partition))))]
        if query is not None:
            arguments.append(f"{to.value(query)}, columns => ARRAY[{text_literal(self.names.text)}]")
        if vector is not None:
            given = to.bind(*vector_parameter([float(number) for number in vector]))
            arguments.append(f"vector => {given}, vector_column => {text_literal(self.names.vector)}")
        filter_ = self.condition(where)
        matching = "" if filter_ is None else f" WHERE {to.filter(filter_, {})}"
        columns = ", ".join(quoted(name) for name in ("_id", self.names.text, self.names.metadata))
        statement = f"SELECT {columns}, score FROM hybrid({', '.join([*arguments, rest])}){matching}"
        rows = self.client._session.rows(statement, to.parameters).rows
        return [Passage(one, text or "", metadata or {}, score) for one, text, metadata, score in rows]

    def _weights(self, meaning: float | None) -> str:
        if meaning is None:
            return ""
        if not 0 <= meaning <= 1:
            raise ValueError(f"the weight of meaning is from 0 to 1, not {meaning}")
        # The order of the server's arms: the text's meaning, its words, vectors.
        arms = (1 - meaning, meaning) if self.embeds else (meaning, 1 - meaning)
        return f", weights => ARRAY[{', '.join(repr(float(one)) for one in arms)}]"

    def condition(self, where: PassageFilter) -> Expression | None:
        """A filter as an expression."""
        if where is None or isinstance(where, Expression):
            return where
        if not isinstance(where, Mapping):
            raise TypeError(f"a filter is a dict or an expression, not {type(where).__name__}")
        return read_filter(where, f"{self.names.metadata}.") if where else None

    def _filtered(self, query: Any, where: PassageFilter) -> Any:
        filter_ = self.condition(where)
        return query if filter_ is None else query.filter(filter_)

    def _passage(self, row: Mapping[str, Any], score: float = 0.0) -> Passage:
        return Passage(row["_id"], row.get(self.names.text, ""), row.get(self.names.metadata, {}), score)

    def _find(self) -> bool:
        """True when the collection, and the partition, is there; asked until it is.

        Raises:
            CollectionNotFoundError: it is not, and is not to be made.
            InvalidArgumentError: it has not the index that searches need.
        """
        if self._is_ascending is not None:
            return True
        try:
            found = self.client.collections().get(self._documents.name)
        except CollectionNotFoundError:
            if self._create:
                return False
            raise
        is_ascending = self._order(found)
        partition = self._documents.partition
        if self._create and partition is not None and partition not in self._documents.list_partitions(partition):
            return False
        self._is_ascending = is_ascending
        return True

    def _order(self, found: Collection) -> bool:
        """True when the least number is the nearest."""
        name, kind = (self.names.vector, "vector_index") if self.embeds else (self.names.text, "semantic_index")
        spec = found.schema.get(name)
        index = next((one for one in spec.indexes if one.kind == kind), None) if spec is not None else None
        if index is None:
            who = "where an application embeds" if self.embeds else "where the server embeds (no embedding is given)"
            raise InvalidArgumentError(f"collection {found.name!r} has no {kind} on {name!r}, which is needed {who}")
        return self.embeds and index.option("metric") in ("euclidean", "hamming")

    def _make(self, dimension: int | None) -> None:
        texts = schema.text()
        fields: dict[str, schema.FieldSpec] = {self.names.text: texts.index(schema.semantic_index(self._model))}
        if dimension is not None:
            fields[self.names.text] = texts.index(schema.keyword_index())
            fields[self.names.vector] = schema.f32_vector(dimension).index(schema.vector_index("cosine"))
        try:
            self.client.collections().create(self._documents.name, fields)
        except CollectionAlreadyExistsError:
            pass  # another one was first
        self._find()

    @property
    def are_distances(self) -> bool:
        """True when scores of `search` by similarity are distances."""
        self._find()
        return self._is_ascending is True

    @property
    def relevance(self) -> Callable[[float], float]:
        """From a score of `search` to 0 … 1."""
        return _by_distance if self.are_distances else _by_similarity


def _by_distance(score: float) -> float:
    return 1 / (1 + max(0.0, score))


def _by_similarity(score: float) -> float:
    return min(1.0, max(0.0, score))


def _between(of: Expression, bounds: Any) -> Expression:
    low, high = bounds
    return of.gte(low).and_(of.lte(high))


COMPARISONS: dict[str, Callable[[Expression, Any], Expression]] = {
    "$eq": lambda of, value: of.eq(value),
    "$ne": lambda of, value: of.ne(value),
    "$lt": lambda of, value: of.lt(value),
    "$lte": lambda of, value: of.lte(value),
    "$gt": lambda of, value: of.gt(value),
    "$gte": lambda of, value: of.gte(value),
    "$in": lambda of, values: of.in_(list(values)),
    "$nin": lambda of, values: not_(of.in_(list(values))),
    "$between": _between,
    "$contains": lambda of, value: of.contains(value),
    "$starts_with": lambda of, value: of.starts_with(value),
    "$exists": lambda of, value: of.is_not_null() if value else of.is_null(),
}
"""Specs that may stand under a field's name."""


def read_filter(given: Mapping[str, Any], prefix: str) -> Expression:
    """A dict as a condition: fields with a value or with `COMPARISONS`, `$and`, `$or`, `$not`; all of it has to hold.

    Raises:
        ValueError: an unknown operator.
    """
    return all_of(_entry(name, value, prefix) for name, value in given.items())


def _entry(name: str, value: Any, prefix: str) -> Expression:
    if name == "$and":
        return all_of(read_filter(one, prefix) for one in value)
    if name == "$or":
        return any_of(read_filter(one, prefix) for one in value)
    if name == "$not":
        return not_(read_filter(value, prefix))
    if name.startswith("$"):
        raise ValueError(f"unknown operator {name!r}: $and, $or, $not, or the name of a field")
    of = field(f"{prefix}{name}")
    if isinstance(value, Mapping):
        return all_of(_compared(of, sign, wanted) for sign, wanted in value.items())
    return of.eq(value)


def _compared(of: Expression, sign: str, wanted: Any) -> Expression:
    compare = COMPARISONS.get(sign)
    if compare is None:
        raise ValueError(f"unknown operator {sign!r}: {', '.join(COMPARISONS)}")
    return compare(of, wanted)


def all_of(conditions: Iterable[Expression]) -> Expression:
    """All of any number."""
    return _joined(conditions, "and", True)


def any_of(conditions: Iterable[Expression]) -> Expression:
    """One of any number."""
    return _joined(conditions, "or", False)


def _joined(conditions: Iterable[Expression], op: str, empty: bool) -> Expression:
    each = [condition(one) for one in conditions]
    if not each:
        return literal(empty)
    while len(each) > 1:
        # In pairs, so that many nest little.
        pairs = [each[at : at + 2] for at in range(0, len(each), 2)]
        each = [pair[0] if len(pair) == 1 else Expression(op, *pair) for pair in pairs]
    return each[0]
