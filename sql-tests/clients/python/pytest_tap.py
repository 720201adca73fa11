"""Runs another project's pytest suite, and prints a TAP line a test as tap.py's: no plugin but its own."""

import os
import sys

import pytest

PLUGINS = ("cacheprovider", "terminal", "benchmark", "codspeed", "recording", "socket", "syrupy", "faulthandler")


class Tap:
    """Results as ../program.ts reads them."""

    def pytest_runtest_logreport(self, report):
        _, *names = report.nodeid.split("::")
        if report.failed:
            why = " ".join(str(report.longrepr.reprcrash.message).split("\n")[0].split())
            print(f"not ok {'.'.join(names)}: {report.when} {why}", flush=True)
        elif report.when == "call":
            print(f"ok {'.'.join(names)}" + (" skipped" if report.skipped else ""), flush=True)


def run(file, *more):
    """Args: more: options of pytest's, before those of the command line."""
    off = [part for name in PLUGINS for part in ("-p", f"no:{name}")]
    options = ["-c", os.devnull, "--rootdir", os.path.dirname(file), *more]
    options += ["-o", "asyncio_default_fixture_loop_scope=function"]
    pytest.main([*off, *options, *sys.argv[1:], file], plugins=[Tap()])
