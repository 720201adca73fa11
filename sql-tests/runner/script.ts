/**
 * Test scripts in sqllogictest form, parsed to records and written back.
 *
 *   statement ok | statement error [SQLSTATE or text] | query [types] [nosort|rowsort|valuesort] [label]
 *   plan (a query whose EXPLAIN is shown) | skipif/onlyif NAME | halt | hash-threshold N
 *
 * Ours are row-wise, columns parted by tabs; SQLite's are a value a line.
 */

export interface ScriptRecord {
  readonly kind: 'statement' | 'query' | 'plan' | 'halt' | 'other';
  /** 1-based line of the record's head. */
  readonly line: number;
  /** The head without its first word: `ok`, `error 42703`, `III rowsort`. */
  readonly head: string;
  readonly sql: string;
  /** Lines after `----`; null when the record has none. */
  readonly expected: readonly string[] | null;
  /** `skipif x` and `onlyif x` before the head. */
  readonly conditions: readonly { readonly only: boolean; readonly name: string }[];
  /** The record's own lines, to write it back unchanged. */
  readonly source: readonly string[];
}

/** Blocks are parted by blank lines; comments (`#`) stay with the block they stand in. */
export function parseScript(text: string): ScriptRecord[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const records: ScriptRecord[] = [];
  for (let at = 0; at < lines.length; ) {
    if ((lines[at] as string).trim() === '') {
      at++;
      continue;
    }
    let end = at;
    while (end < lines.length && (lines[end] as string).trim() !== '') end++;
    records.push(parseRecord(lines.slice(at, end), at + 1));
    at = end;
  }
  return records;
}

function parseRecord(source: readonly string[], line: number): ScriptRecord {
  const conditions: { only: boolean; name: string }[] = [];
  let at = 0;
  for (; at < source.length; at++) {
    const text = source[at] as string;
    const condition = /^(skipif|onlyif)\s+(\S+)/.exec(text);
    if (condition) conditions.push({ only: condition[1] === 'onlyif', name: condition[2] as string });
    else if (!text.startsWith('#')) break;
  }
  const [, word = '', head = ''] = /^(\S+)\s*(.*)$/.exec(source[at] ?? '') ?? [];
  const kind = ['statement', 'query', 'plan', 'halt'].includes(word)
    ? (word as ScriptRecord['kind'])
    : 'other';
  const body = source.slice(at + 1);
  const rule = body.indexOf('----');
  const sql = (rule < 0 ? body : body.slice(0, rule)).join('\n');
  return {
    kind,
    line: line + at,
    head: head.trim(),
    sql,
    expected: rule < 0 ? null : body.slice(rule + 1),
    conditions,
    source,
  };
}

/** The record with other results, for UPDATE_GOLDEN=1. */
export function withExpected(record: ScriptRecord, expected: readonly string[] | null): string[] {
  const rule = record.source.indexOf('----');
  const before = rule < 0 ? record.source : record.source.slice(0, rule);
  return expected === null ? [...before] : [...before, '----', ...expected];
}

/** One row as a line: NULL and empty text are told apart, tabs and newlines cannot break the form. */
export function rowLine(row: readonly (string | null)[]): string {
  return row
    .map((value) => (value === null ? 'NULL' : value === '' ? '(empty)' : value.replaceAll(/[\n\t]/g, ' ')))
    .join('\t');
}

export function sorted(lines: readonly string[], head: string): string[] {
  if (/\browsort\b/.test(head)) return [...lines].sort();
  if (/\bvaluesort\b/.test(head)) return lines.flatMap((line) => line.split('\t')).sort();
  return [...lines];
}
