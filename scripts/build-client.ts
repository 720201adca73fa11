/**
 * Builds the TypeScript client as it is published into `build/quern-client`: ES modules and CommonJS.
 *
 *     node scripts/build-client.ts
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
const CLIENT = join(ROOT, 'src/clients/typescript');
const PACKAGE = join(ROOT, 'build/quern-client');
const PROGRAMS = join(PACKAGE, 'dist/cjs');
const require = createRequire(import.meta.url);
const { exports: EXPORTS } = require(join(CLIENT, 'package.json')) as { readonly exports: object };
/** Names of the modules that are imported from outside. */
const ENTRIES = Object.keys(EXPORTS).map((entry) => (entry === '.' ? 'index' : entry.slice(2)));
/** Adapters of frameworks have folders of their own; all else that is imported from outside is the client's. */
const ADAPTERS: Readonly<Record<string, string>> = { langchain: 'langchain-js/langchain' };
const sourceOf = (entry: string): string => ADAPTERS[entry] ?? `typescript/src/${entry}`;
const TSC = join(ROOT, 'node_modules/.bin/tsc');

rmSync(PACKAGE, { recursive: true, force: true });
mkdirSync(PACKAGE, { recursive: true });
for (const file of ['package.json', 'README.md']) copyFileSync(join(CLIENT, file), join(PACKAGE, file));

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
  for (const entry of ENTRIES) reach(join(folder, `${sourceOf(entry)}.d.ts`));
  for (const file of globSync(join(folder, '**/*.d.ts'))) if (!reached.has(file)) rmSync(file);
}

const TYPES = join(PROGRAMS, 'types');
execFileSync(TSC, ['-p', CLIENT, '--outDir', TYPES, '--emitDeclarationOnly'], { stdio: 'inherit' });
keepReachable(TYPES);

// In few files without comments it is a tenth smaller; names and lines are kept, for stack traces show them.
await build({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(CLIENT, '..', `${sourceOf(name)}.ts`)])),
  external: /^(postgres|@langchain\/)/,
  platform: 'node',
  transform: { target: 'es2022' },
  output: {
    dir: PROGRAMS,
    format: 'cjs',
    chunkFileNames: 'parts/[name].js',
    comments: false,
    minify: { mangle: false, codegen: { removeWhitespace: false } },
  },
});

// One program for both kinds of modules: a class is the same however it was loaded, and the package half as large.
mkdirSync(join(PACKAGE, 'dist/esm'));
for (const [kind, type] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
] as const) {
  writeFileSync(join(PACKAGE, 'dist', kind, 'package.json'), `${JSON.stringify({ type })}\n`);
}
for (const entry of ENTRIES) {
  const names = Object.keys(require(join(PROGRAMS, `${entry}.js`)) as object);
  const program = join(PACKAGE, 'dist/esm', entry);
  writeFileSync(`${program}.js`, `export { ${names.join(', ')} } from '../cjs/${entry}.js';\n`);
  writeFileSync(`${program}.d.ts`, `export * from '../cjs/${entry}.js';\n`);
  writeFileSync(join(PROGRAMS, `${entry}.d.ts`), `export * from './types/${sourceOf(entry)}.js';\n`);
}
