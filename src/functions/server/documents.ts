/** `quern.upsert` and `quern.update`: documents as a request. What they do is behind `services.ts`. */
import type { ArrayDatum, RecordDatum } from '../../types/datum.ts';
import type { SetFunction } from '../function.ts';

type Row = Pick<SetFunction, 'name' | 'args' | 'argNames' | 'argsMax' | 'defaults' | 'summary' | 'rows'> & {
  /** Types of NULL arguments, in its example. */
  readonly sample: string;
};

/** Arrays of one request. */
const COLUMNS_MAX = 1_600;

async function* lsnRow(lsn: Promise<string | null>): AsyncGenerator<readonly (string | null)[]> {
  yield [await lsn];
}

/**
 * As text they are read piece by piece, whatever their size, and that is what a parameter without a type is: jsonb is
 * read as a whole first, elsewhere where it is large.
 */
const JSON_TYPES = ['text', 'json', 'jsonb'] as const;

const ofJson = (type: (typeof JSON_TYPES)[number]): readonly Row[] => [
  {
    name: 'quern.upsert',
    args: ['text', type],
    argNames: ['relation', 'documents'],
    sample: `NULL, NULL::${type}`,
    summary: 'Stores documents, each in place of the one of its _id: the LSN.',
    rows: ({ services }, relation: string, json: string) =>
      lsnRow(services.documents.upsert(relation, { json, isRead: type !== 'text' })),
  },
  {
    name: 'quern.update',
    args: ['text', type, 'bool'],
    argNames: ['relation', 'documents', 'fail_on_missing'],
    defaults: ["'false'"],
    sample: `NULL, NULL::${type}`,
    summary: "Merges documents into those of the same _id: the LSN, '' where there was none.",
    rows: ({ services }, relation: string, json: string, strict: boolean) =>
      lsnRow(services.documents.update(relation, { json, isRead: type !== 'text' }, strict)),
  },
];

const ROWS: readonly Row[] = [
  ...JSON_TYPES.flatMap(ofJson),
  {
    name: 'quern.upsert',
    args: ['text', '_text', '...any'],
    argsMax: COLUMNS_MAX,
    sample: 'NULL, NULL::text[], NULL::text[]',
    summary: 'Stores documents that come as an array a field, each in place of the one of its _id: the LSN.',
    rows: ({ services }, relation: string, names: ArrayDatum, columns: RecordDatum) =>
      lsnRow(services.documents.upsert(relation, { names, columns })),
  },
];

const REQUESTS: readonly SetFunction[] = ROWS.map(({ sample, ...row }) => ({
  ...row,
  returns: 'text',
  columns: [{ name: 'lsn', type: 'text' }],
  volatility: 'volatile',
  effect: 'data',
  effort: 0,
  commits: true,
  example: [`SELECT count(*) FROM ${row.name}(${sample})`, '0'],
}));

export const DOCUMENT_SETS: readonly SetFunction[] = [
  ...REQUESTS,
  {
    name: 'quern.request_rows',
    args: [],
    returns: 'record',
    shaped: 'by definitions',
    strict: false,
    volatility: 'volatile',
    effect: 'none',
    effort: 0,
    summary: 'What quern.update() is about to write, for its own statement; nothing for any other.',
    example: ['SELECT count(*) FROM quern.request_rows() AS given(id text)', '0'],
    rows: ({ services }) => services.documents.rows(),
  },
];
