"""The tree of calls, written once, awaited; `make_sync.py` makes `_sync` of it."""
