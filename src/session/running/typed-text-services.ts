/**
 * `suggest` and `did_you_mean`: which indexes a name such as `films.title` stands for, the values that complete a text
 * beside the words that do, and the order of both.
 */
import { columnByName, type Index, indexedName, type Relation } from '../../catalog/model.ts';
import { splitPartition } from '../../catalog/partition-names.ts';
import type { PartCompletions, Snapshot } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { Completion, SessionServices } from '../../functions/services.ts';
import { checkQueryLength } from '../../inference/query-text.ts';
import { CANDIDATES_MAX } from '../../limits.ts';
import type { Datum } from '../../types/datum.ts';
import { requireRead } from '../rights/of-session.ts';
import type { SessionState } from '../session-state.ts';
import { refuseRelation } from '../scope/key-limits.ts';
import { shownSnapshot } from '../rights/shown-snapshot.ts';
import type { Statement } from './statement.ts';

/** Characters of a value that completes a text: it is shown whole. */
const VALUE_CHARACTERS_MAX = 100;

interface Source {
  readonly relation: Relation;
  readonly partition: string | null;
  /** Indexes of words: of one column, or the one that answers of each. */
  readonly indexes: readonly Index[];
}

export const typedTextServices = (statement: Statement): SessionServices['typedText'] => ({
  async complete(name, { text, k }) {
    checkQueryLength(text);
    if (k < 1 || k > CANDIDATES_MAX) {
      throw new SqlError('invalid_parameter_value', `k must be between 1 and ${CANDIDATES_MAX}, not ${k}`);
    }
    const { relation, partition, indexes } = sourceNamed(statement, name);
    using snapshot = await shownSnapshot(statement, relation, partition);
    const found: Completion[] = [];
    for (const index of indexes) {
      statement.signal.throwIfAborted();
      const column = indexedName(relation, index);
      const completions = await snapshot.complete(relation.oid, partition, {
        index: index.oid,
        text,
        count: k,
      });
      for (const word of completions.words) found.push({ ...word, kind: 'word', column });
      if (index.path === undefined)
        found.push(...(await valuesOf(completions, index.columns[0] ?? 0, column)));
    }
    return bestOf(found, k);
  },

  async correct(name, text) {
    checkQueryLength(text);
    const { relation, partition, indexes } = sourceNamed(statement, name);
    using snapshot = await shownSnapshot(statement, relation, partition);
    const oids = indexes.map(({ oid }) => oid);
    return await snapshot.correct(relation.oid, partition, { indexes: oids, text, signal: statement.signal });
  },
});

