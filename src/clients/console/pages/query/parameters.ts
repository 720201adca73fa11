/** Parameters of a text: `$1`, `$2` … outside of strings and comments, and what is typed for them. */

const SKIPPED =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$|\$(\d{1,5})/g;

/** How many values are wanted: the largest number that the text names. */
export function parameterCount(text: string): number {
  let largest = 0;
  for (const [, , number] of text.matchAll(SKIPPED)) largest = Math.max(largest, Number(number ?? 0));
  return largest;
}

/** Typed texts as values: empty is NULL, JSON is JSON, everything else a text, which the server reads by the type of `$n`. */
export function parameterValue(typed: string): unknown {
  if (typed === '') return null;
  if (!/^[[{]/.test(typed.trim())) return typed;
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}
