/** CREATE INDEX, with pgvector's operator classes as metrics. */
import { columnByName } from '../../catalog/model.ts';
import { notSupported, SqlError } from '../../errors.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { CreateIndex, Located } from '../ast.ts';
import type { BindContext } from '../bind.ts';
import { takenNames } from './create-table.ts';
import { indexName, kindOfMethod, makeIndex } from './indexes.ts';
import { writableRelation } from './names.ts';

type CatalogChange = Extract<BoundStatement, { kind: 'catalog' }>;

/** pgvector's operator classes by the metric they stand for. */
const METRICS: Readonly<Record<string, string>> = {
  vector_cosine_ops: 'cosine',
  vector_l2_ops: 'euclidean',
  vector_ip_ops: 'dot_product',
  halfvec_cosine_ops: 'cosine',
  halfvec_l2_ops: 'euclidean',
  halfvec_ip_ops: 'dot_product',
  bit_hamming_ops: 'hamming',
};

export function bindCreateIndex(statement: CreateIndex, context: BindContext): CatalogChange {
  const relation = writableRelation(context, { ...statement.relation, at: 0 });
  const position = statement.at || undefined;
  if (statement.where) throw notSupported('a partial index', { position });
  const row = kindOfMethod(statement.method, 0);
  const columns = statement.columns.map((element) => {
    if (element.name === null)
      throw notSupported('an index on an expression', { position: element.at || undefined });
    const column = columnByName(relation, element.name);
    if (column) return column;
    throw new SqlError('undefined_column', `column "${element.name}" does not exist`);
  });
  if (statement.unique && row.kind !== 'btree') {
    throw new SqlError(
      'feature_not_supported',
      `access method "${statement.method}" does not support unique indexes`,
    );
  }
  const taken = takenNames(context, relation.namespace, relation.name);
  if (statement.name !== null && taken.has(statement.name)) {
    if (!statement.ifNotExists) {
      throw new SqlError('duplicate_table', `relation "${statement.name}" already exists`);
    }
    const notices = [`relation "${statement.name}" already exists, skipping`];
    return { kind: 'catalog', tag: 'CREATE INDEX', edits: [], notices };
  }
  const names = columns.map((column) => column.name);
  const name = statement.name ?? indexName(relation.name, { columns: names, row, taken });
  const options = [...operatorClassOptions(statement, row.kind === 'vector'), ...statement.options];
  const index = makeIndex({ name, row, columns, options, at: statement.at });
  const added = { ...index, unique: statement.unique };
  return {
    kind: 'catalog',
    tag: 'CREATE INDEX',
    edits: [{ edit: 'add index', relation: relation.oid, index: added }],
    notices: [],
  };
}

const GIN_CLASSES: ReadonlySet<string> = new Set(['jsonb_ops', 'jsonb_path_ops', 'array_ops']);

/** @throws SqlError 42704 for an operator class that is not there. */
function operatorClassOptions(
  statement: CreateIndex,
  vector: boolean,
): readonly (Located & { readonly name: string; readonly value: string })[] {
  return statement.columns.flatMap(({ operatorClass, at }) => {
    if (operatorClass === null) return [];
    const metric = Object.hasOwn(METRICS, operatorClass) ? METRICS[operatorClass] : undefined;
    if (vector && metric) return [{ name: 'metric', value: metric, at }];
    if (statement.method === 'btree' && /_ops$/.test(operatorClass)) return [];
    if (statement.method === 'gin' && GIN_CLASSES.has(operatorClass)) return [];
    throw new SqlError(
      'undefined_object',
      `operator class "${operatorClass}" does not exist for access method "${statement.method}"`,
      {
        position: at || undefined,
        hint: vector ? `Valid ones are ${Object.keys(METRICS).join(', ')}.` : undefined,
      },
    );
  });
}