/** Short values that begin as the text, with their rows. */
async function valuesOf(
  { rows: parts, isBegun }: PartCompletions,
  attribute: number,
  column: string,
): Promise<readonly Completion[]> {
  const counts = new Map<string, number>();
  for (const { part, rows } of parts) {
    if (rows.length === 0) continue;
    const [values] = await part.readRows([attribute], rows);
    for (let row = 0; row < rows.length; row++) {
      for (const value of textsOf(values?.get(row) ?? null)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([value]) => value.length <= VALUE_CHARACTERS_MAX && isBegun(value))
    .map(([text, count]) => ({ text, count, kind: 'value', column }));
}

/** A text, or the distinct ones of a list. */
function textsOf(value: Datum): readonly string[] {
  if (typeof value === 'string') return [value];
  const isList = typeof value === 'object' && value !== null && 'datum' in value && value.datum === 'array';
  return isList ? [...new Set(value.elements.filter((element) => typeof element === 'string'))] : [];
}

/** Those of most rows first; neither kind takes more than half of the places as long as there are others. */
function bestOf(found: readonly Completion[], k: number): readonly Completion[] {
  const ofKind = (kind: Completion['kind']): readonly Completion[] =>
    found.filter((one) => one.kind === kind).sort(byCount);
  const [words, values] = [ofKind('word'), ofKind('value')];
  const wordCount = Math.min(words.length, Math.max(Math.ceil(k / 2), k - values.length));
  return [...words.slice(0, wordCount), ...values.slice(0, k - wordCount)].sort(byCount);
}

function byCount(a: Completion, b: Completion): number {
  if (a.count !== b.count) return b.count - a.count;
  if (a.kind !== b.kind) return a.kind === 'word' ? -1 : 1;
  if (a.text.length !== b.text.length) return a.text.length - b.text.length;
  return a.text < b.text || (a.text === b.text && a.column < b.column) ? -1 : 1;
}

function sourceNamed({ session }: Statement, name: string): Source {
  using snapshot = session.block.require().snapshot();
  return sourceOf(session, snapshot, name);
}

/** @throws SqlError 42P01, 42703, 42809. */
function sourceOf(session: SessionState, snapshot: Snapshot, name: string): Source {
  const whole = readRelation(session, snapshot, name);
  if (whole !== null) return { ...whole, indexes: indexesOf(whole.relation, null) };
  const { owner, column } = splitColumn(name);
  const found = owner === '' ? null : readRelation(session, snapshot, owner);
  if (found === null) {
    throw new SqlError('undefined_table', `relation "${name}" does not exist`, {
      hint: 'Name a relation (films), a partition (films$acme) or a column (films.title).',
    });
  }
  return { ...found, indexes: indexesOf(found.relation, column) };
}

/** Null where there is none; a partition has to be there too. @throws SqlError 42501. */
export function readRelation(
  session: SessionState,
  snapshot: Snapshot,
  written: string,
): Pick<Source, 'relation' | 'partition'> | null {
  const { name, partition } = splitPartition(written);
  const oid = session.catalogServices().relationOid(name);
  const relation = oid === null ? undefined : session.fields.catalog(snapshot.catalog).relations.get(oid);
  if (relation === undefined) return null;
  requireRead(session, relation);
  // Whoever may not read it is told so first, whether it is there or not.
  refuseRelation(session, relation, partition);
  if (partition !== null && !snapshot.hasPartition(relation.oid, partition)) return null;
  return { relation, partition };
}

/** At the last point outside of quotes. */
function splitColumn(name: string): { readonly owner: string; readonly column: string } {
  const match = /^(.*)\.(?:"((?:[^"]|"")+)"|([^".]+))$/su.exec(name);
  const quoted = match?.[2];
  const column = quoted === undefined ? (match?.[3] ?? '').toLowerCase() : quoted.replaceAll('""', '"');
  return { owner: match?.[1] ?? '', column };
}

/** Index of each column that `match` asks too: keyword before semantic, the oldest. @param column null: all. */
function indexesOf(relation: Relation, column: string | null): readonly Index[] {
  const all = (['keyword', 'semantic'] as const).flatMap((kind) =>
    relation.indexes.filter((index) => index.kind === kind && index.standby === undefined),
  );
  const names = all.map((index) => indexedName(relation, index));
  const first = all.filter((_index, i) => names.indexOf(names[i] ?? '') === i);
  const wanted = column === null ? first : first.filter((index) => indexedName(relation, index) === column);
  if (wanted.length > 0) return wanted;
  if (column !== null && columnByName(relation, column) === undefined) {
    const message = `column "${column}" of relation "${relation.name}" does not exist`;
    throw new SqlError('undefined_column', message, { hint: hintOf(relation, names) });
  }
  const message =
    column === null
      ? `relation "${relation.name}" has no keyword index`
      : `column "${column}" of relation "${relation.name}" has no keyword index`;
  throw new SqlError('wrong_object_type', message, { hint: hintOf(relation, names) });
}

const hintOf = ({ name }: Relation, columns: readonly string[]): string =>
  columns.length > 0
    ? `Columns with one are ${[...new Set(columns)].join(', ')}.`
    : `Make one: CREATE INDEX ON ${name} USING keyword (column).`;
