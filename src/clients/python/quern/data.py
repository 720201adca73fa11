"""Values with an exact type: vectors, lists, sparse vectors, matrices, structs.

Plain Python values do for most fields: a list of floats becomes a float32 vector or a list, as the field wants.
The constructors here say exactly what a value is, and refuse what does not fit at once: an element of the wrong
type is `TypeError`, one out of range is `OverflowError` and `ValueError`.

What they give are subclasses of `list` and `dict`, so that values compare with plain ones; documents that are
read hold the same classes.
"""

from __future__ import annotations

import builtins
import struct as _struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index as _index
from typing import TYPE_CHECKING, Any

from ._f8 import f8_round

if TYPE_CHECKING:
    import numpy

__all__ = [
    "List", "Matrix", "SparseVector", "Struct",
    "f8_vector", "f16_vector", "f32_vector", "u8_vector", "i8_vector", "binary_vector",
    "f32_sparse_vector", "u8_sparse_vector", "bytes", "u32_list", "i32_list", "i64_list", "f32_list", "f64_list",
    "string_list", "struct", "matrix",
]  # fmt: skip

SPARSE_INDEX_MAX = 2**32 - 1
MATRIX_TYPES = ("f32", "f16", "f8", "u8", "i8")


class RangeError(OverflowError, ValueError):
    """A number that its type cannot hold: Python says OverflowError of some, ValueError of others."""


class List(builtins.list):  # type: ignore[type-arg]
    """A vector or list with one type of elements; compares as the list that it is.

    Attributes:
        kind: what it is, as its constructor is called: `f32_vector`, `u8_vector`, `i64_list`, `string_list`, ….
    """

    __slots__ = ("kind",)
    __hash__ = None

    def __init__(self, kind: str, values: Iterable[Any]) -> None:
        super().__init__(values)
        self.kind = kind

    def __repr__(self) -> str:
        return f"{self.kind}({_short(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (List, (self.kind, builtins.list(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        import numpy

        return numpy.array(builtins.list(self), dtype=dtype or NUMPY_TYPES.get(self.kind))


class SparseVector(dict[int, float]):
    """Index to value, by ascending index. `kind` is `f32_sparse_vector` or `u8_sparse_vector`."""

    __slots__ = ("kind",)

    def __init__(self, kind: str, values: Iterable[tuple[int, float]]) -> None:
        super().__init__(values)
        self.kind = kind

    def __repr__(self) -> str:
        return f"{self.kind}({dict.__repr__(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (SparseVector, (self.kind, tuple(self.items())))


class Matrix(builtins.list[builtins.list[float]]):
    """Rows of equally many numbers of `value_type` (f32, f16, f8, u8, i8); compares as a list of lists."""

    __slots__ = ("value_type",)

    def __init__(self, value_type: str, rows: Iterable[Iterable[float]]) -> None:
        super().__init__(builtins.list(row) for row in rows)
        self.value_type = value_type

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self[0]) if self else 0

    def __repr__(self) -> str:
        return f"matrix({_short(self)}, {self.value_type!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Matrix, (self.value_type, builtins.list(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        import numpy

        return numpy.array([*self], dtype=dtype or NUMPY_TYPES.get(f"{self.value_type}_vector"))


