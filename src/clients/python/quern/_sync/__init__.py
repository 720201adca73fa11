# Made of ../_async by make_sync.py: change it there.
"""The tree of calls, written once; made of `_async` by `make_sync.py`: change it there."""
