/**
 * Lists of words of human languages in code: three or more of them as alternatives of an expression, in a text that is
 * split, in an array or a set. Words of a language are those of its packs and its stop words; code has none of its own.
 */
import { parseSync } from 'oxc-parser';
import { QUESTION_PACKS } from '../../src/language/questions/asking/question-packs.ts';
import { STOP_WORDS } from '../../src/language/stop-words.ts';
import type { Source } from './source.ts';

/** Packs, and what PostgreSQL and SQL's clients name: months, units of time, keywords. */
export const WORDS_OF_THEIR_OWN = /^src\/(?:language|types|functions|sql|clients)\//;

/** Lists that are still in code, by file. Their number goes down, never up. */
export const NOT_YET: Readonly<Record<string, number>> = {
  'src/ask/computing/compare.ts': 1,
  'src/ask/computing/measured.ts': 4,
  'src/ask/computing/measures.ts': 1,
  'src/ask/computing/operands.ts': 3,
  'src/ask/computing/units.ts': 1,
  // Kept citations were placed by it.
  'src/ask/fold.ts': 1,
  'src/ask/model/borne-out.ts': 1,
  'src/ingest/formats/pdf/tables/about-table.ts': 2,
  // Marks that are glued to a day's number.
  'src/tables/period-text.ts': 1,
};

export interface WordList {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly words: readonly string[];
}

const LIST_WORDS_MIN = 3;
/** Codes of currencies and marks of periods. */
const CODE = /^\p{Lu}+$/u;

const WORD = /\p{L}[\p{L}\p{M}]+/gu;
/** Files of words. */
const PACKS = /^src\/language\/(?:questions|texts)\/.*(?<!-pack|packs|words)\.ts$/;
/** Languages of the packs. */
const LANGUAGES = ['english', 'german', 'french', 'spanish', 'italian', 'portuguese', 'dutch'] as const;

/** Single words of the packs, and stop words. */
export function humanWords(files: readonly Pick<Source, 'path' | 'text'>[]): ReadonlySet<string> {
  const packs = files.filter(({ path }) => PACKS.test(path)).flatMap(({ path, text }) => textsOf(path, text));
  const stops = LANGUAGES.flatMap((name) => STOP_WORDS[name] ?? []);
  return new Set(
    [...packs, ...stops]
      .flatMap((text) => text.split(/\|\s*/))
      .map((text) => text.toLowerCase().replace(/\*$/, ''))
      .filter((text) => /^\p{L}[\p{L}\p{M}]+$/u.test(text)),
  );
}

/** Literal texts of a file, and keys. */
function textsOf(path: string, text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const child of node) visit(child);
    if (!isNode(node)) return;
    const { type, value, key, quasis } = node;
    if (type === 'Literal' && typeof value === 'string') found.push(value);
    if (type === 'Property' && isNode(key) && isNode(value) && typeof value.value === 'number')
      found.push(String(key.name ?? key.value));
    if (type === 'TemplateLiteral' && Array.isArray(quasis))
      found.push(...quasis.flatMap((one) => (isNode(one) ? rawOf(one) : [])));
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(path, text).program);
  return found;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** @param text of a TypeScript file. */
export function wordListsOf(path: string, text: string, known: ReadonlySet<string>): readonly WordList[] {
  const found: WordList[] = [];
  const add = (node: Node, words: readonly string[]): void => {
    const spoken = words.filter((word) => !CODE.test(word)).map((word) => word.toLowerCase());
    const own = [...new Set(spoken)].filter((word) => known.has(word));
    if (own.length < LIST_WORDS_MIN) return;
    found.push({ path, line: text.slice(0, node.start).split('\n').length, words: own });
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const child of node) visit(child);
    if (!isNode(node)) return;
    if (isOfTags(node)) return;
    add(node, listed(node));
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(path, text).program);
  return found;
}

/** Tags of questions; the last ones have their words in the pack of quantities and times. */
const TAGS: ReadonlySet<string> = new Set([
  ...QUESTION_PACKS.flatMap(({ words }) => Object.keys(words)),
  ...['month', 'numeral', 'scale', 'currency'],
]);

/** Constants that are names of tags, whose words the packs have. */
const isOfTags = ({ type, expression }: Node): boolean =>
  type === 'TSAsExpression' &&
  isNode(expression) &&
  Array.isArray(expression.elements) &&
  expression.elements.every(
    (one) => isNode(one) && (one.type === 'SpreadElement' || TAGS.has(String(one.value))),
  );

/** The words of a node that is a list. */
function listed(node: Node): readonly string[] {
  const { type, regex, value, elements, callee, quasis } = node;
  if (type === 'Literal' && typeof regex === 'object' && regex !== null && 'pattern' in regex)
    return alternatives(String(regex.pattern));
  if (type === 'Literal' && typeof value === 'string') return alternatives(value);
  if (type === 'TemplateLiteral' && Array.isArray(quasis))
    return alternatives(quasis.map((one) => (isNode(one) ? rawOf(one) : '')).join(' '));
  if (type === 'ArrayExpression' && Array.isArray(elements))
    return elements.flatMap((one) => (isNode(one) && typeof one.value === 'string' ? [one.value] : []));
  if (
    type === 'CallExpression' &&
    isNode(callee) &&
    isNode(callee.property) &&
    callee.property.name === 'split'
  ) {
    const { object } = callee;
    return isNode(object) && typeof object.value === 'string' ? (object.value.match(WORD) ?? []) : [];
  }
  return [];
}

const rawOf = ({ value }: Node): string =>
  typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : '';

/** Words of a longer alternative are a text. */
const ALTERNATIVE_WORDS_MAX = 4;

/** The first word of each alternative; none of a text without alternatives. */
function alternatives(pattern: string): readonly string[] {
  if ((pattern.match(/\|/g) ?? []).length < LIST_WORDS_MIN - 1) return [];
  const plain = pattern.replace(/\?<\w+>/g, ' ').replace(/\\[a-zA-Z](?:\{\w+\})?/g, ' ');
  return plain.split(/[|()]/).flatMap((piece) => {
    const words = piece.match(WORD) ?? [];
    return words.length > ALTERNATIVE_WORDS_MAX ? [] : words.slice(0, 1);
  });
}
