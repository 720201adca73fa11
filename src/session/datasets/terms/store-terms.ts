/** `quern.put_terms` and `quern.drop_terms`: a dataset's own terms, in the caller's transaction. */
import { SqlError } from '../../../errors.ts';
import { foldedName } from '../../../language/domains/lexicon.ts';
import { TERMS_COUNT_MAX } from '../../../limits.ts';
import { takeTurn } from '../../../time-slice.ts';
import type { Query } from '../../server-session.ts';
import { text, texts } from '../parameters.ts';
import { readTerms, type Term } from './read-terms.ts';

const TERMS_A_STATEMENT = 1_000;

/** @returns how many terms were put. @throws SqlError 22023, which names the row; 54000. */
export async function putTerms(query: Query, dataset: string, json: string): Promise<number> {
  const terms = readTerms(json);
  for (let start = 0; start < terms.length; start += TERMS_A_STATEMENT) {
    await putSome(query, dataset, terms.slice(start, start + TERMS_A_STATEMENT));
    await takeTurn();
  }
  const [row] = await query(
    'SELECT count(*) AS terms FROM quern.dataset_terms WHERE dataset = $1',
    text(dataset),
  );
  if (Number(row?.terms) > TERMS_COUNT_MAX) {
    const message = `dataset "${dataset}" would have more than ${TERMS_COUNT_MAX} terms`;
    throw new SqlError('program_limit_exceeded', message);
  }
  return terms.length;
}

async function putSome(query: Query, dataset: string, terms: readonly Term[]): Promise<void> {
  const of = (value: (term: Term) => string | null) => texts(terms.map((term) => value(term)));
  await query(
    `INSERT INTO quern.dataset_terms (dataset, id, kind, names, parts, formula, updated_at)
     SELECT $1, v.id, v.kind, v.names::jsonb, v.parts::jsonb, v.formula, now()
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       AS v(id, kind, names, parts, formula)
     ON CONFLICT (dataset, id) DO UPDATE SET kind = excluded.kind, names = excluded.names,
       parts = excluded.parts, formula = excluded.formula, updated_at = excluded.updated_at`,
    text(dataset),
    of(({ id }) => id),
    of(({ kind }) => kind),
    of(({ givenNames }) => JSON.stringify(givenNames)),
    of(({ parts }) => (parts.length === 0 ? null : JSON.stringify(parts))),
    of(({ formula }) => formula),
  );
  await query(
    NAMES_GO,
    text(dataset),
    of(({ id }) => id),
  );
  const names = terms.flatMap(({ id, names: given }) => {
    const folded = new Set(Object.values(given).flatMap((own) => own.map(foldedName)));
    return [...folded].map((name) => ({ id, name }));
  });
  await query(
    `INSERT INTO quern.term_names (dataset, name, id)
     SELECT $1, v.name, v.id FROM unnest($2::text[], $3::text[]) AS v(name, id)`,
    text(dataset),
    texts(names.map(({ name }) => name)),
    texts(names.map(({ id }) => id)),
  );
}

const NAMES_GO = 'DELETE FROM quern.term_names WHERE dataset = $1 AND id = ANY($2)';

/** @returns how many there were. */
export async function dropTerms(query: Query, dataset: string, ids: readonly string[]): Promise<number> {
  await query(NAMES_GO, text(dataset), texts(ids));
  const sql = 'DELETE FROM quern.dataset_terms WHERE dataset = $1 AND id = ANY($2) RETURNING id';
  return (await query(sql, text(dataset), texts(ids))).length;
}
