/**
 * Compiles the AssemblyScript kernels of `src/index/wasm/` to `build/kernels.wasm`. One module from several
 * entry files; it imports a shared memory of at most 4 GiB, handed in by whoever instantiates it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'src/index/wasm');
const entries = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
mkdirSync(join(root, 'build'), { recursive: true });
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('assemblyscript/package.json')),
  'bin/asc.js',
);
const result = spawnSync(
  process.execPath,
  [
    compiler,
    ...entries.map((name) => join(folder, name)),
    ...['--outFile', join(root, 'build/kernels.wasm'), '-O3', '--runtime', 'stub', '--importMemory'],
    ...['--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536', '--noExportMemory'],
    ...['--enable', 'simd,threads,relaxed-simd', '--noAssert'],
  ],
  { stdio: 'inherit' },
);
process.exit(result.status ?? 1);
