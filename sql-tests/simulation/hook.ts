/**
 * Loads our sources with a gate at every `await` (`gated-source.ts`) and, on request, with a planted fault.
 * It must be installed before the engine is imported.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Fault, plant } from './faults.ts';
import { gateAwaits } from './gated-source.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Beside the product, what runs in a simulation and waits. */
const GATED = /^src\/|^sql-tests\/simulation\/(client|statements|simulated-store|laws)/;
/**
 * `Task.finish` goes on in a callback: the gate is before it, and nowhere else. What the task waits for next is heard of
 * within that turn, so that none of it is rejected while nobody listens.
 */
const TASK = { file: 'src/task.ts', from: /\b(first|step\.value)\.then\(/g };

export function installGates(fault: Fault | null): void {
  globalThis.gate = (value) => value;
  let planted = false;
  registerHooks({
    load(url, context, nextLoad) {
      const path = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
      if (!GATED.test(path)) return nextLoad(url, context);
      let source = readFileSync(join(ROOT, path), 'utf8');
      if (fault?.file === path) {
        source = plant(fault, source);
        planted = true;
      }
      const plain = stripTypeScriptTypes(source);
      const code =
        path === TASK.file
          ? plain.replace(TASK.from, `globalThis.gate($1, 'task.ts').then(`)
          : gateAwaits(plain, path.replace(/^.*\//, ''));
      return { format: 'module', shortCircuit: true, source: code };
    },
  });
  process.on('exit', () => {
    if (fault !== null && !planted) process.exitCode = 2;
  });
}
