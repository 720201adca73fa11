/**
 * Texts to tsvector and tsquery by a configuration, as PostgreSQL 18 does (to_tsany.c): a stop word keeps its
 * place, so that phrases stay as far apart as they were written.
 */
import { SqlError } from '../../errors.ts';
import { SEARCHED_TEXT_BYTES_MAX } from '../../limits.ts';
import { type TextSearchConfig, textSearchConfig } from '../../language/text-search-configs.ts';
import { wordTokens } from '../../language/word-tokens.ts';
import {
  formatTsQuery,
  type OperandReader,
  parseTsQuery,
  type QueryNode,
  type TsQuery,
} from '../../types/text/text-search-query.ts';
import {
  formatTsVector,
  type Lexeme,
  makeTsVector,
  POSITION_MAX,
} from '../../types/text/text-search-vector.ts';
import type { FunctionContext } from '../function.ts';

/** PostgreSQL's bound of a lexeme. */
const LEXEME_BYTES_MAX = 2046;

export function configOf(oid: number): TextSearchConfig {
  const config = textSearchConfig(oid);
  if (config) return config;
  throw new SqlError('undefined_object', `cache lookup failed for text search configuration ${oid}`);
}

/** The session's. @throws SqlError 42704. */
export function usualConfig(context: FunctionContext): TextSearchConfig {
  const name = context.setting('default_text_search_config') ?? 'english';
  const config = textSearchConfig(name);
  if (config) return config;
  throw new SqlError('undefined_object', `text search configuration "${name}" does not exist`);
}

/** One call computes without a pause. @throws SqlError 54000, with PostgreSQL's message. */
function checkLength(texts: readonly string[], type: 'tsvector' | 'tsquery'): void {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= SEARCHED_TEXT_BYTES_MAX) return;
  throw new SqlError(
    'program_limit_exceeded',
    `string is too long for ${type} (${bytes} bytes, max ${SEARCHED_TEXT_BYTES_MAX} bytes)`,
  );
}

interface Word {
  readonly word: string;
  readonly place: number;
}

/** Lexemes with their places from 1 on, and how many places there are, stop words with them. */
function wordsOf(config: TextSearchConfig, text: string): { words: readonly Word[]; places: number } {
  const words: Word[] = [];
  /** Most words of a text come again, and stemming takes most of the time. */
  const lexemes = new Map<string, string>();
  let place = 0;
  for (const { kind, text: written } of wordTokens(text)) {
    if (Buffer.byteLength(written) > LEXEME_BYTES_MAX) continue;
    place++;
    const key = `${kind} ${written}`;
    const word = lexemes.get(key) ?? config.lexeme(kind, written);
    lexemes.set(key, word);
    if (word !== '') words.push({ word, place });
  }
  return { words, places: place };
}

/** @param texts their words follow each other, with a place between two texts. */
export function toTsVector(config: TextSearchConfig, texts: readonly string[]): string {
  checkLength(texts, 'tsvector');
  const lexemes: Lexeme[] = [];
  let from = 0;
  for (const text of texts) {
    const { words, places } = wordsOf(config, text);
    for (const { word, place } of words) {
      lexemes.push({ word, positions: [Math.min(from + place, POSITION_MAX)] });
    }
    if (places > 0) from += places + 1;
  }
  return formatTsVector(makeTsVector(lexemes));
}

type Join = 'and' | 'phrase';

const joined = (kind: Join, left: QueryNode, right: QueryNode): QueryNode =>
  kind === 'phrase' ? { kind, left, right, distance: 1 } : { kind, left, right };

/** The words of an operand, joined, with a node for each stop word before and between them. */
function operandReader(config: TextSearchConfig, join: Join): OperandReader {
  return (text, weights, prefix) => {
    const nodes: QueryNode[] = [];
    let last = 0;
    for (const { word, place } of wordsOf(config, text).words) {
      for (let missing = last + 1; last > 0 && missing < place; missing++) nodes.push({ kind: 'stop' });
      nodes.push({ kind: 'word', word, weights, prefix });
      last = place;
    }
    const [first = { kind: 'stop' }, ...rest] = nodes;
    return rest.reduce((left, right) => joined(join, left, right), first);
  };
}

