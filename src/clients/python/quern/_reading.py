"""The server's values as values of Python: one loader a type, all from binary form."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from datetime import datetime
from struct import Struct, unpack, unpack_from
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Dumper, Loader
from psycopg.pq import Format

from ._f8 import DECODED
from ._parameters import EPOCH, Binary
from .data import List, Matrix, SparseVector
from .error import InvalidArgumentError

_FLOAT_CODES = {"f32": "f", "f16": "e"}
_SINCE_2000_MS = 946_684_800_000
_NUMERIC_HEADER = Struct(">hhHh")


def _numbers(element: str, data: Buffer, count: int, little: bool = False) -> list[Any]:
    """So many elements of a vector, from bytes."""
    code = _FLOAT_CODES.get(element)
    if code is not None:
        return list(unpack(f"{'<' if little else '>'}{count}{code}", data))
    if element == "f8":
        return [DECODED[byte] for byte in bytes(data)]
    return list(unpack(f"{count}b", data)) if element == "i8" else list(bytes(data))


def _dense(element: str) -> Callable[[Buffer], List]:
    kind = f"{element}_vector"

    def load(data: Buffer) -> List:
        return List(kind, _numbers(element, data[4:], unpack_from(">H", data)[0]))

    return load


def _binary_vector(data: Buffer) -> List:
    return List("binary_vector", bytes(data))


def _sparse(element: str) -> Callable[[Buffer], SparseVector]:
    def load(data: Buffer) -> SparseVector:
        count = unpack_from(">i", data, 4)[0]
        indices = unpack_from(f">{count}I", data, 12)
        return SparseVector(f"{element}_sparse_vector", zip(indices, _numbers(element, data[12 + 4 * count :], count)))

    return load


def _matrix(element: str) -> Callable[[Buffer], Matrix]:
    def load(data: Buffer) -> Matrix:
        rows, columns = unpack_from(">ii", data)
        return _rows(element, _numbers(element, data[8:], rows * columns), columns)

    return load


def _rows(element: str, numbers: list[Any], columns: int) -> Matrix:
    return Matrix(element, (numbers[at : at + columns] for at in range(0, len(numbers), columns)))


def _numeric(data: Buffer) -> int | float:
    """Whole numbers without a scale as int, all others as float."""
    count, weight, sign, scale = _NUMERIC_HEADER.unpack_from(data)
    if sign not in (0, 0x4000):
        return {0xD000: float("inf"), 0xF000: float("-inf")}.get(sign, float("nan"))
    digits = unpack_from(f">{count}h", data, 8)
    whole = 0
    for digit in digits:
        whole = whole * 10_000 + digit
    power = weight + 1 - count
    try:
        number = float(whole * 10_000**power if power >= 0 else whole / 10_000**-power)
    except OverflowError:
        raise InvalidArgumentError("Number overflow: a number is out of range for a float", sqlstate="22003") from None
    if scale == 0 and power >= 0:
        return int(whole * 10_000**power) * (-1 if sign else 1)
    return -number if sign else number


def _timestamp(data: Buffer) -> int:
    """Whole milliseconds since 1970 UTC, cut below; from microseconds since 2000."""
    return int(unpack(">q", data)[0]) // 1000 + _SINCE_2000_MS


def _date(data: Buffer) -> int:
    return int(unpack(">i", data)[0]) * 86_400_000 + _SINCE_2000_MS


def _jsonb(data: Buffer) -> Any:
    # The first byte is the format's version.
    return decode(json.loads(bytes(data[1:])))


def _json(data: Buffer) -> Any:
    return decode(json.loads(bytes(data)))


def decode(value: Any) -> Any:
    """A value from JSON, its tags as what they mean, at any depth."""
    if type(value) is dict:
        if len(value) == 1:
            [(name, one)] = value.items()
            if name[:1] == "$":
                return _tagged(name, one)
        return {name: decode(one) for name, one in value.items()}
    if type(value) is list:
        kinds = {*map(type, value)}
        if kinds == {int, float}:
            return [*map(float, value)]
        return value if kinds <= {int, float, str, bool} else [*map(decode, value)]
    return value


def _tagged(name: str, value: Any) -> Any:
    word = name.lstrip("$")
    reader = _TAGS.get(word)
    if reader is None:
        return {name: decode(value)}
    return reader(value) if name == f"${word}" else {name[1:]: decode(value)}


def _tag_dense(element: str) -> Callable[[Any], List]:
    def read(value: Any) -> List:
        if isinstance(value, str):
            data = b64decode(value)
            value = _numbers(element, data, len(data) // {"f32": 4, "f16": 2}.get(element, 1), little=True)
        return List(f"{element}_vector", _converted(element, value))

    return read


def _converted(element: str, values: Any) -> Any:
    return values if element in ("u8", "i8", "binary") else map(float, values)


def _tag_sparse(element: str) -> Callable[[Any], SparseVector]:
    def read(value: Any) -> SparseVector:
        return SparseVector(f"{element}_sparse_vector", zip(value["indices"], _converted(element, value["values"])))

    return read


def _tag_matrix(element: str) -> Callable[[Any], Matrix]:
    def read(value: Any) -> Matrix:
        if isinstance(value, list):
            return Matrix(element, (_converted(element, row) for row in value))
        data = b64decode(value["data"])
        count = len(data) // {"f32": 4, "f16": 2}.get(element, 1)
        return _rows(element, _numbers(element, data, count, little=True), value["dimension"])

    return read


def _tag_timestamp(value: Any) -> Any:
    if not isinstance(value, str):
        return int(value // 1)
    whole, _, fraction = value.rstrip("Z").partition(".")
    try:
        # Python 3.10 reads fractions of three or six digits only.
        since = datetime.fromisoformat(f"{whole}.{fraction:0<6.6}+00:00") - EPOCH
    except ValueError:
        return value  # infinity, and years that Python has not
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


_TAGS: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": float,
    "bytes": b64decode,
    "timestamp": _tag_timestamp,
    "text_list": list,
    "int_list": lambda value: [*map(int, value)],
    "float_list": lambda value: [*map(float, value)],
    **{f"{one}_vector": _tag_dense(one) for one in ("f32", "f16", "f8", "u8", "i8", "binary")},
    **{f"{one}_sparse_vector": _tag_sparse(one) for one in ("f32", "u8")},
    **{f"{one}_matrix": _tag_matrix(one) for one in ("f32", "f16", "f8", "u8", "i8")},
}

_LOADERS: dict[int, Callable[[Buffer], Any]] = {
    16000: _dense("f32"), 16002: _dense("f16"), 16006: _dense("f8"), 16008: _dense("u8"), 16010: _dense("i8"),
    16012: _binary_vector, 16004: _sparse("f32"), 16014: _sparse("f32"), 16016: _sparse("u8"),
    16018: _matrix("f32"), 16020: _matrix("f16"), 16022: _matrix("f8"), 16024: _matrix("u8"), 16026: _matrix("i8"),
    1082: _date, 1114: _timestamp, 1184: _timestamp, 1700: _numeric, 114: _json, 3802: _jsonb,
}  # fmt: skip
"""OID to loader; other types are psycopg's."""


class _BinaryDumper(Dumper):
    format = Format.BINARY
    oid = 0

    def dump(self, obj: Binary) -> bytes:
        return obj.data


def _loader(load: Callable[[Buffer], Any]) -> type[Loader]:
    return type("QuernLoader", (Loader,), {"format": Format.BINARY, "load": lambda self, data: load(data)})


def make_adapters() -> AdaptersMap:
    """Adapters by which every connection of the client reads and writes values."""
    adapters = AdaptersMap(psycopg.adapters)
    adapters.register_dumper(Binary, _BinaryDumper)
    for oid, load in _LOADERS.items():
        adapters.register_loader(oid, _loader(load))
    return adapters


class Adapted:
    """Context that psycopg asks of a new connection."""

    def __init__(self) -> None:
        self.adapters = make_adapters()
        self.connection = None
