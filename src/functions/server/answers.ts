/** Functions of answers that are kept. What they do is behind `services.ts`. */
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { ScalarFunction, SetFunction } from '../function.ts';
import type { Reverified } from '../services.ts';

/** Columns of `quern.reverify()`. */
const COLUMNS: readonly {
  readonly name: string;
  readonly type: string;
  readonly value: (row: Reverified) => Datum;
}[] = [
  { name: 'fact_number', type: 'int4', value: ({ factNumber }) => factNumber },
  { name: 'citation_number', type: 'int4', value: ({ citationNumber }) => citationNumber },
  { name: 'fact', type: 'text', value: ({ fact }) => fact },
  { name: 'ref_id', type: 'text', value: ({ refId }) => refId },
  { name: 'quote', type: 'text', value: ({ quote }) => quote },
  { name: 'stands', type: 'bool', value: ({ stands }) => stands },
  { name: 'reason', type: 'text', value: ({ reason }) => reason },
  { name: 'dataset', type: 'text', value: ({ dataset }) => dataset },
  { name: 'doc_id', type: 'text', value: ({ docId }) => docId },
  { name: 'content_id', type: 'text', value: ({ contentId }) => contentId },
  { name: 'doc_pages', type: '_int4', value: ({ pages }) => pages && arrayDatum(OID.int4, [...pages]) },
];

export const ANSWER_SETS: readonly SetFunction[] = [
  {
    name: 'quern.reverify',
    args: ['uuid'],
    argNames: ['answer_id'],
    volatility: 'volatile',
    effect: 'kept',
    returns: 'record',
    columns: COLUMNS.map(({ name, type }) => ({ name, type })),
    effort: 0,
    summary: 'Whether the quotes of a kept answer stand in what the documents hold now: a row a quote.',
    example: ['SELECT count(*) FROM quern.reverify(NULL)', '0'],
    async *rows({ services }, answerId: string) {
      for (const row of await services.datasets.reverify(answerId))
        yield COLUMNS.map(({ value }) => value(row));
    },
  },
];

export const ANSWER_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'quern.last_answer',
    args: [],
    argNames: [],
    returns: 'uuid',
    volatility: 'stable',
    summary: 'The id of what this session was answered last, in quern.answers.',
    example: ['SELECT quern.last_answer()', null],
    evaluateIn: ({ services }) => services.datasets.lastAnswer(),
  },
];
