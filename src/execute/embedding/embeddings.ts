/**
 * Passages of semantic columns, made before the rows are handed to the engine so that a commit never waits
 * for a model.
 */
import type { Index, Relation } from '../../catalog/model.ts';
import type { NewRows } from '../../engine/engine.ts';
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import type { EmbeddingModel, Inference } from '../../inference/provider.ts';
import { textsAtPath } from '../../types/json/path-column.ts';
import type { Vector } from '../../types/column/vector.ts';
import type { ExecutionContext } from '../context.ts';

type Embeddings = NewRows['embeddings'];
type RowPassages = NonNullable<ReturnType<Embeddings['get']>>[number];

/** Passages known from the row's earlier version; undefined where the text must be embedded. */
export type KnownPassages = (index: Index) => Promise<readonly (RowPassages | undefined)[] | null>;

function semanticIndexes(relation: Relation): readonly Index[] {
  return relation.indexes.filter((index) => index.kind === 'semantic');
}

const NO_EMBEDDINGS: Embeddings = new Map();

/** Embeddings of every semantic index for every row; at once where there is no such index. */
export function embedRows(
  relation: Relation,
  rows: { readonly length: number; readonly columns: NewRows['columns'] },
  context: Pick<ExecutionContext, 'inference' | 'signal' | 'sender' | 'embedding'>,
  known: KnownPassages | null = null,
): Embeddings | Promise<Embeddings> {
  const indexes = semanticIndexes(relation);
  if (context.embedding === 'later') {
    return new Map(indexes.map(({ oid }) => [oid, new Array<RowPassages>(rows.length).fill(null)]));
  }
  return indexes.length === 0 ? NO_EMBEDDINGS : embedIndexes(indexes, rows, context, known);
}

async function embedIndexes(
  indexes: readonly Index[],
  rows: { readonly length: number; readonly columns: NewRows['columns'] },
  context: Pick<ExecutionContext, 'inference' | 'signal' | 'sender'>,
  known: KnownPassages | null,
): Promise<Embeddings> {
  const made = await Promise.all(
    indexes.map(async (index) => {
      const column = rows.columns.get(index.columns[0] ?? 0);
      const texts = column && textsAtPath(column, index.path);
      const earlier = known === null ? null : await known(index);
      return [index.oid, await embedColumn(index, { texts, length: rows.length, earlier }, context)] as const;
    }),
  );
  return new Map(made);
}

/** @throws SqlError 42704; 55000 where the model's files have changed: its vectors would not compare. */
export function modelOf({ name, options, fingerprint }: Index, inference: Inference): EmbeddingModel {
  const model = inference.model(present(options.model, 'model of the index'));
  if (fingerprint === undefined || fingerprint === model.fingerprint) return model;
  throw new SqlError(
    'object_not_in_prerequisite_state',
    `embedding model "${model.name}" has changed since index "${name}" was made`,
    { hint: 'Put the former files or settings back, or drop the index and make it anew.' },
  );
}

async function embedColumn(
  index: Index,
  {
    texts,
    length,
    earlier,
  }: {
    texts: Vector | undefined;
    length: number;
    earlier: readonly (RowPassages | undefined)[] | null;
  },
  context: Pick<ExecutionContext, 'inference' | 'signal' | 'sender'>,
): Promise<RowPassages[]> {
  const passages = new Array<RowPassages>(length).fill(null);
  const wanted: { row: number; text: string }[] = [];
  for (let row = 0; row < length; row++) {
    const text = texts?.get(row) ?? null;
    if (text === null) continue;
    const before = earlier?.[row];
    if (before === undefined) wanted.push({ row, text: text as string });
    else passages[row] = before;
  }
  if (wanted.length === 0) return passages;
  const model = modelOf(index, context.inference);
  const embedded = await model.embedDocuments(
    wanted.map(({ text }) => text),
    context.signal,
    context.sender,
  );
  for (const [i, { row }] of wanted.entries()) passages[row] = present(embedded[i], 'embedding');
  return passages;
}
