"""Makes `quern/_sync` of `quern/_async`: the same calls without async and await. Nobody keeps what it makes: set-up,
packing and testing run it.

python make_sync.py               writes
python make_sync.py --check       only says whether what is there is what would be written
python make_sync.py --into DIR    puts the whole package there, with the adapters of frameworks, as a wheel has it
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
OWN = {"waiting.py", "__init__.py"}
"""Files that both trees have each their own of."""

CHANGES = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync([A-Z]\w*)", r"\1"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\baclose\b", "close"),
    (r"_async\b", "_sync"),
]
MADE = "# Made of ../_async by make_sync.py: change it there.\n"


def make(text: str) -> str:
    """A plain module from an asynchronous one."""
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text)
    return MADE + text


def stale(quern: Path) -> dict[Path, str]:
    """Files that are not what would be written, and what would be."""
    found = {}
    for file in sorted((quern / "_async").glob("*.py")):
        if file.name in OWN:
            continue
        target, made = quern / "_sync" / file.name, make(file.read_text("utf-8"))
        if not target.exists() or target.read_text("utf-8") != made:
            found[target] = made
    return found


def write(quern: Path) -> None:
    """Writes what is stale, each file at once: others may be importing."""
    for target, made in stale(quern).items():
        part = target.with_name(f".{target.name}.{os.getpid()}")
        part.write_text(made, "utf-8")
        part.replace(target)


def write_whole(into: Path) -> None:
    """The package as a wheel has it."""
    shutil.copytree(HERE / "quern", into / "quern", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for file in HERE.parent.glob("frameworks/*/*.py"):
        shutil.copy(file, into / "quern")
    write(into / "quern")


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--into"]:
        write_whole(Path(arguments[1]))
    elif arguments[:1] == ["--check"]:
        names = [target.name for target in stale(HERE / "quern")]
        if names:
            print(f"not what make_sync.py makes: {', '.join(names)}")
        return len(names) > 0
    else:
        write(HERE / "quern")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
