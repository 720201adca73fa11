"""A query: stages, one after the other. Queries are immutable; each stage gives a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index as _index
from typing import Any, Literal, Union

from ._expression import Expression, condition, literal
from .error import InvalidArgumentError

Direction = Literal["asc", "desc"]
SortKey = tuple[Expression, Direction]
Stage = tuple[str, Any]


class Query:
    """Made by `select`, `filter` or `group_by` of `quern.query`; run by `collection.query(…)`."""

    __slots__ = ("stages",)

    def __init__(self, stages: tuple[Stage, ...] = ()) -> None:
        self.stages = stages

    def _with(self, name: str, value: Any) -> Query:
        return Query((*self.stages, (name, value)))

    def _once(self, name: str, value: Any) -> Query:
        if any(name == one for one, _ in self.stages):
            raise InvalidArgumentError(f"a query takes one {name}")
        return self._with(name, value)

    def select(self, *names: Union[str, Expression, Mapping[str, Expression]], **aliases: Expression) -> Query:
        """These fields, and what is computed under a name; `_id` always comes along.

        Later stages may use the names of earlier selects; a name given twice is one field.
        """
        chosen: dict[str, Expression] = {}
        for one in names:
            if isinstance(one, str):
                chosen[one] = Expression("field", one)
            elif isinstance(one, Expression) and one.op == "field":
                chosen[one.args[0]] = one
            elif isinstance(one, Mapping):
                chosen.update({name: _computed(name, expression) for name, expression in one.items()})
            else:
                raise TypeError(f"select takes names of fields and name=expression, not {one!r}")
        chosen.update({name: _computed(name, expression) for name, expression in aliases.items()})
        return self._with("select", chosen)

    def filter(self, expression: Union[Expression, bool]) -> Query:
        """Documents for which the condition holds."""
        return self._with("filter", condition(expression))

    def sort(
        self, expression: Union[Expression, str, Iterable[tuple[Union[Expression, str], Direction]]], asc: bool = True
    ) -> Query:
        """By a number or text, or by several: `[(expression, "asc"), …]`; null comes last. Needs a `limit`.

        A constant orders nothing.
        """
        if isinstance(expression, (Expression, str)):
            keys = [(expression, "asc" if asc else "desc")]
        else:
            keys = [_sort_key(one) for one in expression]
        if not keys:
            raise InvalidArgumentError("sort takes at least one expression")
        return self._with("sort", tuple((_sortable(key), direction) for key, direction in keys))

    def limit(self, k: int) -> Query:
        """At most `k` rows."""
        if not 0 < _index(k) < 2**63:
            raise InvalidArgumentError(f"limit must be greater than 0, not {k}")
        return self._once("limit", _index(k))

    def offset(self, n: int) -> Query:
        """Without the first `n` rows."""
        if not 0 <= _index(n) < 2**63:
            raise InvalidArgumentError(f"offset must not be negative: {n}")
        return self._with("offset", _index(n))

    def topk(self, expression: Union[Expression, str], k: int, asc: bool = False) -> Query:
        """The `k` rows with the largest value (the smallest with `asc`): sort and limit."""
        return self.sort(expression, asc).limit(k)

    def count(self) -> Query:
        """One row with `_count`, the number of rows."""
        return self._once("count", None)

    def group_by(self, keys: Mapping[str, Expression], aggregates: Mapping[str, Expression]) -> Query:
        """A row for each combination of keys, with aggregates from `agg`; at least one of each."""
        if not keys or not aggregates:
            raise InvalidArgumentError("group_by takes at least one key and one aggregate")
        both = keys.keys() & aggregates.keys()
        if both:
            raise InvalidArgumentError(f"group_by has {min(both)!r} as a key and as an aggregate")
        groups = {name: _named(key) for name, key in keys.items()}
        for name, one in aggregates.items():
            if not isinstance(one, Expression) or one.op != "agg":
                raise TypeError(f"{name!r} is no aggregate: use agg.count(), agg.sum(field(…)), …")
        return self._once("group_by", (groups, dict(aggregates)))

    def __repr__(self) -> str:
        return ".".join(f"{name}({_shown(value)})" for name, value in self.stages) or "Query()"


def _computed(name: str, expression: Any) -> Expression:
    if not isinstance(expression, Expression):
        raise TypeError(f"{name}={expression!r} is no expression: use field({expression!r}) or literal({expression!r})")
    return expression


def _named(key: Any) -> Expression:
    if isinstance(key, str):
        return Expression("field", key)
    if isinstance(key, Expression):
        return key
    raise TypeError(f"expected an expression or a field's name, not {type(key).__name__}")


def _sortable(key: Any) -> Expression:
    given = literal(key) if isinstance(key, (int, float)) else _named(key)
    if given.op == "literal" and (isinstance(given.args[0], bool) or not isinstance(given.args[0], (str, int, float))):
        raise InvalidArgumentError(f"a sort key is a number or text, not {given.args[0]!r}")
    return given


def _sort_key(one: Any) -> tuple[Union[Expression, str], Direction]:
    if isinstance(one, (Expression, str)):
        return (one, "asc")
    key, direction = one
    if isinstance(direction, bool):
        direction = "asc" if direction else "desc"
    if direction not in ("asc", "desc"):
        raise ValueError(f'a direction is "asc" or "desc", not {direction!r}')
    return (key, direction)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={expression!r}" for name, expression in value.items())
    return "" if value is None else repr(value)
