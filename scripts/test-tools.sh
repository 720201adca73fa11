# Sourced by scripts/test and scripts/bench: psql, pgbouncer, openssl, Chromium and nginx from Debian's packages, and what each script of
# scripts/tools/ puts into .tools/: PostgreSQL 18 and the Python packages that the tests use, a small language model
# with what runs it, and the programs of sql-tests/clients in Java, Go and Rust, where their toolchains are. A script
# runs again only when it, or a file that is named after it here, has changed. The multilingual model is put into models/.
missing=()
if ! command -v psql >/dev/null || ! command -v pgbouncer >/dev/null || ! command -v openssl >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "tests: installing psql, pgbouncer and openssl"
    (apt-get update -qq && apt-get install -y -qq postgresql-client pgbouncer openssl) >/dev/null 2>&1 || true
  fi
  command -v psql >/dev/null || missing+=(psql)
  command -v pgbouncer >/dev/null || missing+=(pgbouncer)
  command -v openssl >/dev/null || missing+=(openssl)
fi

# The browser that the console's tests look through.
if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "tests: installing Chromium"
    (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium) >/dev/null 2>&1 || true
  fi
  command -v chromium >/dev/null || missing+=(chromium)
fi

# The proxy that the console is behind in one of them.
if [ ! -x /usr/sbin/nginx ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "tests: installing nginx"
    (apt-get update -qq && apt-get install -y -qq --no-install-recommends nginx-light) >/dev/null 2>&1 || true
  fi
  [ -x /usr/sbin/nginx ] || missing+=(nginx)
fi

# put NAME SOURCE…: runs scripts/tools/NAME.sh, unless it has run with these sources.
put() {
  local name=$1 stamp=.tools/made/$1 digest
  shift
  digest=$(cat "scripts/tools/$name.sh" "$@" | git hash-object --stdin)
  [ "$(cat "$stamp" 2>/dev/null)" = "$digest" ] && return
  say "tests: putting $name into .tools"
  mkdir -p .tools/made
  if bash "scripts/tools/$name.sh" >&2; then echo "$digest" >"$stamp"; else missing+=("$name"); fi
}

clients=sql-tests/clients
put python scripts/python-requirements.txt
put llama
scripts/models/e5.sh || missing+=(multilingual-e5-small)
put pgjdbc $clients/java/PgjdbcSuite.java
put pgx $clients/go/main.go $clients/go/go.mod $clients/go/go.sum
put tokio-postgres $clients/rust/src/main.rs $clients/rust/Cargo.toml
# Node finds an optional peer of quern where the others are.
[ ! -d .tools/llama/node_modules/node-llama-cpp ] ||
  ln -sfn ../.tools/llama/node_modules/node-llama-cpp node_modules/node-llama-cpp

export QUERN_TEST_MISSING="${missing[*]:-}"
if [ -n "$QUERN_TEST_MISSING" ]; then
  say "tests: could not install: $QUERN_TEST_MISSING"
  if [ "${CI:-}" = true ]; then say "tests: nothing may be skipped under CI=true"; exit 1; fi
fi
