"""float8 E4M3 (OCP 8-bit floating point, 2023): one sign, four exponent and three mantissa bits, no infinity."""

from __future__ import annotations

import bisect
import math


def _decode(code: int) -> float:
    exponent, mantissa = code >> 3 & 15, code & 7
    if exponent == 0:
        return math.ldexp(mantissa / 8, -6)
    return math.ldexp(1 + mantissa / 8, exponent - 7)


_POSITIVE = [_decode(code) for code in range(0x7F)]
DECODED = tuple([*_POSITIVE, math.nan, *(-number for number in _POSITIVE), math.nan])
"""Byte to number."""


def f8_round(number: float) -> float:
    """The nearest number that float8 has, ties to even; magnitudes up to 448."""
    if number != number:
        return number
    size = abs(number)
    above = bisect.bisect_left(_POSITIVE, size)
    if above == len(_POSITIVE):
        nearest = _POSITIVE[-1]
    elif above == 0 or _POSITIVE[above] == size:
        nearest = _POSITIVE[above]
    else:
        below = above - 1
        gap = (size - _POSITIVE[below]) - (_POSITIVE[above] - size)
        nearest = _POSITIVE[above if gap > 0 or (gap == 0 and above % 2 == 0) else below]
    return math.copysign(nearest, number)
