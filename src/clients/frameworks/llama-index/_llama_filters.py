"""LlamaIndex's metadata filters as expressions. They hold or they do not: what is missing is unequal to everything and
in no list, as in LlamaIndex's own store, and NOT is true where none of its filters holds."""

from __future__ import annotations

import re
from typing import Any, Callable

from ._expression import Expression
from ._passages import all_of, any_of
from .query import field, literal, not_

try:
    from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters
except ImportError as error:
    raise ImportError("quern.llama_index needs llama-index-core: pip install 'quern[llama-index]'") from error


def read(given: MetadataFilters, prefix: str) -> Expression:
    """Filters, which may nest.

    Args:
        prefix: what stands before a field's name.

    Raises:
        ValueError: a value that the operator does not take.
    """
    each = [
        read(one, prefix) if isinstance(one, MetadataFilters) else _compared(one, prefix) for one in given.filters
    ]
    if not each:
        return literal(True)
    if given.condition == FilterCondition.OR:
        return any_of(each)
    return _unless(any_of(each)) if given.condition == FilterCondition.NOT else all_of(each)


def _compared(one: MetadataFilter, prefix: str) -> Expression:
    takes, compare = COMPARISONS[one.operator]
    if takes and not isinstance(one.value, takes):
        wanted = " or ".join(kind.__name__ for kind in takes)
        raise ValueError(f"{one.operator.value!r} of {one.key!r} takes {wanted}, not {one.value!r}")
    return compare(field(f"{prefix}{one.key}"), one.value)


def _unless(holds: Expression) -> Expression:
    """The opposite, which holds of what is missing too."""
    return not_(holds.coalesce(False))


def _is(of: Expression, value: Any) -> Expression:
    return _is_json(of, value) if isinstance(value, list) else of.eq(value)


def _is_json(of: Expression, value: Any) -> Expression:
    return Expression("is_json", of, value)


def _is_empty(of: Expression) -> Expression:
    empty: tuple[Any, ...] = (None, "", [])
    return any_of([of.is_null(), *(_is_json(of, one) for one in empty)])


SCALARS = (str, int, float)
ELEMENTS = (list,)

COMPARISONS: dict[FilterOperator, tuple[tuple[type, ...], Callable[[Expression, Any], Expression]]] = {
    FilterOperator.EQ: ((*SCALARS, list), _is),
    FilterOperator.NE: ((*SCALARS, list), lambda of, value: _unless(_is(of, value))),
    FilterOperator.GT: (SCALARS, lambda of, value: of.gt(value)),
    FilterOperator.GTE: (SCALARS, lambda of, value: of.gte(value)),
    FilterOperator.LT: (SCALARS, lambda of, value: of.lt(value)),
    FilterOperator.LTE: (SCALARS, lambda of, value: of.lte(value)),
    FilterOperator.IN: (ELEMENTS, lambda of, values: of.in_(values)),
    FilterOperator.NIN: (ELEMENTS, lambda of, values: _unless(of.in_(values))),
    FilterOperator.CONTAINS: (SCALARS, lambda of, value: of.contains(value)),
    FilterOperator.ANY: (ELEMENTS, lambda of, values: any_of(of.contains(one) for one in values)),
    FilterOperator.ALL: (ELEMENTS, lambda of, values: all_of(of.contains(one) for one in values)),
    FilterOperator.TEXT_MATCH: ((str,), lambda of, value: of.contains(value)),
    FilterOperator.TEXT_MATCH_INSENSITIVE: ((str,), lambda of, value: of.regexp_match(re.escape(value), "i")),
    FilterOperator.IS_EMPTY: ((), lambda of, _: _is_empty(of)),
}
"""Operator to the values that it takes, and what it asks."""
