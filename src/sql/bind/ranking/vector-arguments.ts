/**
 * The arguments `vector` and `vector_column` of a search: its own vectors beside, or in place of, its text. Each is an arm
 * over the index of its column: dense, sparse, binary, a matrix, or a vector of the model of a semantic column.
 */
import { INDEX_KINDS, type IndexKind, optionDefault } from '../../../catalog/index-kinds.ts';
import { type Column, type Index, liveColumns, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { Arm } from '../../../plan/plan.ts';
import { OID } from '../../../types/oids.ts';
import { formatType, typeByOid } from '../../../types/registry.ts';
import type { TypeRef } from '../../../types/type.ts';
import { dimensionOf } from '../../../types/vector/dimension.ts';
import type { Expr } from '../../ast.ts';
import { bindExpression } from '../context.ts';
import type { Draft, Expression } from '../draft.ts';
import type { Call } from '../expression/arguments.ts';
import { coerce } from '../expression/coerce.ts';
import type { Level } from '../level.ts';
import { answeringIndexes } from './index-choice.ts';
import { QUERY_TYPES } from './ranking.ts';

export interface VectorArm {
  /** Prefix of its columns' names. */
  readonly name: string;
  readonly metric: string;
  readonly arm: Arm<Draft>;
}

export interface VectorArguments {
  readonly relation: Relation;
  readonly vector: Expr | undefined;
  /** As `vector_column` names them; null where it is left out. */
  readonly columns: readonly string[] | null;
  /** Names given by `index`. */
  readonly named: readonly string[];
  readonly call: Call;
}

/** @throws SqlError 22023, 22000, 42703, 42809. */
export function vectorArms(level: Level, given: VectorArguments): readonly VectorArm[] {
  const { vector, columns, call } = given;
  if (vector === undefined) {
    if (columns === null) return [];
    throw invalid(call, `the argument "vector_column" of ${call.name} needs a vector`);
  }
  const names = columns ?? [onlyColumn(given)];
  const values = vectorsOf(vector, names, call);
  return names.map((column, i) => {
    const name = names.length === 1 ? 'vector' : `${column}_vector`;
    return { name, ...armOf(level, given, { column, value: values[i] as Expr }) };
  });
}

/** `ARRAY[$1, $2]` is one vector a column where there are several. */
function vectorsOf(vector: Expr, names: readonly string[], call: Call): readonly Expr[] {
  if (names.length === 1) return [vector];
  const elements = vector.kind === 'array' ? vector.elements : [vector];
  if (elements.length === names.length) return elements;
  throw invalid(call, `${call.name} has ${names.length} vector columns and ${elements.length} vectors`, {
    hint: 'Give one for each: vector => ARRAY[$1, $2], vector_column => ARRAY[…].',
  });
}

/** Own vectors come before those of texts. */
export const KINDS_OF_VECTORS: readonly IndexKind[] = ['vector', 'multi_vector', 'semantic'];

function searchedBy({ relation, named }: VectorArguments, attribute: number): Index | undefined {
  const fitting = answeringIndexes({ relation, attribute }, KINDS_OF_VECTORS);
  return fitting.find(({ name }) => named.includes(name)) ?? fitting[0];
}

/** @throws SqlError 42809, 22023. */
function onlyColumn(given: VectorArguments): string {
  const { relation, call } = given;
  const indexed = liveColumns(relation).flatMap(({ name, attribute }) => {
    const index = searchedBy(given, attribute);
    return index === undefined ? [] : [{ name, isOwn: index.kind !== 'semantic' }];
  });
  const own = indexed.filter(({ isOwn }) => isOwn);
  const [only, ...more] = own.length > 0 ? own : indexed;
  if (only === undefined)
    throw notSearched(`relation "${relation.name}" has no vector index`, relation, call);
  if (more.length === 0) return only.name;
  const names = [only, ...more].map(({ name }) => `'${name}'`).join(', ');
  throw invalid(call, `relation "${relation.name}" has several columns of vectors`, {
    hint: `Name one: vector_column => one of ${names}.`,
  });
}

function armOf(
  level: Level,
  given: VectorArguments,
  { column: name, value }: { readonly column: string; readonly value: Expr },
): Omit<VectorArm, 'name'> {
  const { relation, call } = given;
  const column = liveColumns(relation).find((one) => one.name === name);
  if (column === undefined) {
    const message = `column "${name}" of relation "${relation.name}" does not exist`;
    throw new SqlError('undefined_column', message, { position: call.at });
  }
  const index = searchedBy(given, column.attribute);
  const what = `column "${name}" of relation "${relation.name}"`;
  if (index === undefined) throw notSearched(`${what} has no vector index`, relation, call);
  const oid = index.kind === 'semantic' ? OID.vector : (QUERY_TYPES.get(column.type.oid) ?? column.type.oid);
  const type: TypeRef = { oid, modifier: -1 };
  const query = coerce(level.state, bindExpression(level, value), { type, context: 'assignment' });
  checkDimension(query, column, call);
  return {
    metric: metricOf(index, column),
    arm: { kind: 'vector', index: index.oid, query, value: 'metric' },
  };
}

/** Vectors of models are compared by cosine. */
function metricOf({ kind, options }: Index, { type }: Column): string {
  const option = INDEX_KINDS[kind].options.metric;
  if (option === undefined) return 'cosine';
  return options.metric ?? optionDefault(option, typeByOid(type.oid).name) ?? 'cosine';
}

/** Checks the dimension of a constant; others when they are known. @throws SqlError 22000 */
function checkDimension(query: Expression, { name, type }: Column, call: Call): void {
  const given = query.kind === 'literal' ? dimensionOf(query.value) : 0;
  if (given === 0 || type.modifier < 1 || given === type.modifier) return;
  const message = `column "${name}" has ${type.modifier} dimensions, not ${given}`;
  throw new SqlError('data_exception', message, {
    position: query.at || call.at,
    detail: `Column "${name}" is ${formatType(type)}.`,
  });
}

const notSearched = (message: string, { name }: Relation, { at }: Call): SqlError =>
  new SqlError('wrong_object_type', message, {
    position: at,
    hint: `Make one: CREATE INDEX ON ${name} USING vector (column).`,
  });

const invalid = ({ at }: Call, message: string, fields: { readonly hint?: string } = {}): SqlError =>
  new SqlError('invalid_parameter_value', message, { position: at, ...fields });
