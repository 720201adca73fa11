"""Makes `quern/_sync` of `quern/_async`: the same calls without async and await.

python make_sync.py           writes
python make_sync.py --check   only says whether what is there is what would be written
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

QUERN = Path(__file__).parent / "quern"
OWN = {"waiting.py"}
"""Files that both trees have each their own of."""

CHANGES = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\baclose\b", "close"),
    (r"_async\b", "_sync"),
    (r", awaited; `make_sync.py` makes `_sync` of it", "; made of `_async` by `make_sync.py`: change it there"),
]
MADE = "# Made of ../_async by make_sync.py: change it there.\n"


def make(text: str) -> str:
    """A plain module from an asynchronous one."""
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text)
    return MADE + text


def main() -> int:
    stale = []
    for file in sorted((QUERN / "_async").glob("*.py")):
        if file.name in OWN:
            continue
        target, made = QUERN / "_sync" / file.name, make(file.read_text("utf-8"))
        if target.exists() and target.read_text("utf-8") == made:
            continue
        stale.append(target.name)
        if "--check" not in sys.argv:
            target.write_text(made, "utf-8")
    if stale and "--check" in sys.argv:
        print(f"not what make_sync.py makes: {', '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
