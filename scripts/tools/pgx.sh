# The program of sql-tests/clients/go; needs go.
set -euo pipefail
out=$PWD/.tools/clients/pgx
rm -f "$out"
cd sql-tests/clients/go
go build -o "$out" .
