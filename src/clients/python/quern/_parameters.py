"""Values of Python as parameters of statements, with the type that the server is told."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timezone
from typing import Any

from .data import List, Matrix, SparseVector, numpy_element, rows_of
from .error import InvalidArgumentError

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Binary:
    """A parameter in binary form; its type is that of its cast."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


def milliseconds(value: date) -> int:
    """Whole milliseconds since 1970 UTC of a timezone-aware `datetime`, or of a `date` at midnight UTC.

    Raises:
        InvalidArgumentError: a naive `datetime`.
    """
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=timezone.utc)
    elif value.utcoffset() is None:
        raise InvalidArgumentError(
            f"{value!r} is timezone-naive: say which zone it is in, as datetime(…, tzinfo=timezone.utc) does"
        )
    since = value - EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def parameter(value: Any) -> tuple[Any, str]:
    """The value to send, and the SQL type that it is cast to; the type is empty where the column's is meant.

    Raises:
        InvalidArgumentError: a number beyond 64 bits, a naive `datetime`.
        TypeError: a value that no field can hold.
    """
    if isinstance(value, bool):
        return ("t" if value else "f"), "bool"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InvalidArgumentError(f"{value} is beyond 64 bits: integer overflow")
        return str(int(value)), "int8"
    if isinstance(value, float):
        return repr(float(value)), "float8"
    if isinstance(value, str):
        return check_text(value), "text"
    if isinstance(value, (bytes, bytearray)):
        return bytes(value), "bytea"
    if isinstance(value, date):
        return instant(milliseconds(value)), "timestamp"
    if isinstance(value, List) and value.kind.endswith("_vector"):
        return vector(value)
    if isinstance(value, (Matrix, SparseVector)):
        return vector(value)
    if isinstance(value, (list, tuple)):
        return _list(value)
    raise TypeError(f"an expression takes no {type(value).__name__}")


def check_text(text: str) -> str:
    """A text without the one character that SQL has not."""
    if "\0" in text:
        raise InvalidArgumentError("a text may not have a NUL character")
    return text


def instant(since: int) -> str:
    """Milliseconds since 1970 as a timestamp's text in UTC."""
    seconds, rest = divmod(since, 1000)
    try:
        at = datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, ValueError, OSError):
        raise InvalidArgumentError(f"{since} milliseconds since 1970 are beyond the year 9999") from None
    return f"{at:%Y-%m-%d %H:%M:%S}.{rest:03}".rjust(23, "0")


def _list(values: Iterable[Any]) -> tuple[Any, str]:
    values = [one.item() if type(one).__module__ == "numpy" else one for one in values]
    if all(isinstance(one, str) for one in values):
        return [check_text(one) for one in values], "text[]"
    if all(isinstance(one, int) and not isinstance(one, bool) for one in values):
        return "{" + ",".join(map(parameter_text, values)) + "}", "int8[]"
    if all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in values):
        return "{" + ",".join(repr(float(one)) for one in values) + "}", "float8[]"
    from ._documents import to_json  # which knows values of every kind

    return to_json(values), "jsonb"


def parameter_text(value: int) -> str:
    """A whole number of 64 bits as text."""
    return str(parameter(value)[0])


def vector(value: Any) -> tuple[Any, str]:
    """The vector to compare with: of lists of floats a float32 vector, in binary; of whole numbers as the column
    has it.

    Raises:
        TypeError: no numbers, or a numpy array of another type than float32, float16, uint8, int8.
        InvalidArgumentError: an empty one.
    """
    element = numpy_element(value)
    if element is not None:
        return matrix(value) if value.ndim == 2 else _dense(f"{element}_vector", value.tolist())
    if isinstance(value, (bytes, bytearray)):
        return _numbers(value), "binary_vector"
    if isinstance(value, List):
        return _dense(value.kind, value)
    if isinstance(value, Mapping):
        kind = value.kind if isinstance(value, SparseVector) else "f32_sparse_vector"
        for index in value:
            if not isinstance(index, int):
                raise TypeError(f"indices of a sparse vector are int, not {type(index).__name__}")
        pairs = sorted(value.items())  # from 1 in the text
        return "{" + ",".join(f"{index + 1}:{_number(one)}" for index, one in pairs) + "}", kind
    if isinstance(value, Matrix):
        return matrix(value)
    if isinstance(value, (str, type(None))) or not hasattr(value, "__iter__"):
        raise TypeError(f"expected a vector, not {type(value).__name__}")
    numbers = list(value)
    if not numbers:
        raise InvalidArgumentError("a vector to compare with has at least one number")
    if any(isinstance(one, (list, tuple)) for one in numbers):
        return matrix(numbers)
    if all(isinstance(one, int) for one in numbers):
        return _numbers(numbers), ""
    return _dense("f32_vector", numbers)


def _dense(kind: str, values: list[Any]) -> tuple[Any, str]:
    if not values:
        raise InvalidArgumentError("a vector to compare with has at least one number")
    if kind not in ("f32_vector", "f32_list", "f64_list"):
        return _numbers(values), kind if kind.endswith("_vector") else ""
    try:
        return Binary(struct.pack(f">HH{len(values)}f", len(values), 0, *values)), "vector"
    except OverflowError:
        raise InvalidArgumentError("a number of the vector is out of range for f32") from None
    except struct.error:
        raise TypeError("a vector has numbers only") from None


def matrix(value: Any) -> tuple[Any, str]:
    """The matrix to compare with, by rows; plain lists are taken as the column has it."""
    element = numpy_element(value) or (value.value_type if isinstance(value, Matrix) else None)
    rows = list(rows_of(value))
    if not rows or not all(hasattr(row, "__iter__") and not isinstance(row, (str, Mapping)) for row in rows):
        raise InvalidArgumentError("a matrix to compare with has at least one row, each a list of numbers")
    return "[" + ",".join(map(_numbers, rows)) + "]", "" if element is None else f"{element}_matrix"


def _numbers(values: Iterable[Any]) -> str:
    return "[" + ",".join(map(_number, values)) + "]"


def _number(value: Any) -> str:
    if type(value).__module__ == "numpy":
        value = value.item()
    if not isinstance(value, (int, float)):
        raise TypeError(f"a vector has numbers only, not {type(value).__name__}")
    return repr(float(value)) if isinstance(value, float) else str(int(value))
