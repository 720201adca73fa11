"""The table function `hybrid()` as SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ._compile import Compiler
from ._expression import Expression
from ._names import text_literal
from ._parameters import vector as vector_parameter
from .error import InvalidArgumentError

_OPTION = re.compile(r"[a-z_]+\Z")
_CONSTANTS = ("method", "fields", "syntax", "explain")
"""Options that the server takes as constants only."""


def hybrid_statement(
    name: str,
    text: str | None,
    k: int,
    *,
    columns: Iterable[str] | None,
    given: Expression | None,
    vector: Any,
    vector_column: str | None,
    **options: Any,
) -> tuple[str, list[Any]]:
    """The statement and its parameters.

    Raises:
        InvalidArgumentError: neither text nor vector, a name that is no option's.
    """
    if text is None and vector is None:
        raise InvalidArgumentError("hybrid takes a text, a vector, or both")
    if k < 1:
        raise InvalidArgumentError(f"k must be at least 1, not {k}")
    to = Compiler()
    arguments = [text_literal(name)]
    if text is not None:
        arguments.append(to.value(text))
    if columns is not None:
        arguments.append(f"columns => ARRAY[{', '.join(map(text_literal, columns))}]")
    arguments.append(f"k => {int(k)}")
    if vector is not None:
        arguments.append(f"vector => {to.bind(*vector_parameter(vector))}")
    if vector_column is not None:
        arguments.append(f"vector_column => {text_literal(vector_column)}")
    for name, value in options.items():
        if _OPTION.match(name) is None:
            raise InvalidArgumentError(f"hybrid has no option {name!r}")
        arguments.append(f"{name} => {_constant(value) if name in _CONSTANTS else to.value(value)}")
    where = "" if given is None else f" WHERE {to.filter(given, {})}"
    return f"SELECT * FROM hybrid({', '.join(arguments)}){where} ORDER BY score DESC", to.parameters


def _constant(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else text_literal(str(value))
