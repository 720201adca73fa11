"""Stages as one SELECT, or several around each other where a stage needs the rows of those before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ._compile import Compiler, Environment, as_name
from ._expression import Expression
from ._reads import NULLS
from ._stages import Query
from .error import InvalidArgumentError

@dataclass(frozen=True)
class Statement:
    """SQL with its parameters.

    Attributes:
        names: of the columns; None where the server names them.
        fields: of documents, among the names; None: all that there are.
        sort_keys: columns that rows are sorted by, the last `hidden_count` of them for that alone.
    """

    text: str
    parameters: list[Any]
    names: list[str] | None
    fields: list[str] | None
    sort_keys: list[int]
    hidden_count: int


@dataclass(frozen=True)
class _Block:
    """One SELECT under way.

    Attributes:
        names: what earlier stages called so, with its SQL.
        chosen: columns of the answer; None: all of the document.
        fields: names of `chosen` that are fields under their own names.
        groups: keys and aggregates of a grouped SELECT.
    """

    source: str
    names: Environment = field(default_factory=dict)
    chosen: dict[str, str] | None = None
    fields: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    limit: int | None = None
    offset: int = 0
    groups: tuple[dict[str, str], dict[str, str]] | None = None
    has_id: bool = True

    @property
    def is_cut(self) -> bool:
        """True when rows have been taken, so that conditions and orders would come too late."""
        return self.limit is not None or self.offset > 0 or self.groups is not None


def compile_query(query: Query, source: str, times: frozenset[str] = frozenset()) -> Statement:
    """The statement of a query over a relation.

    Args:
        times: its fields that are timestamps, where that is known.

    Raises:
        InvalidArgumentError: a sort without limit, two collectors of a kind, and what no query may have.
    """
    _check(query)
    to = Compiler(times)
    block = _Block(source)
    for name, value in query.stages:
        block = STAGES[name](to, block, value)
    if to.has_score and not to.has_text_predicate:
        raise InvalidArgumentError("bm25_score() needs a text predicate in a filter: match, match_tokens or should")
    columns = _columns(block) if block.groups is not None or block.chosen is not None else None
    known = [*(columns or {}).values()]
    hidden = [key for key in block.keys if key not in known]
    # Places from the end, so that they hold beside columns that only the server knows.
    places = [at - len(known) - len(hidden) for at, sql in enumerate([*known, *hidden]) if sql in block.keys]
    names = None if columns is None else [*columns]
    fields = None if names is None else [*block.fields]
    return Statement(_sql(block, hidden), to.parameters, names, fields, places, len(hidden))


def _check(query: Query) -> None:
    if not isinstance(query, Query):
        raise TypeError(f"expected a query such as select('title').limit(10), not {type(query).__name__}")
    kinds = [name for name, _ in query.stages]
    if "sort" in kinds and "limit" not in kinds:
        raise InvalidArgumentError("sort needs a limit")


def _select(to: Compiler, block: _Block, chosen: Mapping[str, Expression]) -> _Block:
    if block.groups is not None:
        block = _wrapped(block)
    written = {name: to.sql(expression, block.names) for name, expression in chosen.items()}
    computed = {
        name: sql for name, sql in written.items() if chosen[name].op != "field" or chosen[name].args[0] != name
    }
    fields = tuple(name for name in {**dict.fromkeys(block.fields), **written} if name not in computed)
    return replace(
        block, names={**block.names, **computed}, chosen={**(block.chosen or {}), **written}, fields=fields
    )


def _filter(to: Compiler, block: _Block, condition: Expression) -> _Block:
    if block.is_cut:
        block = _wrapped(block)
    return replace(block, conditions=(*block.conditions, to.filter(condition, block.names)))


def _sort(to: Compiler, block: _Block, keys: tuple[tuple[Expression, str], ...]) -> _Block:
    if block.is_cut:
        block = _wrapped(block)
    order: list[str] = []
    written: list[str] = []
    for key, direction in keys:
        if key.op == "literal":
            continue  # a constant orders nothing
        written.append(to.sql(key, block.names))
        order.append(f"{written[-1]} {direction.upper()} NULLS LAST")
    return replace(block, keys=tuple(written), order=tuple(order))


def _limit(to: Compiler, block: _Block, k: int) -> _Block:
    if block.groups is not None:
        block = _wrapped(block)
    return replace(block, limit=k)


def _offset(to: Compiler, block: _Block, n: int) -> _Block:
    if block.groups is not None:
        block = _wrapped(block)
    return replace(block, offset=n)


def _count(to: Compiler, block: _Block, _: None) -> _Block:
    block = _wrapped(block) if block.is_cut else replace(block, keys=(), order=())
    return replace(block, groups=({}, {"_count": "count(*)"}), chosen=None, has_id=False)


def _group_by(to: Compiler, block: _Block, value: tuple[dict[str, Expression], dict[str, Expression]]) -> _Block:
    keys, aggregates = value
    block = _wrapped(block) if block.is_cut else replace(block, keys=(), order=())
    groups = ({name: to.sql(key, block.names) for name, key in keys.items()},
              {name: to.sql(one, block.names) for name, one in aggregates.items()})  # fmt: skip
    return replace(block, groups=groups, chosen=None, has_id=False)


STAGES: dict[str, Callable[[Compiler, _Block, Any], _Block]] = {
    "select": _select, "filter": _filter, "sort": _sort, "limit": _limit, "offset": _offset, "count": _count,
    "group_by": _group_by,
}  # fmt: skip


def _columns(block: _Block) -> dict[str, str]:
    """Name to SQL of what a block answers with."""
    if block.groups is not None:
        keys, aggregates = block.groups
        return {**keys, **aggregates}
    own = {"_id": as_name("_id")} if block.has_id else {}
    nulls = {NULLS: as_name(NULLS)} if block.has_id and block.fields else {}
    return {**own, **{name: sql for name, sql in (block.chosen or {}).items() if name != "_id"}, **nulls}


def _wrapped(block: _Block) -> _Block:
    """A new block around the rows of this one."""
    if block.groups is not None:
        return _Block(f"({_sql(block)}) AS q", has_id=False)
    given = {name: as_name(f"__{name}") for name in block.names}
    extra = "".join(f", {sql} AS {given[name]}" for name, sql in block.names.items())
    inner = f"SELECT *{extra}{_clauses(block)}"
    chosen = None
    if block.chosen is not None:
        chosen = {name: given.get(name, sql) for name, sql in block.chosen.items()}
    return _Block(f"({inner}) AS q", given, chosen, block.fields, has_id=block.has_id)


def _sql(block: _Block, hidden: Sequence[str] = ()) -> str:
    extra = [f"{sql} AS {as_name(f'__sort{at}')}" for at, sql in enumerate(hidden)]
    if block.groups is None and block.chosen is None:
        columns = ["*"]
    else:
        columns = [f"{sql} AS {as_name(name)}" for name, sql in _columns(block).items()]
    return f"SELECT {', '.join([*columns, *extra])}{_clauses(block)}"


def _clauses(block: _Block) -> str:
    text = f" FROM {block.source}"
    if block.conditions:
        text += f" WHERE {' AND '.join(block.conditions)}"
    if block.groups is not None and block.groups[0]:
        text += f" GROUP BY {', '.join(str(at + 1) for at in range(len(block.groups[0])))}"
    if block.order:
        text += f" ORDER BY {', '.join(block.order)}"
    if block.limit is not None:
        text += f" LIMIT {block.limit}"
    return f"{text} OFFSET {block.offset}" if block.offset else text
