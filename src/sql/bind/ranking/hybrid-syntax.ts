/**
 * `hybrid(…, syntax => 'web')`: its words rank, as they always do, and what is written with a sign, a field or quotes
 * is a condition on the rows that are ranked.
 */
import type { Index } from '../../../catalog/model.ts';
import { type Expression, type ScanDraft, TEXT } from '../draft.ts';
import { coerce } from '../expression/coerce.ts';
import type { Level } from '../level.ts';
import type { ColumnInfo } from '../state.ts';
import { webQueryWords } from './passages.ts';
import { armColumn } from './ranking.ts';

interface Searched {
  readonly scan: ScanDraft;
  readonly info: ColumnInfo;
  /** Indexes of words, one a column. */
  readonly indexes: readonly Index[];
  readonly query: Expression;
  readonly at: number;
}

/** @returns the query's words, and whether a row meets the rest of it. */
export function bindWebSigns(
  level: Level,
  { scan, info, indexes, query, at }: Searched,
): { readonly words: Expression; readonly condition: Expression } {
  const oids = indexes.map(({ oid }) => oid);
  const words = webQueryWords(level, { indexes: oids, query }, at);
  const condition = armColumn(level, scan, info, {
    kind: 'keyword',
    indexes: oids,
    operator: 'web_signs',
    query,
    weight: null,
    option: null,
    b: null,
    k1: null,
    fields: 'together',
    columnWeights: null,
    fuzzy: null,
    output: 'matched',
  });
  return { words: coerce(level.state, words, { type: TEXT, context: 'assignment' }), condition };
}
