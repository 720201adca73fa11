/** Which version of the package this is. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

export function versionOfCommand(): string {
  const path = findPackageJSON('..', import.meta.url);
  const { version = 'unknown' } = path === undefined ? {} : JSON.parse(readFileSync(path, 'utf8'));
  return String(version);
}
