"""Expressions as SQL: one table of operators; values become parameters `$n` with casts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._documents import to_json
from ._expression import Expression
from ._names import path, quoted, text_literal
from ._parameters import instant, matrix, parameter, vector
from .error import InvalidArgumentError

TEXT_DEPTH_MAX = 16
TEXT_PREDICATES = ("match", "match_tokens", "should")

Environment = Mapping[str, str]
"""Names that earlier stages gave, with their SQL."""


class Compiler:
    """The parameters of one statement, and how its expressions are written.

    Args:
        times: fields that are timestamps, where that is known: whole numbers beside them are milliseconds.
    """

    def __init__(self, times: frozenset[str] = frozenset()) -> None:
        self.times = times
        self.parameters: list[Any] = []
        self.has_text_predicate = False
        self.has_score = False

    def bind(self, value: Any, cast: str) -> str:
        """A parameter as SQL."""
        self.parameters.append(value)
        return f"${len(self.parameters)}::{cast}" if cast else f"${len(self.parameters)}"

    def value(self, value: Any) -> str:
        """A value as SQL."""
        return "NULL" if value is None else self.bind(*parameter(value))

    def field(self, name: str, names: Environment) -> str:
        """A field, or what an earlier stage called so."""
        if name in names:
            return names[name]
        if not name:
            raise InvalidArgumentError("a field's name must not be empty")
        top, _, inner = name.partition(".")
        if inner and top in names:
            return f"({names[top]})" + "".join(f"[{text_literal(part)}]" for part in inner.split("."))
        return path(name)

    def sql(self, node: Expression, names: Environment) -> str:
        """An expression as SQL, in parentheses where it needs them."""
        return OPERATORS[node.op](self, node.args, names)

    def each(self, nodes: Iterable[Expression], names: Environment) -> list[str]:
        """Several; whole numbers beside a timestamp as what they mean."""
        nodes = list(nodes)
        if not any(node.op == "field" and node.args[0] in self.times for node in nodes):
            return [self.sql(node, names) for node in nodes]
        return [self.time(node, names) for node in nodes]

    def time(self, node: Expression, names: Environment) -> str:
        """An expression beside a timestamp."""
        is_whole = node.op == "literal" and isinstance(node.args[0], int) and not isinstance(node.args[0], bool)
        return self.bind(instant(node.args[0]), "timestamp") if is_whole else self.sql(node, names)

    def filter(self, node: Expression, names: Environment) -> str:
        """A condition of a filter, where text predicates may stand."""
        if text_depth(node) > TEXT_DEPTH_MAX:
            raise InvalidArgumentError(f"text predicates are nested more than {TEXT_DEPTH_MAX} deep")
        return self.sql(node, names)


def text_depth(node: Any) -> int:
    """How deep `&` and `|` nest around text predicates; 0 where there is none."""
    if not isinstance(node, Expression):
        return 0
    if node.op in TEXT_PREDICATES:
        return 1
    deepest, todo = 0, [(node, 0)]
    while todo:
        one, depth = todo.pop()
        if one.op in TEXT_PREDICATES:
            deepest = max(deepest, depth)
        todo.extend((below, depth + 1) for below in one.args if isinstance(below, Expression))
    return deepest


Writer = Callable[[Compiler, tuple[Any, ...], Environment], str]


def _infix(sign: str) -> Writer:
    def write(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
        left, right = to.each(args, names)
        return f"({left} {sign} {right})"

    return write


def _call(name: str) -> Writer:
    def write(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
        return f"{name}({', '.join(to.each(args, names))})"

    return write


def _many(sign: str, empty: str) -> Writer:
    def write(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
        return f"({sign.join(to.each(args, names))})" if args else empty

    return write


def _in(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    value, values = args
    return f"contains({to.sql(values, names)}, {to.sql(value, names)})"


def _is_null(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    of = to.sql(args[0], names)
    # Within a struct null is a value of JSON's.
    is_inner = args[0].op == "field" and "." in args[0].args[0] and args[0].args[0] not in names and of != "NULL"
    return f"({of} IS NULL OR jsonb_typeof({of}) = 'null')" if is_inner else f"({of} IS NULL)"


def _is_json(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    """A value within a struct is this one, which may be a list, or null."""
    return f"({to.sql(args[0], names)} = {to.bind(to_json(args[1]), 'jsonb')})"


def _boost(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    value, condition, factor = to.each(args, names)
    return f"({value} * boost({condition}, {factor}))"


def _regexp(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    text, pattern, flags = args
    flags = (flags or "").replace("s", "").replace("m", "n")
    prefix = f"(?{flags})" if flags else ""
    return f"({to.sql(text, names)} ~ {to.value(prefix + pattern)})"


DATE_PARTS = {
    "year": "date_part('year', {0})::int8",
    "month": "date_part('month', {0})::int8",
    "week": "date_part('week', {0})::int8",
    "day": "date_part('day', {0})::int8",
    "day_of_year": "date_part('doy', {0})::int8",
    "day_of_week": "(date_part('isodow', {0})::int8 - 1)",
    "hour": "date_part('hour', {0})::int8",
    "minute": "date_part('minute', {0})::int8",
    "second": "floor(date_part('second', {0}))::int8",
    "millisecond": "(floor(date_part('milliseconds', {0}))::int8 % 1000)",
}


def _date_part(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    return DATE_PARTS[args[1]].format(to.sql(args[0], names))


def _elapsed(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    start, end, unit = args
    return f"elapsed({', '.join(to.each((start, end), names))}, '{unit}')"


def _similarity(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    return f"semantic_similarity({_column(args[0])}, {to.value(args[1])})"


def _column(name: str) -> str:
    # Scores are of fields of the collection, whatever earlier stages gave the name to.
    return path(name)


def _distance(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    name, query, skip_refine = args
    rest = ", skip_refine => true" if skip_refine else ""
    return f"vector_distance({_column(name)}, {to.bind(*vector(query))}{rest})"


def _maxsim(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    name, query, candidates = args
    rest = "" if candidates is None else f", candidates => {int(candidates)}"
    return f"multi_vector_distance({_column(name)}, {to.bind(*matrix(query))}{rest})"


def _bm25(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    b, k1 = args
    to.has_score = True
    if b is None and k1 is None:
        return "bm25_score()"
    given = [to.value(float(0.75 if b is None else b))]
    return f"bm25_score({', '.join(given + ([] if k1 is None else [to.value(float(k1))]))})"


def _match(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    text, *where = args
    return f"match({', '.join([to.value(text), *_where(to, *where)])})"


def _match_tokens(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    tokens, *where = args
    words = to.bind(tokens, "text[]")
    return f"match_tokens({', '.join([words, *_where(to, *where)])})"


def _match_words(all_terms: bool) -> Writer:
    """`match_any` and `match_all`: with the weight 0, so that they never change a score."""
    rest = ", weight => 0" + (", all_terms => true" if all_terms else "")

    def write(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
        of, words = args
        given = words.args[0]
        if isinstance(given, str):
            return f"match({to.value(given)}, {to.sql(of, names)}{rest})"
        tokens = to.bind(given, "text[]")
        return f"match_tokens({tokens}, {to.sql(of, names)}{rest})"

    return write


def _should(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    text, *where = args
    return f"should({', '.join([to.value(text), *_where(to, *where)])})"


def _where(to: Compiler, name: str | None, weight: float, is_all: bool = False) -> list[str]:
    to.has_text_predicate = True
    given = [] if name is None else [path(name)]
    if weight != 1:
        given.append(f"weight => {to.value(weight)}")
    return [*given, "all_terms => true"] if is_all else given


def _snippet(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    name, *texts = args
    return f"snippet({', '.join([_column(name), *(to.value(one) for one in texts if one is not None)])})"


def _highlight(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    name, text, before, after = args
    given = [_column(name)] if text is None else [_column(name), to.value(text)]
    return f"highlight({', '.join(given)}, before => {to.value(before)}, after => {to.value(after)})"


def _aggregate(to: Compiler, args: tuple[Any, ...], names: Environment) -> str:
    name, value = args
    return "count(*)" if value is None else f"{name}({to.sql(value, names)})"


OPERATORS: dict[str, Writer] = {
    "field": lambda to, args, names: to.field(args[0], names),
    "literal": lambda to, args, names: to.value(args[0]),
    "eq": _infix("="),
    "ne": _infix("<>"),
    "lt": _infix("<"),
    "lte": _infix("<="),
    "gt": _infix(">"),
    "gte": _infix(">="),
    "add": _infix("+"),
    "sub": _infix("-"),
    "mul": _infix("*"),
    "div": _infix("/"),
    "and": _infix("AND"),
    "or": _infix("OR"),
    "not": lambda to, args, names: f"(NOT {to.sql(args[0], names)})",
    "is_json": _is_json,
    "is_null": lambda to, args, names: _is_null(to, args, names),
    "is_not_null": lambda to, args, names: f"(NOT {_is_null(to, args, names)})",
    "choose": lambda to, args, names: "(CASE WHEN {} THEN {} ELSE {} END)".format(*to.each(args, names)),
    "coalesce": _call("coalesce"),
    "boost": _boost,
    "in": _in,
    "contains": _call("contains"),
    "starts_with": _call("starts_with"),
    "match_all": _match_words(True),
    "match_any": _match_words(False),
    "regexp_match": _regexp,
    "abs": _call("abs"),
    "ln": _call("ln"),
    "exp": _call("exp"),
    "sqrt": _call("sqrt"),
    "square": _call("square"),
    "min": _call("least"),
    "max": _call("greatest"),
    "date_part": _date_part,
    "elapsed": _elapsed,
    "all": _many(" AND ", "TRUE"),
    "any": _many(" OR ", "FALSE"),
    "semantic_similarity": _similarity,
    "vector_distance": _distance,
    "multi_vector_distance": _maxsim,
    "bm25_score": _bm25,
    "match": _match,
    "match_tokens": _match_tokens,
    "should": _should,
    "snippet": _snippet,
    "highlight": _highlight,
    "agg": _aggregate,
    "written": lambda to, args, names: str(args[0](to, names)),  # what the contract has no name for
}
"""Operator to how it is written."""


def as_name(name: str) -> str:
    """The name of a column of the answer."""
    return quoted(name)
