"""Checks of one program, printed as TAP lines: `ok NAME` or `not ok NAME: error`; see ../program.ts.

A check is a function (or a coroutine function) under @check; its docstring or name is its name.
"""

import asyncio
import inspect
import sys
import traceback

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def equal(seen, expected):
    """assert, with both sides in the message."""
    if seen != expected:
        raise AssertionError(f"{seen!r} is not {expected!r}")


def run(make=None, only=tuple(sys.argv[1:])):
    """Runs every check with what `make()` gives (None: nothing); says which ended badly and why."""
    for function in CHECKS:
        name = function.__name__.replace("_", " ")
        if only and name not in only:
            continue
        try:
            arguments = () if make is None else (make(),)
            if inspect.iscoroutinefunction(function):
                asyncio.run(function(*arguments))
            else:
                function(*arguments)
            print(f"ok {name}", flush=True)
        except Exception as error:
            if only:
                traceback.print_exc()
            state = getattr(error, "sqlstate", None)
            words = " ".join(str(error).split("\n")[0].split())
            print(f"not ok {name}: {type(error).__name__} {state or ''} {words}".replace("  ", " "), flush=True)
