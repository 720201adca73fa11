/**
 * Walks over JSON as it is written: members and elements as slices of the text, nothing decoded but keys. json
 * keeps white space, equal keys and the spelling of numbers; a slice of jsonb's canonical text is canonical too.
 * The text has been read as JSON once, so that nothing is checked here.
 */

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface JsonMember {
  readonly key: string;
  readonly text: string;
}

const SPACE = /[ \t\n\r]*/y;
const WORD = /[^\s,\]}]+/y;
/** Characters that open or close a container, or begin a string within. */
const BRACKET_OR_QUOTE = /[{}[\]"]/g;
const QUOTE_OR_ESCAPE = /["\\]/g;

function after(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(text);
  return pattern.lastIndex;
}

const skipSpace = (text: string, from: number): number => after(SPACE, text, from);

/** The end of the string that begins at `from`. A pattern for all of it overflows the stack at some ten million characters. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; ; ) {
    QUOTE_OR_ESCAPE.lastIndex = at;
    const found = QUOTE_OR_ESCAPE.exec(text)?.[0];
    if (found === undefined) return text.length;
    if (found === '"') return QUOTE_OR_ESCAPE.lastIndex;
    at = QUOTE_OR_ESCAPE.lastIndex + 1;
  }
}

/** The end of the value that begins at `from`. */
function skipValue(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first !== '{' && first !== '[') return after(WORD, text, from);
  let depth = 0;
  for (let at = from; ; ) {
    BRACKET_OR_QUOTE.lastIndex = at;
    const found = BRACKET_OR_QUOTE.exec(text)?.[0];
    if (found === undefined) return text.length;
    at = BRACKET_OR_QUOTE.lastIndex;
    if (found === '"') at = stringEnd(text, at - 1);
    else if (found === '{' || found === '[') depth++;
    else if (--depth === 0) return at;
  }
}

/** The most brackets that are open at a time. */
export function bracketDepth(text: string): number {
  let [depth, deepest] = [0, 0];
  for (let at = 0; ; ) {
    BRACKET_OR_QUOTE.lastIndex = at;
    const found = BRACKET_OR_QUOTE.exec(text)?.[0];
    if (found === undefined) return deepest;
    at = BRACKET_OR_QUOTE.lastIndex;
    if (found === '"') at = stringEnd(text, at - 1);
    else if (found === '{' || found === '[') deepest = Math.max(deepest, ++depth);
    else depth--;
  }
}

/** A string of JSON as the text it stands for. */
export const unquoted = (text: string): string =>
  text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);

export function jsonKind(text: string): JsonKind {
  switch (text[skipSpace(text, 0)]) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}

/** Members of an object in order; each of equal keys. */
export function* jsonMembers(text: string): Generator<JsonMember> {
  for (const [key, from, to] of parts(text, true)) yield { key: unquoted(key), text: text.slice(from, to) };
}

/** Elements of an array. */
export function* jsonItems(text: string): Generator<string> {
  for (const [, from, to] of parts(text, false)) yield text.slice(from, to);
}

function* parts(text: string, keyed: boolean): Generator<readonly [key: string, from: number, to: number]> {
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    let key = '';
    if (keyed) {
      const end = stringEnd(text, at);
      key = text.slice(at, end);
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const end = skipValue(text, at);
    yield [key, at, end];
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
}

/** Brackets and quotes between pauses; so many are a fraction of a millisecond. */
const MARKS_BETWEEN_PAUSES = 2_000;

/** As `skipValue`; yields now and then. */
function* valueEnd(text: string, from: number): Generator<undefined, number> {
  if (text[from] !== '{' && text[from] !== '[' && text[from] !== '"') return skipValue(text, from);
  let depth = 0;
  let inString = false;
  let marks = 0;
  for (let at = from; ; ) {
    const pattern = inString ? QUOTE_OR_ESCAPE : BRACKET_OR_QUOTE;
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) return text.length;
    at = pattern.lastIndex;
    if (found === '\\') at++;
    else if (found === '"') inString = !inString;
    else depth += found === '{' || found === '[' ? 1 : -1;
    if (depth === 0 && !inString) return at;
    if (++marks % MARKS_BETWEEN_PAUSES === 0) yield;
  }
}

/**
 * Elements of an array of any size, not one of which has been read as JSON; what is between them has been.
 * @param pause awaited now and then. @returns whether the text is such an array, and nothing more.
 */
