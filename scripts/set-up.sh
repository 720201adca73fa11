# Sourced by the other scripts: puts Node 24 on PATH, installs what the lock file names and builds the
# kernels. Needs git, a C++ compiler, python3 and any Node with npm; asks nothing of any host but the package
# registry that npm is set up for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$PWD

say() { printf '%s\n' "$*" >&2; }

command -v npm >/dev/null || { say "quern: npm is missing; install any Node.js with npm first"; exit 1; }

# Node 24: the machine's own when new enough, else the npm package `node` in .tools/.
major=$(node --version 2>/dev/null | sed -E 's/^v([0-9]+).*/\1/' || echo 0)
if [ "${major:-0}" -lt 24 ]; then
  if [ ! -x .tools/node_modules/node/bin/node ]; then
    say "quern: Node $(node --version 2>/dev/null || echo none) is older than 24; putting Node 24 into .tools/"
    mkdir -p .tools
    [ -f .tools/package.json ] || echo '{"private":true,"allowScripts":{"node":true}}' >.tools/package.json
    npm install --prefix .tools --no-audit --no-fund --loglevel=error node@24 >&2
    # Headers and manuals, a third of it.
    rm -rf .tools/node_modules/node/node_modules/node-*/{include,share}
  fi
  export PATH="$ROOT/.tools/node_modules/node/bin:$PATH"
fi

# `npm ci` refuses a lock written where other platforms' packages were not to be had; `npm install` with the
# same lock gives the same tree and leaves the lock alone. onnxruntime-node's download is switched off: its
# CPU library is inside the package.
stamp=node_modules/.quern-installed
if [ ! -f "$stamp" ] || ! cmp -s package-lock.json "$stamp"; then
  say "quern: installing npm packages"
  ONNXRUNTIME_NODE_INSTALL=skip npm install --no-save --no-audit --no-fund --loglevel=error >&2
  cp package-lock.json "$stamp"
fi

if [ ! -f build/kernels.wasm ] || [ -n "$(find src/index/wasm -name '*.ts' -newer build/kernels.wasm)" ]; then
  say "quern: building the kernels"
  node scripts/build-wasm.ts >&2
fi

if [ ! -f build/console/index.html ] || [ -n "$(find src/clients/console -type f -newer build/console/index.html)" ]; then
  say "quern: building the console"
  node node_modules/vite/bin/vite.js build -c src/clients/console/vite.config.ts --logLevel error >&2
fi

# What a checkout does not keep of the Python client.
python3 src/clients/python/make_sync.py
