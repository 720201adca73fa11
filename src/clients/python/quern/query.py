"""Queries and the expressions in them.

from quern.query import select, field, fn, match

select("title", score=fn.semantic_similarity("summary", "love and money"))
    .filter((field("year") >= 1900) & ~field("tags").contains("poetry"))
    .sort(field("score") * field("rating"), asc=False)
    .limit(10)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _expression
from ._expression import OPERANDS_MAX, Expression, Operand, condition, literal, operand
from ._expression import text as _text
from ._expression import weight as _weight
from ._parameters import matrix as _matrix
from ._parameters import vector as _vector
from ._stages import Query
from .error import InvalidArgumentError

__all__ = [
    "Expression", "Query", "select", "filter", "group_by", "field", "literal", "fn", "agg", "match", "match_tokens",
    "should", "not_", "all", "any", "min", "max", "abs",
]  # fmt: skip


def select(*names: Union[str, Expression, Mapping[str, Expression]], **aliases: Expression) -> Query:
    """A query that begins with these fields; see `Query.select`."""
    return Query().select(*names, **aliases)


def filter(expression: Union[Expression, bool]) -> Query:  # noqa: A001 - the contract's names
    """A query that begins with a condition; see `Query.filter`."""
    return Query().filter(expression)


def group_by(keys: Mapping[str, Expression], aggregates: Mapping[str, Expression]) -> Query:
    """A query that begins with groups; see `Query.group_by`."""
    return Query().group_by(keys, aggregates)


def field(name: str) -> Expression:
    """A field; `a.b.c` goes into structs. Null where a document has none."""
    return Expression("field", _name(name))


def _name(name: Any) -> str:
    if isinstance(name, Expression) and name.op == "field":
        return str(name.args[0])
    if not isinstance(name, str):
        raise TypeError(f"a field's name is a str, not {type(name).__name__}")
    return name


class fn:  # noqa: N801 - a namespace
    """Scores."""

    @staticmethod
    def semantic_similarity(field: str, text: str) -> Expression:
        """Cosine similarity, -1 to 1, of the text to the field's best passage; needs a semantic index."""
        return Expression("semantic_similarity", _name(field), _text(text))

    @staticmethod
    def vector_distance(field: str, query: Any, skip_refine: bool = False) -> Expression:
        """By the index's metric: similarity for cosine and dot_product, squared distance for euclidean, count of
        different bits for hamming.

        Args:
            query: a list of numbers, a numpy array, or a value of `quern.data`; a dict for sparse vectors.
            skip_refine: whether estimates do.
        """
        _vector(query)  # which says at once what no vector is
        return Expression("vector_distance", _name(field), query, bool(skip_refine))

    @staticmethod
    def bm25_score(b: float | None = None, k1: float | None = None) -> Expression:
        """BM25 of the query's text predicates; `b` from 0 to 1, `k1` at least 0."""
        if b is not None and not 0 <= b <= 1:
            raise InvalidArgumentError(f"b of bm25_score is from 0 to 1, not {b}")
        if k1 is not None and not k1 >= 0:
            raise InvalidArgumentError(f"k1 of bm25_score is at least 0, not {k1}")
        return Expression("bm25_score", b, k1)

    @staticmethod
    def multi_vector_distance(field: str, matrix: Any, candidates: int | None = None) -> Expression:
        """MaxSim: for each row of the matrix the largest dot product, summed.

        Args:
            candidates: how many documents are scored exactly.
        """
        _matrix(matrix)  # which says at once what no matrix is
        if candidates is not None and candidates < 1:
            raise InvalidArgumentError("candidates must be at least 1")
        return Expression("multi_vector_distance", _name(field), matrix, candidates)

    @staticmethod
    def snippet(field: str, text: str | None = None) -> Expression:
        """The passage of about 240 characters that matched; by default what the filters look for."""
        return Expression("snippet", _name(field), text)

    @staticmethod
    def highlight(field: str, text: str | None = None, before: str = "<b>", after: str = "</b>") -> Expression:
        """The whole text with what matched between two marks."""
        return Expression("highlight", _name(field), text, before, after)


