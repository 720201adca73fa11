/**
 * Builds the TypeScript client as it is published into `build/quern-client`: ES modules and CommonJS.
 *
 *     node scripts/build-client.ts
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const CLIENT = join(ROOT, 'src/clients/typescript');
const PACKAGE = join(ROOT, 'build/quern-client');
const TSC = join(ROOT, 'node_modules/.bin/tsc');

rmSync(PACKAGE, { recursive: true, force: true });
mkdirSync(PACKAGE, { recursive: true });
for (const file of ['package.json', 'README.md']) copyFileSync(join(CLIENT, file), join(PACKAGE, file));
for (const [kind, ...options] of [
  ['esm', '--module', 'nodenext'],
  ['cjs', '--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'],
] as const) {
  const out = join(PACKAGE, 'dist', kind);
  execFileSync(TSC, ['-p', CLIENT, '--outDir', out, ...options], { stdio: 'inherit' });
  const type = kind === 'esm' ? 'module' : 'commonjs';
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ type })}\n`);
}