export async function* jsonItemsBy(
  text: string,
  pause: () => Promise<void>,
): AsyncGenerator<string, boolean> {
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  if (text[at] === ']') return skipSpace(text, at + 1) === text.length;
  while (at < text.length) {
    const walk = valueEnd(text, at);
    let step = walk.next();
    for (; step.done !== true; step = walk.next()) await pause();
    yield text.slice(at, step.value);
    at = skipSpace(text, step.value);
    if (text[at] !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return text[at] === ']' && skipSpace(text, at + 1) === text.length;
}

const isKey = (written: string, key: string): boolean =>
  written.includes('\\') ? unquoted(written) === key : written.slice(1, -1) === key;

/** The last member of that key; undefined where there is none or the value is no object. */
export function memberText(text: string, key: string): string | undefined {
  if (jsonKind(text) !== 'object') return undefined;
  let found: string | undefined;
  for (const [written, from, to] of parts(text, true)) {
    if (isKey(written, key)) found = text.slice(from, to);
  }
  return found;
}

/** The element at a position from 0, negative ones from the end; undefined where there is none. */
function itemText(text: string, index: number): string | undefined {
  if (jsonKind(text) !== 'array') return undefined;
  if (index < 0) return [...jsonItems(text)].at(index);
  let left = index;
  for (const item of jsonItems(text)) if (left-- === 0) return item;
  return undefined;
}

/** Result of `->`: a jsonb that is neither array nor object counts as an array of itself, as in PostgreSQL. */
export function elementText(kind: 'json' | 'jsonb', text: string, index: number): string | undefined {
  const type = jsonKind(text);
  const bare = kind === 'jsonb' && type !== 'array' && type !== 'object';
  return bare ? [text].at(index) : itemText(text, index);
}

const INDEX = /^[ \t\n\v\f\r]*[+-]?\d+$/;
const INT4_MAX = 2_147_483_647;

/** A step of a path as C's strtol reads it; undefined for what is no int4. */
export function pathIndex(step: string): number | undefined {
  if (!INDEX.test(step)) return undefined;
  const index = Number(step);
  return index > INT4_MAX || index < -INT4_MAX - 1 ? undefined : index;
}

type Path = readonly (string | null)[];

function itemAt(text: string, step: string): string | undefined {
  const index = pathIndex(step);
  return index === undefined ? undefined : itemText(text, index);
}

/** Text at a path of keys and positions in jsonb. */
export function textAt(text: string, path: Path): string | undefined {
  let at: string | undefined = text.trim();
  for (const step of path) {
    if (at === undefined || step === null) return undefined;
    at = jsonKind(at) === 'array' ? itemAt(at, step) : memberText(at, step);
  }
  return at;
}

/** The same in json, as PostgreSQL finds it in one pass: of equal keys each is followed, and the last end counts. */
export function textAtLast(text: string, path: Path): string | undefined {
  if (path.includes(null)) return undefined;
  const keys = path as readonly string[];
  // The space before the whole is kept if it is no container.
  const kept = keys.length === 0 && !/^\s*[{[]/.test(text) ? text.trimEnd() : text.trim();
  return lastAt(kept, { keys, places: keys.map(pathIndex) }, { level: 0, on: true });
}

interface Steps {
  readonly keys: readonly string[];
  /**
   * Steps as positions, where they are such. One from the end becomes one from the beginning for good by the first
   * array on its level that is long enough, be it on the path or not.
   */
  readonly places: (number | undefined)[];
}

/** @param at `on` is false beside the path, where arrays still decide on places. */
function lastAt(
  text: string,
  steps: Steps,
  { level, on }: { level: number; on: boolean },
): string | undefined {
  const { keys, places } = steps;
  const key = keys[level];
  if (key === undefined) return on ? text : undefined;
  const kind = jsonKind(text);
  if (kind !== 'object' && kind !== 'array') return undefined;
  if (kind === 'array') settlePlace(places, level, text);
  let found: string | undefined;
  let index = 0;
  for (const [written, from, to] of parts(text, kind === 'object')) {
    const fits = kind === 'array' ? index++ === places[level] : isKey(written, key);
    const next = on && fits;
    if (!next && !places.some((place, i) => i > level && (place ?? 0) < 0)) continue;
    found = lastAt(text.slice(from, to), steps, { level: level + 1, on: next }) ?? found;
  }
  return found;
}

function settlePlace(places: Steps['places'], level: number, text: string): void {
  const place = places[level];
  if (place === undefined || place >= 0) return;
  const count = [...parts(text, false)].length;
  if (-place <= count) places[level] = place + count;
}

/** `->>`: strings without quotes, null as SQL NULL, all else as it is written. */
export function plainText(text: string | undefined): string | null {
  if (text === undefined) return null;
  const kind = jsonKind(text);
  if (kind === 'null') return null;
  return kind === 'string' ? unquoted(text.trim()) : text;
}
