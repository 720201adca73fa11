"""Lists of numbers for declared vectors and matrices as bytes: a fraction of their text, and quicker."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from itertools import chain
from struct import error as StructError
from struct import pack
from typing import Any

from .data import List, numpy_element
from .schema import FieldSpec

Kinds = Mapping[str, str]
"""Field to its kind of vector or matrix (`f32_vector`, `f16_matrix`), of those that become bytes."""

WORTHWHILE = 16
LOOKED_AT = 8
CODES = {"f32": "f", "f16": "e", "u8": "B", "i8": "b", "binary": "B"}
NUMPY_CODES = {"f32": ">f4", "f16": ">f2", "u8": "u1", "i8": "i1"}
FAULTS = (StructError, OverflowError, ValueError, TypeError)
"""Raised by packing where a value does not fit: then it is told as it is, and the server says what is wrong."""


def kinds_of(schema: Mapping[str, FieldSpec]) -> dict[str, str]:
    """The kinds of a schema's fields; float8 has no bytes in Python."""
    kinds = {}
    for name, spec in schema.items():
        kind = f"{spec.value_type}_matrix" if spec.type == "matrix" else spec.type
        if kind.endswith(("_vector", "_matrix")) and kind[:-7] in CODES:
            kinds[name] = kind
    return kinds


def packed_json(kind: str, values: list[Any]) -> Any:
    """A plain list as a tagged value; itself where it does not fit."""
    element = kind[:-7]
    try:
        if kind.endswith("_vector"):
            return {f"${kind}": b64encode(pack(f"<{len(values)}{CODES[element]}", *values)).decode()}
        columns = len(values[0])
        if any(len(row) != columns for row in values):
            return values
        numbers = [*chain.from_iterable(values)]
        data = b64encode(pack(f"<{len(numbers)}{CODES[element]}", *numbers)).decode()
        return {f"${kind}": {"dimension": columns, "data": data}}
    except FAULTS:
        return values


def dense_binary(element: str, values: Any) -> bytes:
    """A vector in the protocol's binary form, from a list or a numpy array.

    Raises:
        FAULTS: it does not fit.
    """
    count = len(values)
    if isinstance(values, list):
        return pack(f">HH{count}{CODES[element]}", count, 0, *values)
    return pack(">HH", count, 0) + bytes(values.astype(NUMPY_CODES[element], copy=False).tobytes())


def dense_kind(value: Any, declared: str | None) -> str | None:
    """The kind of vector that a value is; of a plain list that of its field.

    Raises:
        TypeError: a numpy array of another type than float32, float16, uint8, int8.
    """
    if type(value) is list:
        return declared
    if isinstance(value, List):
        return value.kind
    element = numpy_element(value)
    return f"{element}_vector" if element is not None and value.ndim == 1 else None


def are_worth_packing(documents: Iterable[Any]) -> bool:
    """True when the first documents have lists that are long, or of lists."""
    for document, _ in zip(documents, range(LOOKED_AT)):
        if not isinstance(document, Mapping):
            return False
        for value in document.values():
            if type(value) is list and value and (len(value) >= WORTHWHILE or type(value[0]) in (list, tuple)):
                return True
    return False
