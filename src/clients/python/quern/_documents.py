"""Documents as the server takes them: JSON, with tags for what JSON has not (docs/documents.md of the server)."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import date
from math import isfinite
from struct import pack
from typing import Any, NoReturn

from ._packing import Kinds, packed_json
from ._parameters import milliseconds, parameter
from .data import List, Matrix, SparseVector, numpy_element
from .error import DocumentValidationError, InvalidArgumentError

DEPTH_MAX = 63
_TAG = re.compile(
    r"\$+(int|float|bytes|timestamp|text_list|int_list|float_list"
    r"|(f32|f16|f8|u8|i8|binary)_vector|(f32|u8)_sparse_vector|(f32|f16|f8|u8|i8)_matrix)\Z"
)
_LISTS = {"string_list": "$text_list", "f32_list": "$float_list", "f64_list": "$float_list"}
_CODES = {"f32": "f", "f16": "e", "u8": "B", "i8": "b", "binary": "B"}


class DocumentTypeError(DocumentValidationError, TypeError):
    """A value of a type that no field can hold."""


def as_list(documents: Any) -> list[Any]:
    """A batch as a list; one document alone too."""
    if isinstance(documents, (str, bytes)) or not hasattr(documents, "__iter__"):
        raise TypeError(f"expected a list of documents, not {type(documents).__name__}")
    return [documents] if isinstance(documents, Mapping) else list(documents)


def encode_documents(documents: Sequence[Any], kinds: Kinds) -> str:
    """A batch as one JSON text.

    Args:
        kinds: of fields whose lists become bytes.

    Raises:
        DocumentValidationError: values of types that no field can hold; all of the batch together.
        InvalidArgumentError: a naive `datetime`.
    """
    faults: list[dict[str, Any]] = []
    encoded = [_document(one, offset, faults, kinds) for offset, one in enumerate(documents)]
    if faults:
        raise DocumentTypeError("; ".join(map(fault_text, faults[:5])), errors=faults)
    return to_json_text(encoded)


def fault_text(fault: Mapping[str, Any]) -> str:
    """One fault as a sentence."""
    if fault.get("kind") == "more_faults":
        return f"{fault.get('count')} more faults"
    about = f"document {fault['document_offset']}" if "document_offset" in fault else "the batch"
    if fault.get("field"):
        about += f", field {fault['field']!r}"
    text = f"{about}: {str(fault.get('kind', 'fault')).replace('_', ' ')}"
    if fault.get("expected") is not None:
        text += f", expected {fault['expected']}"
    if fault.get("got") is not None:
        text += f", got {fault['got']}"
    if fault.get("max_bytes") is not None:
        text += f", {fault.get('bytes')} bytes, at most {fault['max_bytes']}"
    return text if fault.get("message") is None else f"{text}: {fault['message']}"


def _document(document: Any, offset: int, faults: list[dict[str, Any]], kinds: Kinds) -> Any:
    if not isinstance(document, Mapping):
        faults.append({"kind": "not_a_document", "document_offset": offset, "got": type(document).__name__})
        return None
    fields: dict[str, Any] = {}
    for name, value in document.items():
        if type(value) in _AS_THEY_ARE and type(name) is str:
            fields[name] = value
            continue
        if type(value) is list and value and name in kinds:
            packed = packed_json(kinds[name], value)
            if packed is not value:
                fields[name] = packed
                continue
        if not isinstance(name, str):
            faults.append({"kind": "wrong_type", "document_offset": offset, "field": str(name), "expected": "text"})
            continue
        try:
            fields[name] = encode(value)
        except InvalidArgumentError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            fault = {"kind": "wrong_type", "document_offset": offset, "field": name, "message": str(error)}
            faults.append({**fault, "got": type(value).__name__})
    return fields


_AS_THEY_ARE = (str, bool, int, type(None))


def encode(value: Any, depth: int = 0) -> Any:
    """A value as JSON's, tagged where JSON has no such value.

    Raises:
        TypeError: a value that no field can hold.
    """
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": b64encode(value).decode()}
    if isinstance(value, date):
        return {"$timestamp": milliseconds(value)}
    if isinstance(value, List):
        return _typed_list(value)
    if isinstance(value, Matrix):
        return {f"${value.value_type}_matrix": _finite_rows(value)}
    if isinstance(value, Mapping):
        return _mapping(value, depth)
    if type(value).__module__ == "numpy":
        return _numpy(value, depth)
    if isinstance(value, (list, tuple)):
        return _list(value, depth)
    raise TypeError(f"no field can hold a value of type {type(value).__name__}")


def _float(value: float) -> Any:
    # JSON's 1e+16 has no point any more once the server has read it: it would be a whole number.
    value = float(value)
    return value if abs(value) < 1e16 else {"$float": value if isfinite(value) else _special(value)}


def _special(value: float) -> str:
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def _typed_list(value: List) -> Any:
    if value.kind.endswith("_vector"):
        return _dense(value.kind, value)
    tag = _LISTS.get(value.kind, "$int_list")
    if tag != "$float_list":
        return {tag: list(value)}
    return {tag: [one if isfinite(one) else _special(one) for one in value]}


def _dense(kind: str, values: Sequence[Any]) -> dict[str, Any]:
    code = _CODES.get(kind.removesuffix("_vector"))
    if code is None or not values:
        return {f"${kind}": list(values) if all(map(isfinite, values)) else _not_finite()}
    return {f"${kind}": b64encode(pack(f"<{len(values)}{code}", *values)).decode()}


def _not_finite() -> NoReturn:
    raise ValueError("a vector has finite numbers only")


def _mapping(value: Mapping[Any, Any], depth: int) -> Any:
    if isinstance(value, SparseVector):
        return _sparse(value.kind, value)
    if value and all(isinstance(name, int) for name in value):
        return _sparse("f32_sparse_vector", value)
    if depth >= DEPTH_MAX:
        raise ValueError(f"structs and lists are nested more than {DEPTH_MAX} deep")
    fields = {}
    for name, one in value.items():
        if not isinstance(name, str):
            raise TypeError(f"names of a struct's fields are str, not {type(name).__name__}")
        fields[name] = encode(one, depth + 1)
    if len(fields) == 1 and _TAG.match(name):
        return {f"${name}": fields[name]}
    return fields


def _sparse(kind: str, value: Mapping[int, float]) -> dict[str, Any]:
    pairs = sorted(value.items())
    for _, one in pairs:
        if not isinstance(one, (int, float)):
            raise TypeError(f"a sparse vector has numbers, not {type(one).__name__}")
        if not isfinite(one):
            raise ValueError("a sparse vector has finite numbers only")
    return {f"${kind}": {"indices": [int(at) for at, _ in pairs], "values": [one for _, one in pairs]}}


def _numpy(value: Any, depth: int) -> Any:
    if not hasattr(value, "ndim") or value.ndim == 0:
        return encode(value.item(), depth)
    element = numpy_element(value)
    if value.ndim > 2:
        raise TypeError(f"numpy arrays have one or two dimensions here, not {value.ndim}")
    plain = value.astype(value.dtype.newbyteorder("<"), copy=False)
    if value.ndim == 1:
        return {f"${element}_vector": b64encode(plain.tobytes()).decode()}
    data = b64encode(plain.tobytes()).decode()
    return {f"${element}_matrix": {"dimension": int(value.shape[1]), "data": data}}


def _list(values: Sequence[Any], depth: int) -> Any:
    if depth >= DEPTH_MAX:
        raise ValueError(f"structs and lists are nested more than {DEPTH_MAX} deep")
    kinds = {*map(type, values)}
    if kinds <= {str} or kinds <= {int}:
        return list(values)
    if kinds <= {float, int}:
        return _float_list(values)
    if kinds <= {list, tuple} and all({*map(type, row)} <= {int, float} and row for row in values):
        return {"$f32_matrix": _finite_rows(values)}
    return [encode(one, depth + 1) for one in values]


def _finite_rows(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    if not all(isfinite(one) for row in rows for one in row):
        raise ValueError("a matrix has finite numbers only")
    return [*map(list, rows)]


def _float_list(values: Sequence[float]) -> Any:
    if all(abs(one) < 1e16 for one in values):
        return list(values)
    return {"$float_list": [float(one) if isfinite(one) else _special(one) for one in values]}


def to_json_text(value: Any) -> str:
    """JSON's text of what `encode` gave."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def to_json(value: Any) -> str:
    """A value as the server's JSON text."""
    return to_json_text(encode(value))


def sql_parameter(value: Any) -> Any:
    """A parameter of a statement by hand: what it is sent as, its type left to the statement."""
    return to_json(value) if isinstance(value, dict) and not isinstance(value, SparseVector) else parameter(value)[0]
