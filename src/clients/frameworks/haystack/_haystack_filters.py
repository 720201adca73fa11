"""Haystack's filters as conditions. What is missing, or of another type, is unequal and no match of an order; NOT
turns that round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timezone
from typing import Any

from haystack.errors import FilterError

from ._compile import Compiler, Environment
from ._expression import Expression, literal
from ._names import text_literal
from ._passages import all_of, any_of
from .error import QuernError
from .query import field, not_

DAY = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
TIME = r"[Tt ]\d\d:\d\d(:\d\d([.]\d+)?)?"
ZONE = r"([Zz]|[+-]\d\d(:?\d\d)?)"
IN_ZONE = f"{DAY}{TIME}{ZONE}$"
IN_NO_ZONE = f"{DAY}({TIME})?$"
ANY = f"{DAY}({TIME}{ZONE}?)?$"

FIELDS = {
    "id": "_id", "content": "content", "meta": "meta", "blob": "blob", "embedding": "embedding",
    "sparse_embedding": "sparse_embedding",
}  # fmt: skip
"""A document's fields and those of the collection; any other name is one of metadata."""


def read_filter(filters: Mapping[str, Any] | None) -> Expression | None:
    """A filter as a condition; None: of all documents.

    Raises:
        FilterError: it is none, or has a value of a type that its operator does not take.
    """
    if filters is None or filters == {}:
        return None
    try:
        return _read(filters)
    except (QuernError, TypeError) as error:
        raise FilterError(f"{error}") from error


def _read(given: Any) -> Expression:
    if not isinstance(given, Mapping):
        raise FilterError(f"a filter is a dict, not {type(given).__name__}")
    name = "value" if "field" in given else "conditions"
    for key in ("operator", name):
        if key not in given:
            raise FilterError(f"{key!r} is missing in {dict(given)!r}")
    table: Mapping[str, Any] = COMPARISONS if "field" in given else LOGIC
    make = table.get(given["operator"]) if isinstance(given["operator"], str) else None
    if make is None:
        raise FilterError(f"unknown operator {given['operator']!r}: {', '.join(table)}")
    if "field" in given:
        condition: Expression = make(_Field(given["field"]), given["value"])
    elif isinstance(given["conditions"], list):
        condition = make([_read(one) for one in given["conditions"]])
    else:
        raise FilterError(f"conditions are a list, not {type(given['conditions']).__name__}")
    return condition


class _Field:
    """Operands of a condition."""

    def __init__(self, name: Any) -> None:
        if not isinstance(name, str):
            raise FilterError(f"a field's name is a str, not {type(name).__name__}")
        top, _, inner = name.partition(".")
        if top not in FIELDS:
            top, inner = "meta", name
        self.name = name
        self.value = field(f"{FIELDS[top]}.{inner}" if inner else FIELDS[top])
        self.is_json = top in ("meta", "blob")
        self.is_text = top in ("id", "content")

    def at(self, sign: str, moment: datetime) -> Expression:
        """With a moment, where it is a text that is one; of two that do not both tell their zone, what clocks show."""
        wall = moment.replace(tzinfo=None).isoformat(sep=" ")
        if moment.tzinfo is None:
            return self._at(sign, ANY, "timestamp", wall)
        universal = moment.astimezone(timezone.utc).isoformat(sep=" ")
        return any_of(
            [self._at(sign, IN_ZONE, "timestamptz", universal), self._at(sign, IN_NO_ZONE, "timestamp", wall)]
        )

    def _at(self, sign: str, pattern: str, type_: str, moment: str) -> Expression:
        def write(to: Compiler, names: Environment) -> str:
            text = f"(to_jsonb({to.sql(self.value, names)}) #>> '{{}}')"
            matches = f"{text} ~ {text_literal(pattern)}"
            return f"(CASE WHEN {matches} THEN {text}::{type_} END {sign} {to.bind(moment, type_)})"

        return Expression("written", write)


def _equal(of: _Field, value: Any) -> Expression:
    if value is None:
        missing = of.value.is_null()
        return any_of([missing, Expression("is_json", of.value, None)]) if of.is_json else missing
    if not of.is_json and not of.is_text:
        raise FilterError(f"{of.name!r} is compared with None only")
    if isinstance(value, date):
        return of.at("=", _moment(value))
    if of.is_text and not isinstance(value, str):
        return literal(False)
    if isinstance(value, (list, dict)):
        return Expression("is_json", of.value, value)
    moment = _iso(value) if of.is_json else None
    return of.value.eq(value) if moment is None else any_of([of.value.eq(value), of.at("=", moment)])


def _one_of(of: _Field, values: Any) -> Expression:
    if not isinstance(values, list):
        raise FilterError(f"'in' and 'not in' take a list, not {type(values).__name__}")
    return any_of(_equal(of, one) for one in values)


def _order(sign: str, op: str) -> Callable[[_Field, Any], Expression]:
    def compare(of: _Field, value: Any) -> Expression:
        if value is None:
            return literal(False)
        if not of.is_json:
            raise FilterError(f"{sign!r} compares metadata, not {of.name!r}")
        if isinstance(value, date):
            return of.at(sign, _moment(value))
        if isinstance(value, str):
            moment = _iso(value)
            if moment is None:
                raise FilterError(f"{sign!r} compares numbers and ISO dates, not the text {value!r}")
            return of.at(sign, moment)
        if not isinstance(value, (bool, int, float)):
            raise FilterError(f"{sign!r} compares numbers and ISO dates, not a {type(value).__name__}")
        return Expression(op, of.value, literal(value))

    return compare


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def _iso(value: Any) -> datetime | None:
    """A text that is a date or a time as ISO 8601 writes them."""
    if not isinstance(value, str) or len(value) < 10 or value[4] != "-":
        return None
    try:
        return datetime.fromisoformat(value[:-1] + "+00:00" if value[-1] in "Zz" else value)
    except ValueError:
        return None


def _opposite(condition: Expression) -> Expression:
    return not_(condition.coalesce(False))


COMPARISONS: dict[str, Callable[[_Field, Any], Expression]] = {
    "==": _equal,
    "!=": lambda of, value: _opposite(_equal(of, value)),
    ">": _order(">", "gt"),
    ">=": _order(">=", "gte"),
    "<": _order("<", "lt"),
    "<=": _order("<=", "lte"),
    "in": _one_of,
    "not in": lambda of, values: _opposite(_one_of(of, values)),
}
"""Operators that compare a field with a value."""

LOGIC: dict[str, Callable[[list[Expression]], Expression]] = {
    "AND": all_of,
    "OR": any_of,
    "NOT": lambda conditions: _opposite(all_of(conditions)),
}
"""Operators that join conditions."""