class agg:  # noqa: N801 - a namespace
    """Aggregates of `group_by`."""

    @staticmethod
    def count(field: Union[Expression, str, None] = None) -> Expression:
        """Documents, or those that have the field."""
        return Expression("agg", "count", None if field is None else _value(field))

    @staticmethod
    def sum(field: Union[Expression, str]) -> Expression:
        """Sum of numbers; of whole numbers a whole one."""
        return Expression("agg", "sum", _value(field))

    @staticmethod
    def min(field: Union[Expression, str]) -> Expression:
        """Smallest number or text."""
        return Expression("agg", "min", _value(field))

    @staticmethod
    def max(field: Union[Expression, str]) -> Expression:
        """Largest number or text."""
        return Expression("agg", "max", _value(field))

    @staticmethod
    def avg(field: Union[Expression, str]) -> Expression:
        """Mean, a float."""
        return Expression("agg", "avg", _value(field))


def _value(one: Union[Expression, str]) -> Expression:
    return one if isinstance(one, Expression) else field(one)


def match(text: str, field: str | None = None, weight: float = 1.0, all: bool = False) -> Expression:  # noqa: A002
    """The field (by default any keyword field) has one of the text's words, or `all` of them; for filters."""
    return Expression("match", _text(text), _field(field), _weight(weight), bool(all))


def match_tokens(
    tokens: Iterable[Union[str, tuple[str, float]]],
    field: str | None = None,
    all: bool = False,  # noqa: A002
    weight: float = 1.0,
) -> Expression:
    """As `match`, with words that are terms as they are.

    Args:
        tokens: words; a pair of a word and a number weighs it: `[("great", 2.0), "hobbit"]`.
        all: whether each of them is wanted, in place of any.
    """
    if isinstance(tokens, str):
        raise TypeError("match_tokens takes a list of texts; match takes one text")
    if not isinstance(all, bool):
        raise TypeError(f"all is a bool, not {all!r}: a weight is given by its name, weight={all!r}")
    where = _field(field)
    words: dict[float, list[str]] = {}
    for token in tokens:
        word, factor = (token, 1.0) if isinstance(token, str) else _weighted(token)
        words.setdefault(_weight(weight) * factor, []).append(_text(word))
    each = [Expression("match_tokens", some, where, factor, all) for factor, some in words.items()]
    if len(each) > OPERANDS_MAX:
        raise InvalidArgumentError(f"match_tokens takes at most {OPERANDS_MAX} different weights, not {len(each)}")
    if len(each) < 2:
        return each[0] if each else Expression("match_tokens", [], where, _weight(weight), all)
    return Expression("all" if all else "any", *each)


def _weighted(token: Any) -> tuple[str, float]:
    if not isinstance(token, (tuple, list)) or len(token) != 2:
        raise TypeError(f"a token is a text, or a pair of a text and its weight, not {token!r}")
    return token[0], _weight(token[1])


def should(text: str, field: str | None = None, weight: float = 1.0) -> Expression:
    """Adds to the score of what has the words, and leaves nothing out; for filters."""
    return Expression("should", _text(text), _field(field), _weight(weight))


def _field(name: str | None) -> str | None:
    return None if name is None else _name(name)


def not_(expression: Union[Expression, bool]) -> Expression:
    """The opposite of a condition."""
    return condition(expression).not_()


def all(expressions: Iterable[Union[Expression, bool]]) -> Expression:  # noqa: A001
    """All of at most 32 conditions."""
    return Expression("all", *_operands(expressions))


def any(expressions: Iterable[Union[Expression, bool]]) -> Expression:  # noqa: A001
    """One of at most 32 conditions."""
    return Expression("any", *_operands(expressions))


def _operands(expressions: Iterable[Union[Expression, bool]]) -> list[Expression]:
    each = [*map(condition, expressions)]
    if len(each) > OPERANDS_MAX:
        raise InvalidArgumentError(f"all and any take at most {OPERANDS_MAX} conditions, not {len(each)}")
    return each


def min(left: Operand, right: Operand) -> Expression:  # noqa: A001
    """The smaller one, of texts too."""
    return operand(left).min(right)


def max(left: Operand, right: Operand) -> Expression:  # noqa: A001
    """The larger one, of texts too."""
    return operand(left).max(right)


def abs(expression: Union[Expression, int, float]) -> Expression:  # noqa: A001
    """Without its sign."""
    return _expression.operand(expression).abs()
