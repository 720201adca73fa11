"""Expressions as data: a node is an operator and its arguments; `_compile.py` turns them into SQL."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from math import isfinite
from re import compile as pattern_of
from typing import Any, NoReturn, Union

from ._parameters import check_text, parameter
from .data import List, Matrix, SparseVector
from .error import InvalidArgumentError

Scalar = Union[None, bool, int, float, str, bytes, date, datetime]
Operand = Union["Expression", Scalar, list[Any], List]
"""Operand: another expression, or a value of Python."""

OPERANDS_MAX = 32
DATE_PARTS = (
    "year", "month", "week", "day", "day_of_year", "day_of_week", "hour", "minute", "second", "millisecond",
)  # fmt: skip
ELAPSED_UNITS = ("millisecond", "second", "minute", "hour", "day", "week", "month", "year")
_BACK_REFERENCE = pattern_of(r"(?<!\\)(?:\\\\)*\\(?:[1-9]|k[<{'])|\(\?P=")

ADVICE = "`and`, `or` and `not` do not work on expressions: use `&`, `|` and `~`, with parentheses around each side"


class Expression:
    """Something computed for each document. Built by `field`, `literal`, `fn`, operators and the methods here."""

    __slots__ = ("op", "args")
    __hash__ = object.__hash__

    def __init__(self, op: str, *args: Any) -> None:
        self.op = op
        self.args = args

    # Comparisons: of numbers, and of texts by code point.
    def eq(self, other: Operand) -> Expression:
        """Equal; with None `is_null()`."""
        return self.is_null() if other is None else Expression("eq", self, operand(other))

    def ne(self, other: Operand) -> Expression:
        """Not equal; with None `is_not_null()`."""
        return self.is_not_null() if other is None else Expression("ne", self, operand(other))

    def lt(self, other: Operand) -> Expression:
        """Less than."""
        return Expression("lt", self, operand(other))

    def lte(self, other: Operand) -> Expression:
        """Less than or equal."""
        return Expression("lte", self, operand(other))

    def gt(self, other: Operand) -> Expression:
        """Greater than."""
        return Expression("gt", self, operand(other))

    def gte(self, other: Operand) -> Expression:
        """Greater than or equal."""
        return Expression("gte", self, operand(other))

    # Arithmetic: whole numbers stay whole, in divisions too.
    def add(self, other: Operand) -> Expression:
        """Sum."""
        return Expression("add", self, operand(other))

    def sub(self, other: Operand) -> Expression:
        """Difference."""
        return Expression("sub", self, operand(other))

    def mul(self, other: Operand) -> Expression:
        """Product."""
        return Expression("mul", self, operand(other))

    def div(self, other: Operand) -> Expression:
        """Quotient; a divisor of zero is `InvalidArgumentError` when the query runs."""
        return Expression("div", self, operand(other))

    # Logic.
    def and_(self, other: Expression | bool) -> Expression:
        """Both."""
        return Expression("and", self, condition(other))

    def or_(self, other: Expression | bool) -> Expression:
        """Either."""
        return Expression("or", self, condition(other))

    def not_(self) -> Expression:
        """The opposite."""
        return Expression("not", self)

    def is_null(self) -> Expression:
        """The field is missing or null."""
        return Expression("is_null", self)

    def is_not_null(self) -> Expression:
        """There is a value."""
        return Expression("is_not_null", self)

    def choose(self, then: Operand, otherwise: Operand) -> Expression:
        """One value where this boolean holds, else the other."""
        return Expression("choose", self, operand(then), operand(otherwise))

    def coalesce(self, other: Operand) -> Expression:
        """The other value where this one is null."""
        return Expression("coalesce", self, operand(other))

    def boost(self, condition_: Expression | bool, factor: Operand) -> Expression:
        """Times the factor where the condition holds."""
        return Expression("boost", self, condition(condition_), operand(factor))

    # Texts and lists.
    def in_(self, values: Operand | Iterable[Any]) -> Expression:
        """The value is an element of a list (given, or a field), or a part of a text."""
        given = operand(_as_list(values))
        if given.op == "literal" and not isinstance(given.args[0], (str, list)):
            raise InvalidArgumentError(f"in_ takes a list, a text or a field, not {given.args[0]!r}")
        return Expression("in", self, given)

    def contains(self, part: Operand) -> Expression:
        """A text has the part, in the same case; a list has the element."""
        return Expression("contains", self, operand(part))

    def starts_with(self, prefix: Operand) -> Expression:
        """A text, or an element of a list of texts, begins so."""
        return Expression("starts_with", self, operand(prefix))

    def match_all(self, tokens: Operand) -> Expression:
        """The field has all of these words; needs a keyword index and never changes a score."""
        return Expression("match_all", self, _words(tokens))

    def match_any(self, tokens: Operand) -> Expression:
        """The field has one of these words; needs a keyword index and never changes a score."""
        return Expression("match_any", self, _words(tokens))

    def regexp_match(self, pattern: str, flags: str | None = None) -> Expression:
        """The pattern is found somewhere in the text. Flag `i` ignores case; back references are refused."""
        if not isinstance(pattern, str) or not isinstance(flags, (str, type(None))):
            raise TypeError("regexp_match takes a pattern and flags as str")
        if _BACK_REFERENCE.search(check_text(pattern)):
            raise InvalidArgumentError(f"regexp_match takes no back references: {pattern!r}")
        unknown = set(flags or "") - set("imsx")
        if unknown:
            raise InvalidArgumentError(f"unknown flag {min(unknown)!r} of regexp_match: i, m, s, x")
        return Expression("regexp_match", self, pattern, flags)

    # Numbers.
    def abs(self) -> Expression:
        """Without its sign."""
        return Expression("abs", self)

    def ln(self) -> Expression:
        """Natural logarithm."""
        return Expression("ln", self)

    def exp(self) -> Expression:
        """e to the power of it."""
        return Expression("exp", self)

    def sqrt(self) -> Expression:
        """Square root."""
        return Expression("sqrt", self)

    def square(self) -> Expression:
        """Times itself."""
        return Expression("square", self)

    def min(self, other: Operand) -> Expression:
        """The smaller one, of texts too."""
        return Expression("min", self, operand(other))

    def max(self, other: Operand) -> Expression:
        """The larger one, of texts too."""
        return Expression("max", self, operand(other))

    # Times.
    def date_part(self, unit: str) -> Expression:
        """A part of a timestamp in UTC, as a whole number.

        Args:
            unit: year month week day day_of_year day_of_week (Monday is 0) hour minute second millisecond.
        """
        return Expression("date_part", self, _unit(unit, DATE_PARTS))

    def elapsed(self, end: Operand, unit: str) -> Expression:
        """The time from this timestamp to `end` in `unit`s, with fractions."""
        return Expression("elapsed", self, operand(end), _unit(unit, ELAPSED_UNITS))

    __eq__ = eq  # type: ignore[assignment]
    __ne__ = ne  # type: ignore[assignment]
    __lt__ = lt
    __le__ = lte
    __gt__ = gt
    __ge__ = gte
    __add__ = add
    __sub__ = sub
    __mul__ = mul
    __truediv__ = div
    __and__ = and_
    __or__ = or_
    __invert__ = not_
    __abs__ = abs

    def __radd__(self, other: Operand) -> Expression:
        return operand(other).add(self)

    def __rsub__(self, other: Operand) -> Expression:
        return operand(other).sub(self)

    def __rmul__(self, other: Operand) -> Expression:
        return operand(other).mul(self)

    def __rtruediv__(self, other: Operand) -> Expression:
        return operand(other).div(self)

    def __rand__(self, other: bool) -> Expression:
        return condition(other).and_(self)

    def __ror__(self, other: bool) -> Expression:
        return condition(other).or_(self)

    def __neg__(self) -> Expression:
        return literal(0).sub(self)

    def __bool__(self) -> NoReturn:
        raise TypeError(ADVICE)

    def __contains__(self, part: object) -> NoReturn:
        raise TypeError("`in` does not work on expressions: use field(…).contains(…) or field(…).in_(…)")

    __iter__ = None

    def __repr__(self) -> str:
        if self.op == "literal":
            return repr(self.args[0])
        sign = SIGNS.get(self.op)
        if sign is not None:
            return f"({self.args[0]!r} {sign} {self.args[1]!r})"
        if self.op == "not":
            return f"~{self.args[0]!r}"
        if self.args and isinstance(self.args[0], Expression) and self.op not in ("all", "any"):
            return f"{self.args[0]!r}.{self.op}({', '.join(map(repr, self.args[1:]))})"
        return f"{self.op}({', '.join(repr(one) for one in self.args if one is not None)})"


SIGNS = {
    "eq": "==", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=",
    "add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|",
}  # fmt: skip


def literal(value: Any) -> Expression:
    """A value as an expression.

    Raises:
        TypeError: a value that no field can hold.
        InvalidArgumentError: a number beyond 64 bits, a naive `datetime`.
    """
    if isinstance(value, Expression):
        return value
    if isinstance(value, (tuple, set, frozenset)):
        value = list(value)
    if type(value).__module__ == "numpy":
        value = value.tolist()
    if not isinstance(value, (type(None), bool, int, float, str, bytes, date, list, SparseVector, Matrix)):
        raise TypeError(f"an expression takes no {type(value).__name__}")
    if value is not None:
        parameter(value)  # which says at once what cannot be sent
    return Expression("literal", value)


operand = literal


def condition(value: Any) -> Expression:
    """An expression that may be true; Python's True and False too.

    Raises:
        TypeError: anything else.
    """
    if isinstance(value, (Expression, bool)):
        return literal(value)
    raise TypeError(f"expected a condition such as field('year') > 1990, not {type(value).__name__}")


def _as_list(values: Any) -> Any:
    is_given = isinstance(values, (Expression, str, bytes, list)) or not hasattr(values, "__iter__")
    return values if is_given else list(values)


def _words(tokens: Any) -> Expression:
    words = operand(_as_list(tokens))
    given = words.args[0] if words.op == "literal" else None
    if not isinstance(given, (str, list)):
        raise InvalidArgumentError(f"match_any and match_all take a text or a list of texts, not {words!r}")
    for one in given if isinstance(given, list) else ():
        text(one)
    return words


def text(value: Any) -> str:
    """A text that can be sent.

    Raises:
        TypeError: no text.
        InvalidArgumentError: one with a NUL character.
    """
    if not isinstance(value, str):
        raise TypeError(f"expected a text, not {type(value).__name__}")
    return check_text(value)


def weight(value: Any) -> float:
    """How much words count.

    Raises:
        InvalidArgumentError: no number of at least 0.
    """
    number = float(value)
    if isinstance(value, bool) or not number >= 0 or not isfinite(number):
        raise InvalidArgumentError(f"a weight is a number of at least 0, not {value!r}")
    return number


def _unit(unit: Any, known: tuple[str, ...]) -> str:
    if not isinstance(unit, str):
        raise TypeError(f"a unit is a str, not {type(unit).__name__}")
    if unit not in known:
        raise InvalidArgumentError(f"unknown unit {unit!r}: {', '.join(known)}")
    return unit
