/**
 * Texts at a path of jsonb values, row by row: what an index on `meta ->> 'title'` is over. A step is a key, or a
 * place of an array where it is a number (as `->` and subscripts have it) or an array is there (`#>>`).
 */
import { TextVector, type Vector } from '../column/vector.ts';
import { elementText, plainText, textAt } from './text.ts';

/** One step at least. */
export type TextPath = readonly (string | number)[];

/** The vector itself where there is no path. */
export function textsAtPath(vector: Vector, path: TextPath | undefined): Vector {
  if (path === undefined) return vector;
  const texts = new Array<string>(vector.length).fill('');
  const nulls = new Uint8Array(vector.length);
  for (let row = 0; row < vector.length; row++) {
    const value = vector.get(row);
    const text = value === null ? null : textAtPath(value as string, path);
    if (text === null) nulls[row] = 1;
    else texts[row] = text;
  }
  return TextVector.fromStrings(texts, nulls);
}

/** As `->>` gives it: NULL where there is nothing. */
function textAtPath(json: string, path: TextPath): string | null {
  let at: string | undefined = json;
  for (const step of path) {
    if (at === undefined) return null;
    at = typeof step === 'number' ? elementText('jsonb', at, step) : textAt(at, [step]);
  }
  return plainText(at);
}