class Struct(dict[str, Any]):
    """Fields within a field."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"struct({dict.__repr__(self)})"


NUMPY_TYPES = {
    "f32_vector": "float32", "f16_vector": "float16", "f8_vector": "float32", "u8_vector": "uint8",
    "i8_vector": "int8", "binary_vector": "uint8", "u32_list": "uint32", "i32_list": "int32",
    "i64_list": "int64", "f32_list": "float32", "f64_list": "float64",
}  # fmt: skip


def _short(values: Sequence[Any]) -> str:
    if len(values) <= 8:
        return builtins.list.__repr__(values)
    return f"[{', '.join(map(repr, values[:6]))}, … {len(values)} in all]"


def _packed(code: str, what: str) -> Callable[[Any], float]:
    """Rounds to a binary float as it will be stored."""
    one = _struct.Struct(f"<{code}")

    def convert(value: Any) -> float:
        if isinstance(value, (str, builtins.bytes)) or not hasattr(value, "__float__"):
            raise TypeError(f"{what} takes numbers, not {type(value).__name__}")
        try:
            return float(one.unpack(one.pack(float(value)))[0])
        except (OverflowError, _struct.error):
            raise RangeError(f"{value!r} is out of range for {what}") from None

    return convert


def _whole(low: int, high: int, what: str) -> Callable[[Any], int]:
    def convert(value: Any) -> int:
        try:
            number = _index(value)
        except TypeError:
            raise TypeError(f"{what} takes integers, not {type(value).__name__}") from None
        if not low <= number <= high:
            raise RangeError(f"{number} is out of range for {what}: {low} to {high}")
        return number

    return convert


def _f8(value: Any) -> float:
    number = _f32(value)
    if abs(number) > 448:
        raise RangeError(f"{value!r} is out of range for f8: -448 to 448")
    return f8_round(number)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a list of texts takes str, not {type(value).__name__}")
    return value


_f32 = _packed("f", "f32")
_ELEMENTS: dict[str, Callable[[Any], Any]] = {
    "f64": _packed("d", "f64"),
    "f32": _f32,
    "f16": _packed("e", "f16"),
    "f8": _f8,
    "u8": _whole(0, 255, "u8"),
    "i8": _whole(-128, 127, "i8"),
    "u32": _whole(0, 2**32 - 1, "u32"),
    "i32": _whole(-(2**31), 2**31 - 1, "i32"),
    "i64": _whole(-(2**63), 2**63 - 1, "i64"),
    "string": _text,
}


_FLOAT_CODES = {"f64": "d", "f32": "f", "f16": "e"}


def _elements(element: str, values: Any) -> builtins.list[Any]:
    if isinstance(values, (str, Mapping)) or not hasattr(values, "__iter__"):
        raise TypeError(f"expected a list of {element} values, not {type(values).__name__}")
    if element in _FLOAT_CODES:
        values = builtins.list(values)
        together = f"<{len(values)}{_FLOAT_CODES[element]}"
        try:
            return [*_struct.unpack(together, _struct.pack(together, *values))]
        except (OverflowError, _struct.error, TypeError):
            pass  # one by one, to say which
    return [*map(_ELEMENTS[element], values)]


def f32_vector(values: Iterable[float]) -> List:
    """A dense vector of float32."""
    return List("f32_vector", _elements("f32", values))


def f16_vector(values: Iterable[float]) -> List:
    """A dense vector of float16, magnitudes up to 65,504."""
    return List("f16_vector", _elements("f16", values))


def f8_vector(values: Iterable[float]) -> List:
    """A dense vector of float8 (E4M3), magnitudes up to 448."""
    return List("f8_vector", _elements("f8", values))


def u8_vector(values: Iterable[int]) -> List:
    """A dense vector of integers from 0 to 255."""
    return List("u8_vector", _elements("u8", values))


def i8_vector(values: Iterable[int]) -> List:
    """A dense vector of integers from -128 to 127."""
    return List("i8_vector", _elements("i8", values))


def binary_vector(values: Iterable[int]) -> List:
    """A vector of bits, packed: bytes, or integers from 0 to 255, eight bits each."""
    return List("binary_vector", _elements("u8", values))


def _sparse(element: str, values: Any) -> SparseVector:
    if not isinstance(values, Mapping):
        raise TypeError(f"expected a dict of index to value, not {type(values).__name__}")
    index, number = _whole(0, SPARSE_INDEX_MAX, "an index"), _ELEMENTS[element]
    pairs = sorted((index(at), number(value)) for at, value in values.items())
    return SparseVector(f"{element}_sparse_vector", pairs)


def f32_sparse_vector(values: Mapping[int, float]) -> SparseVector:
    """A sparse vector of float32: index (0 to 2³² - 1) to value."""
    return _sparse("f32", values)


def u8_sparse_vector(values: Mapping[int, int]) -> SparseVector:
    """A sparse vector of integers from 0 to 255: index (0 to 2³² - 1) to value."""
    return _sparse("u8", values)


def bytes(values: Iterable[int]) -> builtins.bytes:  # noqa: A001 - the contract's name
    """Bytes, from a list of integers from 0 to 255 or from what is bytes already."""
    if isinstance(values, (builtins.bytes, bytearray, memoryview)):
        return builtins.bytes(values)
    return builtins.bytes(_elements("u8", values))


def u32_list(values: Iterable[int]) -> List:
    """A list of integers from 0 to 2³² - 1."""
    return List("u32_list", _elements("u32", values))


def i32_list(values: Iterable[int]) -> List:
    """A list of 32-bit integers."""
    return List("i32_list", _elements("i32", values))


def i64_list(values: Iterable[int]) -> List:
    """A list of 64-bit integers."""
    return List("i64_list", _elements("i64", values))


def f32_list(values: Iterable[float]) -> List:
    """A list of float32."""
    return List("f32_list", _elements("f32", values))


def f64_list(values: Iterable[float]) -> List:
    """A list of float64."""
    return List("f64_list", _elements("f64", values))


def string_list(values: Iterable[str]) -> List:
    """A list of texts."""
    return List("string_list", _elements("string", values))


def struct(fields: Mapping[str, Any]) -> Struct:
    """Fields within a field; names are texts."""
    if not isinstance(fields, Mapping):
        raise TypeError(f"expected a dict, not {type(fields).__name__}")
    for name in fields:
        if not isinstance(name, str):
            raise TypeError(f"names of a struct's fields are str, not {type(name).__name__}")
    return Struct(fields)


def matrix(values: Any, value_type: str | None = None) -> Matrix:
    """A matrix, one vector a row; of a numpy array the type is that of its numbers, else f32 by default.

    A numpy array of one dimension is one row.

    Raises:
        ValueError: rows of different lengths, or an unknown `value_type`.
    """
    if value_type is None:
        value_type = numpy_element(values) or "f32"
    if value_type not in MATRIX_TYPES:
        raise ValueError(f"unknown value_type {value_type!r}: {', '.join(MATRIX_TYPES)}")
    if isinstance(values, (str, builtins.bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise TypeError(f"expected a list of rows, not {type(values).__name__}")
    rows = [_elements(value_type, row) for row in rows_of(values)]
    for at, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(f"row {at} has {len(row)} numbers, row 0 has {len(rows[0])}")
    return Matrix(value_type, rows)


def rows_of(values: Any) -> Any:
    """Rows of a matrix; a numpy array of one dimension is one row."""
    if type(values).__module__ != "numpy":
        return values
    return [values.tolist()] if values.ndim == 1 else values.tolist()


def numpy_element(array: Any) -> str | None:
    """f32, f16, u8 or i8 by the array's dtype; None for what is no numpy array.

    Raises:
        TypeError: another dtype; float64 is refused, as rounding it is the caller's decision.
    """
    if type(array).__module__ != "numpy" or not hasattr(array, "dtype"):
        return None
    element = {"float32": "f32", "float16": "f16", "uint8": "u8", "int8": "i8"}.get(str(array.dtype))
    if element is None:
        raise TypeError(
            f"numpy arrays of {array.dtype} are not taken; float32, float16, uint8, int8 are: array.astype('float32')"
        )
    return element
