/** Before any test: what a checkout does not keep of the Python client is made, where there is a Python. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export function setup(): void {
  spawnSync('python3', [join(import.meta.dirname, '../src/clients/python/make_sync.py')], {
    stdio: 'inherit',
  });
}