export function toTsQuery(context: FunctionContext, config: TextSearchConfig, text: string): string {
  checkLength([text], 'tsquery');
  return finished(context, parseTsQuery(text, operandReader(config, 'phrase')));
}

export function plainToTsQuery(
  context: FunctionContext,
  config: TextSearchConfig,
  { text, join }: { text: string; join: Join },
): string {
  checkLength([text], 'tsquery');
  return finished(context, operandReader(config, join)(text, 0, false));
}

/** Quotes for phrases, `-` for what is not wanted, `or`; anything else is words, so nothing is malformed. */
export function webToTsQuery(context: FunctionContext, config: TextSearchConfig, text: string): string {
  checkLength([text], 'tsquery');
  const read = operandReader(config, 'phrase');
  let query: QueryNode | null = null;
  let term: QueryNode | null = null;
  const close = (): void => {
    if (term !== null) query = query === null ? term : { kind: 'or', left: query, right: term };
    term = null;
  };
  const parts = [...text.matchAll(/(-*)(?:"([^"]*)"?|([^\s"]+))/g)];
  for (const [i, [, minus, quoted, bare]] of parts.entries()) {
    if (bare?.toLowerCase() === 'or' && minus === '' && term !== null && i < parts.length - 1) {
      close();
      continue;
    }
    let node: QueryNode = read(quoted ?? bare ?? '', 0, false);
    if (minus !== '') node = { kind: 'not', operand: node };
    term = term === null ? node : { kind: 'and', left: term, right: node };
  }
  close();
  return finished(context, query);
}

function finished(context: FunctionContext, query: TsQuery): string {
  const cleaned = query === null ? null : withoutStops(query).node;
  if (cleaned === null) {
    context.notice({
      severity: 'NOTICE',
      condition: 'successful_completion',
      message: "text-search query contains only stop words or doesn't contain lexemes, ignored",
    });
  }
  return formatTsQuery(cleaned);
}

/** A query without stop words, and how much further apart what stood around them is. */
interface Cleaned {
  readonly node: TsQuery;
  readonly before: number;
  readonly after: number;
}

/** clean_stopword_intree of tsquery_cleanup.c. */
function withoutStops(query: QueryNode): Cleaned {
  switch (query.kind) {
    case 'word':
      return { node: query, before: 0, after: 0 };
    case 'stop':
      return { node: null, before: 0, after: 0 };
    case 'not': {
      const inner = withoutStops(query.operand);
      return { ...inner, node: inner.node === null ? null : { kind: 'not', operand: inner.node } };
    }
    default:
      return joinCleaned(query, withoutStops(query.left), withoutStops(query.right));
  }
}

function joinCleaned(
  query: Extract<QueryNode, { kind: 'and' | 'or' | 'phrase' }>,
  left: Cleaned,
  right: Cleaned,
): Cleaned {
  const isPhrase = query.kind === 'phrase';
  const distance = isPhrase ? query.distance : 0;
  if (left.node === null && right.node === null) {
    const gap = isPhrase ? left.before + distance + right.before : Math.max(left.before, right.before);
    return { node: null, before: gap, after: gap };
  }
  if (left.node === null) {
    return isPhrase ? { ...right, before: left.before + distance + right.before } : right;
  }
  if (right.node === null) {
    return isPhrase ? { ...left, after: left.after + distance + right.after } : left;
  }
  if (!isPhrase) return { node: { ...query, left: left.node, right: right.node }, before: 0, after: 0 };
  const apart = distance + left.after + right.before;
  return {
    node: { kind: 'phrase', left: left.node, right: right.node, distance: apart },
    before: left.before,
    after: right.after,
  };
}
