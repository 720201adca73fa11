/** Advice about a model that is not there. */
import { HASH_MODEL } from './hash-model.ts';

/** Models that the server does not come with, and what makes each. */
const MADE_BY: ReadonlyMap<string, string> = new Map([
  ['multilingual-e5-small', 'Run scripts/models/e5.sh and restart the server (docs/models.md).'],
]);

/** @returns a sentence and a blank, or nothing. */
export function howToMake(name: string): string {
  const how = MADE_BY.get(name);
  return how === undefined ? '' : `${how} `;
}

/**
 * The models there are, but for the hash model: it knows no meaning; tests and fixtures use it.
 * @param head what the list begins with.
 */
export function listOfModels(names: readonly string[], head: string): string {
  const told = names.filter((name) => name !== HASH_MODEL.name);
  return told.length === 0 ? 'No model is installed.' : `${head} ${told.join(', ')}.`;
}
