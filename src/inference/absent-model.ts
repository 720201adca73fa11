/** Advice about a model that is not there. */

/** Models that the server does not come with, and what makes each. */
const MADE_BY: ReadonlyMap<string, string> = new Map([
  ['multilingual-e5-small', 'Run scripts/models/e5.sh and restart the server (docs/models.md).'],
]);

/** @returns a sentence and a blank, or nothing. */
export function howToMake(name: string): string {
  const how = MADE_BY.get(name);
  return how === undefined ? '' : `${how} `;
}
