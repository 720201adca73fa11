/**
 * Which columns a keyword ranking searches together, and what an occurrence in each of them counts: what the call says
 * by name, else the option `weight` of the column's index, else what its length makes it count beside a long query
 * (`index/keywords/fields/query.ts`). A weight of 0 leaves a column out.
 */
import { type Index, indexedName, liveColumns, type Relation } from '../../catalog/model.ts';
import { COLUMN_WEIGHT_MAX, isColumnWeight } from '../../catalog/index-kinds.ts';
import type { Snapshot } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { Arm } from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';

type KeywordRequest = Extract<Parameters<Snapshot['prepare']>[2], { kind: 'keyword' }>;

/** @param given jsonb; null: nothing is said. @throws SqlError 22023, 42703. */
export function searchedFields(
  relation: Relation,
  arm: Arm & { kind: 'keyword' },
  given: Datum,
): Pick<KeywordRequest, 'indexes' | 'together'> {
  if (given === null && (arm.fields === 'separate' || arm.indexes.length === 1))
    return { indexes: arm.indexes };
  const indexes = arm.indexes.flatMap((oid) => relation.indexes.filter((index) => index.oid === oid));
  const byName = given === null ? new Map<string, number>() : weightsOf(String(given), relation, indexes);
  if (arm.fields === 'separate') throw invalid('column_weights are of columns that are searched together');
  if (arm.indexes.length === 1) return { indexes: arm.indexes };
  const weighted = indexes
    .map((index) => ({
      oid: index.oid,
      weight: byName.get(indexedName(relation, index)) ?? saidWeight(index),
    }))
    .filter(({ weight }) => weight === null || weight > 0);
  if (weighted.length === 0) throw invalid('all columns that are searched have the weight 0');
  return { indexes: weighted.map(({ oid }) => oid), together: weighted.map(({ weight }) => weight) };
}

const saidWeight = ({ options: { weight } }: Index): number | null =>
  weight === undefined ? null : Number(weight);

/** By what is searched: a column, or `meta.title`. */
function weightsOf(text: string, relation: Relation, indexes: readonly Index[]): ReadonlyMap<string, number> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('column_weights must be a JSON object of columns and numbers', 'Such as {"title": 2}.');
  }
  const searched = new Set(indexes.map((index) => indexedName(relation, index)));
  const hint = `Searched are ${[...searched].join(', ')}.`;
  const weights = new Map<string, number>();
  for (const [name, weight] of Object.entries(value)) {
    if (!searched.has(name) && !liveColumns(relation).some((column) => column.name === name)) {
      throw new SqlError(
        'undefined_column',
        `column "${name}" of relation "${relation.name}" does not exist`,
        { hint },
      );
    }
    if (!searched.has(name)) {
      throw invalid(`column "${name}" of column_weights is not searched`, hint);
    }
    if (typeof weight !== 'number' || !isColumnWeight(weight)) {
      throw invalid(`the weight of column "${name}" must be a number between 0 and ${COLUMN_WEIGHT_MAX}`);
    }
    weights.set(name, weight);
  }
  return weights;
}

const invalid = (message: string, hint?: string): SqlError =>
  new SqlError('invalid_parameter_value', message, { hint });
