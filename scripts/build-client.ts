/**
 * Builds the TypeScript client as it is published into `build/quern-client`: ES modules and CommonJS.
 *
 *     node scripts/build-client.ts
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const CLIENT = join(ROOT, 'src/clients/typescript');
const PACKAGE = join(ROOT, 'build/quern-client');
const require = createRequire(import.meta.url);
const { exports: EXPORTS } = require(join(CLIENT, 'package.json')) as { readonly exports: object };
const TSC = join(ROOT, 'node_modules/.bin/tsc');

rmSync(PACKAGE, { recursive: true, force: true });
mkdirSync(PACKAGE, { recursive: true });
for (const file of ['package.json', 'README.md']) copyFileSync(join(CLIENT, file), join(PACKAGE, file));

const compile = (kind: string, ...options: readonly string[]): void => {
  execFileSync(TSC, ['-p', CLIENT, '--outDir', join(PACKAGE, 'dist', kind), ...options], {
    stdio: 'inherit',
  });
};
// Comments are for who reads types, not for who runs programs: without them the package is a tenth smaller.
const PROGRAMS = ['--declaration', 'false', '--removeComments'];
const COMMON_JS = [
  '--module',
  'commonjs',
  '--moduleResolution',
  'bundler',
  '--verbatimModuleSyntax',
  'false',
];

/** Declarations that no entry point leads to are nobody's. */
function keepReachable(folder: string): void {
  const reached = new Set<string>();
  const reach = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/["'](\.\.?\/[^"']+)\.(?:js|ts)["']/g)) {
      reach(join(dirname(file), `${name}.d.ts`));
    }
  };
  for (const entry of Object.keys(EXPORTS)) {
    reach(join(folder, entry === '.' ? 'index.d.ts' : `${entry.slice(2)}.d.ts`));
  }
  for (const file of globSync(join(folder, '**/*.d.ts'))) if (!reached.has(file)) rmSync(file);
}

compile('esm', '--module', 'nodenext', '--emitDeclarationOnly');
keepReachable(join(PACKAGE, 'dist/esm'));
// Types are the same; what a folder's `type` says makes them those of a kind of modules.
cpSync(join(PACKAGE, 'dist/esm'), join(PACKAGE, 'dist/cjs'), { recursive: true });
compile('cjs', ...COMMON_JS, ...PROGRAMS);
for (const [kind, type] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
] as const) {
  writeFileSync(join(PACKAGE, 'dist', kind, 'package.json'), `${JSON.stringify({ type })}\n`);
}
// One program for both kinds of modules: a class is the same however it was loaded, and the package half as large.
for (const entry of Object.keys(EXPORTS)) {
  const program = entry === '.' ? 'index.js' : `${entry.slice(2)}.js`;
  const names = Object.keys(require(join(PACKAGE, 'dist/cjs', program)) as object);
  const text = `export { ${names.join(', ')} } from '../cjs/${program}';\n`;
  writeFileSync(join(PACKAGE, 'dist/esm', program), text);
}
