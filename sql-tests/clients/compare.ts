/**
 * Compares an answer with PostgreSQL's recorded one. Set aside are OIDs of users' objects, version strings, the
 * clock, and the names of the role and the database that recorded; order counts where ORDER BY asks for one. Of
 * a result of which only the first rows were recorded, the fields are compared.
 */
import type { RawClient } from '../faults/raw-client.ts';
import type { Answer, Field, Result } from './recordings.ts';
import { simple } from './replay.ts';

/** OIDs that the recording server gave, and how to find the same object here. */
const RECORDED_OBJECTS: readonly (readonly [number, string])[] = [
  [16391, "SELECT oid FROM pg_extension WHERE extname = 'vector'"],
  [16392, "SELECT 'vector'::regtype::oid"],
  [16720, "SELECT 'books'::regclass::oid"],
  [16729, "SELECT 'books_emb_idx'::regclass::oid"],
  [16730, "SELECT 'reviews_id_seq'::regclass::oid"],
  [16731, "SELECT 'reviews'::regclass::oid"],
  [16746, "SELECT 'good_books'::regclass::oid"],
  [16750, "SELECT 'app.notes'::regclass::oid"],
  [16755, "SELECT 'add1'::regproc::oid"],
  [16756, "SELECT '_mood'::regtype::oid"],
  [16757, "SELECT 'mood'::regtype::oid"],
];

const FIRST_USER_OID = 16384;
const OID_TYPE = 26;
const TIMESTAMPTZ_TYPE = 1184;
const RECORDED_YEAR = '2026-';
const RECORDED_ROLE = /^lab(?=$|=)|(?<=\/|\n)lab(?=$|=|\n)/g;
const VERSION = /^PostgreSQL 15\.\S+ .*|^15\.20 .*|^Quern .*|^PostgreSQL .*Quern.*/;

export type ObjectMap = ReadonlyMap<number, number>;

/** Recorded OIDs to those of the same objects here; 0 for what is not here. */
export async function findObjects(client: RawClient): Promise<ObjectMap> {
  const found = new Map<number, number>();
  for (const [oid, sql] of RECORDED_OBJECTS) {
    const { results } = await simple(client, sql);
    found.set(oid, Number(results[0]?.rows[0]?.[0] ?? 0));
  }
  return found;
}

/** A recorded statement with the OIDs of this server. */
export function translated(text: string, objects: ObjectMap): string {
  return text.replaceAll(/\b16[37]\d\d\b/g, (oid) => String(objects.get(Number(oid)) ?? oid));
}

/** How the answers differ, in one line, or null. */
export function difference(sql: string, expected: Answer, seen: Answer, objects: ObjectMap): string | null {
  if (expected.error !== seen.error) return `error ${seen.error}, not ${expected.error}`;
  if (expected.results.length !== seen.results.length)
    return `${seen.results.length} results, not ${expected.results.length}`;
  const ordered = /\border\s+by\b[^)]*$/i.test(sql);
  for (const [index, result] of expected.results.entries()) {
    const other = seen.results[index] as Result;
    const found =
      fieldsDiffer(result, other, objects) ?? (result.cut ? null : rowsDiffer(result, other, ordered));
    if (found !== null) return found;
  }
  return null;
}

function fieldsDiffer(expected: Result, seen: Result, objects: ObjectMap): string | null {
  const line = (fields: readonly Field[], map: ObjectMap | null) =>
    fields
      .map(({ name, type, modifier }) => `${name}:${map?.get(type) ?? type}(${modifier})`)
      .filter((text) => !text.startsWith('?'))
      .join(' ');
  const [wanted, got] = [line(expected.fields, objects), line(seen.fields, null)];
  return wanted === got ? null : `fields ${distinctWords(got, wanted)}, not ${distinctWords(wanted, got)}`;
}

/** The words of one line that the other has not. */
function distinctWords(line: string, other: string): string {
  const known = new Set(other.split(' '));
  return line
    .split(' ')
    .filter((word) => !known.has(word))
    .join(' ');
}

function rowsDiffer(expected: Result, seen: Result, ordered: boolean): string | null {
  const lines = (result: Result) => {
    const shown = result.rows.map((row) => JSON.stringify(row.map((value, at) => cell(expected, at, value))));
    return ordered ? shown : shown.sort();
  };
  const [wanted, got] = [lines(expected), lines(seen)];
  const at = Array.from({ length: Math.max(wanted.length, got.length) }, (_, index) => index).find(
    (index) => wanted[index] !== got[index],
  );
  if (at === undefined) return null;
  return `${got.length} rows, not ${wanted.length}; first ${got[at]}, not ${wanted[at]}`;
}

function cell(expected: Result, at: number, value: string | null): string | null {
  if (value === null) return null;
  const type = expected.fields[at]?.type;
  if (type === OID_TYPE && Number(value) >= FIRST_USER_OID) return 'user object';
  if (type === TIMESTAMPTZ_TYPE && value.startsWith(RECORDED_YEAR)) return 'now';
  return value
    .replaceAll(RECORDED_ROLE, 'quern')
    .replace(VERSION, 'version')
    .replace(/^Etc\/UTC$/, 'UTC');
}
