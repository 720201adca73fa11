/**
 * Scripts of other engines' sqllogictest suites, parsed to records in the order they run: SQLite's original
 * form, sqllogictest-rs (RisingLight: `include`) and DuckDB's dialect (`loop`, `foreach`, named connections).
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface SuiteRecord {
  /** Path below the suites' folder of the file the record stands in. */
  readonly file: string;
  /** 1-based line of the record's head. */
  readonly line: number;
  readonly kind: 'statement' | 'query';
  readonly fails: boolean;
  readonly sql: string;
  /** One letter a column: I, R, T and others. */
  readonly types: string;
  readonly sort: 'nosort' | 'rowsort' | 'valuesort';
  /** Queries of one label have one result. */
  readonly label: string | null;
  readonly connection: string;
  /** Lines after `----`; null when there is no such line. */
  readonly expected: readonly string[] | null;
}

interface Block {
  readonly lines: readonly string[];
  readonly line: number;
}

interface Place {
  readonly root: string;
  readonly file: string;
  /** Values of loop variables. */
  readonly variables: ReadonlyMap<string, string>;
}

/** Our name in `skipif` and `onlyif`. */
const SELF = 'postgresql';

/** Lines that say something of DuckDB's machine, which PostgreSQL's would pass over. */
const HARMLESS = new Set([
  'hash-threshold',
  'subtest',
  'control',
  'sleep',
  'tags',
  'test-env',
  'set',
  'reset',
]);
const HARMLESS_NEEDS = new Set(['vector_size', 'noforcestorage', 'skip_reload']);

const SORTS = ['nosort', 'rowsort', 'valuesort'];

/** @param root the folder of the suites. @param file path below it. */
export function readSuiteScript(root: string, file: string): SuiteRecord[] {
  const records: SuiteRecord[] = [];
  readBlocks(blocksOf(join(root, file)), { root, file, variables: new Map() }, records);
  return records;
}

function blocksOf(path: string): Block[] {
  const lines = readFileSync(path, 'utf8').replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const start = at;
    while (at < lines.length && (lines[at] as string).trim() !== '') at++;
    blocks.push(...splitBlock(lines.slice(start, at), start + 1));
    at++;
  }
  return blocks;
}

/** Comments go; one-line commands (`include`, `loop`, …) may follow each other without blank lines. */
function splitBlock(lines: readonly string[], line: number): Block[] {
  const blocks: Block[] = [];
  let conditions: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const text = lines[at] as string;
    if (text.startsWith('#')) continue;
    if (/^(skipif|onlyif)\b/.test(text)) conditions.push(text);
    else if (/^(statement|query)\b/.test(text)) {
      blocks.push({ lines: [...conditions, ...lines.slice(at)], line: line + at });
      return blocks;
    } else {
      blocks.push({ lines: [...conditions, text], line: line + at });
      conditions = [];
    }
  }
  return blocks;
}

/** @returns false when the script ends here. */
function readBlocks(blocks: readonly Block[], place: Place, out: SuiteRecord[]): boolean {
  let skipping = false;
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at] as Block;
    const { head, rest } = headOf(block, place.variables);
    if (head === null) continue;
    const [word = '', first = ''] = head.split(/\s+/);
    if (word === 'mode') skipping = first === 'skip';
    if (skipping || word === 'mode' || HARMLESS.has(word)) continue;
    if (word === 'statement' || word === 'query') out.push(readRecord(head, rest, block.line, place));
    else if (word === 'loop' || word === 'foreach') {
      const end = endOfLoop(blocks, at);
      for (const variables of iterations(head, place.variables)) {
        if (!readBlocks(blocks.slice(at + 1, end), { ...place, variables }, out)) return false;
      }
      at = end;
    } else if (word === 'include') {
      if (!include(first, place, out)) return false;
    } else if (!(word === 'require' && HARMLESS_NEEDS.has(first))) return false; // halt, restart, load, …
  }
  return true;
}

function include(name: string, place: Place, out: SuiteRecord[]): boolean {
  const file = join(dirname(place.file), name);
  if (!existsSync(join(place.root, file))) return false;
  return readBlocks(blocksOf(join(place.root, file)), { ...place, file }, out);
}

/** The head with its variables filled in, null where a condition passes the block over. */
function headOf(
  { lines }: Block,
  variables: ReadonlyMap<string, string>,
): { head: string | null; rest: string[] } {
  const filled = lines.map((line) => fill(line, variables));
  let at = 0;
  let wanted = true;
  for (; /^(skipif|onlyif)\b/.test(filled[at] ?? ''); at++) {
    const [word, condition = ''] = (filled[at] as string).split(/\s+/);
    if (holds(condition, variables) !== (word === 'onlyif')) wanted = false;
  }
  return { head: wanted ? (filled[at] ?? null) : null, rest: filled.slice(at + 1) };
}

/** `postgresql`, or DuckDB's `variable=value`. */
function holds(condition: string, variables: ReadonlyMap<string, string>): boolean {
  const [, name = '', value] = /^(\w+)=(.*)$/.exec(condition) ?? [];
  return value === undefined ? condition === SELF : variables.get(name) === value;
}

function fill(line: string, variables: ReadonlyMap<string, string>): string {
  let text = line;
  for (const [name, value] of variables) {
    text = text.replaceAll(`\${${name}}`, value).replaceAll(`{${name}}`, value);
  }
  return text;
}

function endOfLoop(blocks: readonly Block[], start: number): number {
  let depth = 0;
  for (let at = start; at < blocks.length; at++) {
    const text = blocks[at]?.lines.at(-1) ?? '';
    if (/^(loop|foreach)\b/.test(blocks[at]?.lines[0] ?? '')) depth++;
    if (text === 'endloop' && --depth === 0) return at;
  }
  return blocks.length;
}

function iterations(head: string, outer: ReadonlyMap<string, string>): ReadonlyMap<string, string>[] {
  const [word, name = '', ...values] = head.trim().split(/\s+/);
  const [start = 0, end = 0] = values.map(Number);
  const all = word === 'foreach' ? values : Array.from({ length: end - start }, (_, i) => String(start + i));
  return all.map((value) => new Map([...outer, [name, value]]));
}

function readRecord(head: string, rest: readonly string[], line: number, place: Place): SuiteRecord {
  const [kind = '', first = '', ...words] = head.split('#', 1)[0]?.trim().split(/\s+/) ?? [];
  const rule = rest.findIndex((text) => text.trim() === '----');
  const sort = words.find((word) => SORTS.includes(word)) as SuiteRecord['sort'] | undefined;
  const fails = first === 'error';
  return {
    file: place.file,
    line,
    kind: kind as SuiteRecord['kind'],
    fails,
    sql: (rule < 0 ? rest : rest.slice(0, rule)).join('\n'),
    types: kind === 'query' && !fails ? first : '',
    sort: sort ?? 'nosort',
    label: words.find((word) => !SORTS.includes(word) && !/^con\d*$/.test(word)) ?? null,
    connection: words.find((word) => /^con\d*$/.test(word)) ?? '',
    expected: rule < 0 || fails ? null : rest.slice(rule + 1),
  };
}
