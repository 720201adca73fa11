/** Where a program lies that runs in a thread or process of its own: TypeScript in a checkout, JavaScript in the package. */
import { extname } from 'node:path';

/**
 * @param name relative to the file that starts it, without ending: `./parse-worker`.
 * @param from `import.meta.url` of that file; both have the same ending.
 */
export const programFile = (name: string, from: string): URL => new URL(`${name}${extname(from)}`, from);
