# The program of sql-tests/clients/rust; needs cargo. What cargo keeps for the next build, 140 MB, is not kept.
set -euo pipefail
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir -p .tools/clients
rm -rf .tools/clients/rust .tools/clients/tokio-postgres
(cd sql-tests/clients/rust &&
  CARGO_TARGET_DIR=$made CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 cargo build -q)
cp "$made/debug/tokio-postgres-suite" .tools/clients/tokio-postgres
