"""A query: stages, one after the other. Queries are immutable; each stage gives a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index as _index
from typing import Any, Literal, Union

from ._expression import Expression, condition

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
        """By a number or text, or by several: `[(expression, "asc"), …]`; null comes last. Needs a `limit`."""
        if isinstance(expression, (Expression, str)):
            keys = [(expression, "asc" if asc else "desc")]
        else:
            keys = [_sort_key(one) for one in expression]
        return self._with("sort", tuple((_named(key), direction) for key, direction in keys))

    def limit(self, k: int) -> Query:
        """At most `k` rows."""
        return self._with("limit", _index(k))

    def offset(self, n: int) -> Query:
        """Without the first `n` rows."""
        return self._with("offset", _index(n))

    def topk(self, expression: Union[Expression, str], k: int, asc: bool = False) -> Query:
        """The `k` rows with the largest value (the smallest with `asc`): sort and limit."""
        return self.sort(expression, asc).limit(k)

    def count(self) -> Query:
        """One row with `_count`, the number of rows."""
        return self._with("count", None)

    def group_by(self, keys: Mapping[str, Expression], aggregates: Mapping[str, Expression]) -> Query:
        """A row for each combination of keys, with aggregates from `agg`; at least one of each."""
        groups = {name: _named(key) for name, key in keys.items()}
        for name, one in aggregates.items():
            if not isinstance(one, Expression) or one.op != "agg":
                raise TypeError(f"{name!r} is no aggregate: use agg.count(), agg.sum(field(…)), …")
        return self._with("group_by", (groups, dict(aggregates)))

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
