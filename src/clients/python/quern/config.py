"""How the client waits: retries, back-off, ingestion; and how sure a read has to be."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, TypeVar

from .error import InvalidArgumentError


class ConsistencyLevel(str, Enum):
    """The writes that a read has to see. A write is visible to every later read at once, at both levels."""

    Indexed = "indexed"
    Strong = "strong"


@dataclass(frozen=True)
class BackoffConfig:
    """Waits between tries: `init_backoff` ms, times `base` each time, never above `max_backoff` ms."""

    base: float = 2
    init_backoff: float = 100
    max_backoff: float = 10_000

    def delay(self, retry: int) -> float:
        """Seconds before the retry of that number (0 is the first); a quarter of it is left to chance."""
        wait = min(self.max_backoff, self.init_backoff * self.base**retry)
        return wait / 1000 * random.uniform(0.75, 1)


@dataclass(frozen=True)
class RetryConfig:
    """How often (`max_retries`) and how long (`timeout`, ms) what may be asked again is asked again."""

    max_retries: int = 3
    timeout: float = 30_000
    backoff: BackoffConfig = field(default_factory=BackoffConfig)

    def __post_init__(self) -> None:
        if not isinstance(self.backoff, BackoffConfig):
            object.__setattr__(self, "backoff", read_config(BackoffConfig, self.backoff))
        for name in ("max_retries", "timeout"):
            if getattr(self, name) < 0:
                raise InvalidArgumentError(f"{name} must not be negative")


@dataclass(frozen=True)
class WaitConfig:
    """`wait_for_handle`: how often it asks and how long it waits at most, both in seconds."""

    frequency_secs: float = 5
    timeout_secs: float = 300


@dataclass(frozen=True)
class StatementEvent:
    """One statement that was sent, for whoever traces: `Client(trace=…)` is called with it when it has ended.

    Attributes:
        parameter_count: their values are not told.
        row_count: None where it failed, or rows were given as they came.
        error: what it raised; it may be tried again after that.
    """

    text: str
    parameter_count: int
    seconds: float
    row_count: int | None
    error: BaseException | None


Trace = Callable[[StatementEvent], None]


Config = TypeVar("Config", BackoffConfig, RetryConfig, WaitConfig)


def read_config(kind: type[Config], given: Config | Mapping[str, Any] | None) -> Config:
    """A configuration from itself, from a mapping with its fields (unknown ones are refused), or the default."""
    if given is None:
        return kind()
    if isinstance(given, kind):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(f"expected {kind.__name__} or a dict, not {type(given).__name__}")
    known = {one.name for one in fields(kind)}
    for name in given:
        if name not in known:
            raise InvalidArgumentError(f"{kind.__name__} has no {name!r}; it has {', '.join(sorted(known))}")
    return kind(**{name: value for name, value in given.items() if value is not None})
