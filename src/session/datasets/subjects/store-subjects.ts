/** Names of whom documents are of, stored by ingestion and mended by users, in the caller's transaction. */
import { SqlError } from '../../../errors.ts';
import { KEY_CHARACTERS_MAX, nameKey } from '../../../language/names/name-keys.ts';
import type { Query } from '../../server-session.ts';
import { text, texts } from '../parameters.ts';
import { datasetSchema } from '../relations.ts';

interface Place {
  readonly dataset: string;
  readonly docId: string;
}

interface Named {
  readonly name: string;
  readonly kind: string;
  readonly language: string | null;
}

/** Puts them in the place of those that were found before; what users have given or dropped stays. */
export async function storeSubjects(
  query: Query,
  { dataset, docId }: Place,
  subjects: readonly Named[],
): Promise<void> {
  const relation = `${datasetSchema(dataset)}.subjects`;
  await query(`DELETE FROM ${relation} WHERE doc_id = $1 AND kind NOT IN ('given', 'dropped')`, text(docId));
  if (subjects.length === 0) return;
  await query(
    `INSERT INTO ${relation} (doc_id, name, kind, language, key)
     SELECT $1, v.name, v.kind, v.language, v.key
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS v(name, kind, language, key)
     WHERE NOT EXISTS (SELECT 1 FROM ${relation} s WHERE s.doc_id = $1 AND s.key = v.key)`,
    text(docId),
    texts(subjects.map(({ name }) => name)),
    texts(subjects.map(({ kind }) => kind)),
    texts(subjects.map(({ language }) => language)),
    texts(subjects.map(({ name }) => nameKey(name))),
  );
}

export async function deleteSubjects(query: Query, { dataset, docId }: Place): Promise<void> {
  await query(`DELETE FROM ${datasetSchema(dataset)}.subjects WHERE doc_id = $1`, text(docId));
}

interface GivenSubjects {
  readonly docId: string;
  readonly names: readonly string[];
}

/** @returns how many names were given. @throws SqlError 22023, which names the row. */
export async function putSubjects(query: Query, dataset: string, json: string): Promise<number> {
  const rows = readSubjects(json);
  let count = 0;
  for (const row of rows) {
    await checkDocument(query, dataset, row.docId);
    count += await mend(query, { dataset, docId: row.docId }, row.names, 'given');
  }
  return count;
}

/** @returns how many names there were. */
export async function dropSubjects(query: Query, place: Place, names: readonly string[]): Promise<number> {
  await checkDocument(query, place.dataset, place.docId);
  const keys = texts(names.map(nameKey));
  const sql = `SELECT count(*) AS names FROM ${datasetSchema(place.dataset)}.subjects
    WHERE doc_id = $1 AND key = ANY($2) AND kind <> 'dropped'`;
  const [row] = await query(sql, text(place.docId), keys);
  await mend(query, place, names, 'dropped');
  return Number(row?.names);
}

/** Says of these names what users say, in the place of what was found. */
async function mend(
  query: Query,
  { dataset, docId }: Place,
  names: readonly string[],
  kind: 'given' | 'dropped',
): Promise<number> {
  const relation = `${datasetSchema(dataset)}.subjects`;
  const byKey = new Map(names.map((name) => [nameKey(name), name.trim()]));
  byKey.delete('');
  const keys = texts([...byKey.keys()]);
  await query(`DELETE FROM ${relation} WHERE doc_id = $1 AND key = ANY($2)`, text(docId), keys);
  await query(
    `INSERT INTO ${relation} (doc_id, name, kind, key)
     SELECT $1, v.name, $2, v.key FROM unnest($3::text[], $4::text[]) AS v(key, name)`,
    text(docId),
    text(kind),
    keys,
    texts([...byKey.values()]),
  );
  return byKey.size;
}

/** @throws SqlError 22023. */
async function checkDocument(query: Query, dataset: string, docId: string): Promise<void> {
  const [row] = await query(
    `SELECT 1 AS found FROM ${datasetSchema(dataset)}.documents WHERE _id = $1`,
    text(docId),
  );
  if (row === undefined)
    throw new SqlError('invalid_parameter_value', `dataset "${dataset}" has no document "${docId}"`);
}

/** @throws SqlError 22023. */
function readSubjects(json: string): readonly GivenSubjects[] {
  const value: unknown = JSON.parse(json);
  const rows: readonly unknown[] = Array.isArray(value) ? value : [value];
  return rows.map((row, index) => {
    const { doc_id: docId, names } = (typeof row === 'object' && row !== null ? row : {}) as Record<
      string,
      unknown
    >;
    const given: readonly unknown[] = Array.isArray(names) ? names : [names];
    const own = given.filter((name) => typeof name === 'string' && isName(name)) as readonly string[];
    if (typeof docId === 'string' && own.length === given.length) return { docId, names: own };
    throw new SqlError(
      'invalid_parameter_value',
      `subject ${index + 1} has no doc_id, or no names that are texts`,
      {
        hint: `A row is {"doc_id": …, "names": […]}; a name has a letter and at most ${KEY_CHARACTERS_MAX} characters.`,
      },
    );
  });
}

const isName = (name: string): boolean => nameKey(name) !== '' && name.length <= KEY_CHARACTERS_MAX;
