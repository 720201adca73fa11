/**
 * Quern's own modules are found by their URL alone: importing this one makes it so for all that are loaded later. They
 * name each other by relative paths with endings, so there is nothing to look for, while Node would ask the file system
 * for each of a thousand what it is, where it really lies, and which packages it may belong to.
 */
import { registerHooks } from 'node:module';
import { extname } from 'node:path';

const FOLDER = new URL('.', import.meta.url).href;
/** TypeScript in a checkout, JavaScript in the package. */
const ENDING = extname(import.meta.url);
const FORMAT = ENDING === '.ts' ? 'module-typescript' : 'module';

registerHooks({
  resolve(specifier, context, next) {
    const isOwn = context.parentURL?.startsWith(FOLDER) && specifier.startsWith('.');
    if (!isOwn || !specifier.endsWith(ENDING)) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: FORMAT, shortCircuit: true };
  },
});
