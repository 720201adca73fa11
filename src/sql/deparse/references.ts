/**
 * References of stored definitions, as pg_depend lists them: the relations and columns that a query reads, the
 * sequences that a default names, the users' functions that are called. A name that several functions have
 * stands for all of them.
 */
import { functionsOf } from '../../catalog/functions.ts';
import { effectivePath, findNamespace } from '../../catalog/lookup.ts';
import type { Relation } from '../../catalog/model.ts';
import { splitName } from '../../catalog/services.ts';
import { SqlError } from '../../errors.ts';
import type { References } from '../../functions/function.ts';
import type { QualifiedName } from '../ast.ts';
import type { BindContext } from '../bind/context.ts';
import { findStored } from '../bind/names.ts';
import { parseExpression, parseStatements } from '../parse/parse.ts';
import { type Call, eachPart, isCall, isCast, isRelationItem, type TreePart } from '../tree.ts';
import { columnsRead } from './source.ts';

/** @param context finds names as the view does. */
export function viewReferences(context: BindContext, view: Relation): References {
  const text = view.definition ?? '';
  const read = referencesOf(context, () => parseStatements(text));
  const columns = columnsOrNone(context, text);
  const relations = [...read.relations.keys()].map(
    (oid) => [oid, columns.get(oid) ?? new Set<number>()] as const,
  );
  return { ...read, relations: new Map(relations) };
}

/** Columns by relation; none of a view that cannot be bound any more. */
function columnsOrNone(context: BindContext, text: string): ReadonlyMap<number, ReadonlySet<number>> {
  try {
    return columnsRead(context, text);
  } catch (error) {
    if (error instanceof SqlError) return new Map();
    throw error;
  }
}

export function expressionReferences(context: BindContext, stored: string): References {
  return referencesOf(context, () => parseExpression(stored));
}

/** Statements of a function's body. */
export function statementReferences(context: BindContext, text: string): References {
  return referencesOf(context, () => parseStatements(text));
}

/** @param parse gives a tree; one that cannot be read any more refers to nothing. */
function referencesOf(context: BindContext, parse: () => unknown): References {
  const relations = new Map<number, ReadonlySet<number>>();
  const functions = new Set<number>();
  try {
    eachPart(parse(), (part) => {
      const relation = relationOf(context, part);
      if (relation) relations.set(relation.oid, new Set());
      if (isCall(part)) for (const oid of functionsCalled(context, part)) functions.add(oid);
    });
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
  }
  return { relations, functions };
}

/** A relation in FROM, or the one of `'s'::regclass`. */
function relationOf(context: BindContext, part: TreePart): Relation | undefined {
  if (isRelationItem(part)) return findStored(context, part.relation);
  if (!isCast(part)) return undefined;
  const { input, type } = part;
  if (input.kind !== 'string' || type.names.at(-1) !== 'regclass') return undefined;
  const parts = splitName(input.value);
  const schema = parts?.at(-2) ?? null;
  const name: QualifiedName = { schema, name: parts?.at(-1) ?? '', partition: null, at: 0 };
  return findStored(context, name);
}

function functionsCalled({ catalog, searchPath }: BindContext, { schema, name }: Call): readonly number[] {
  if (catalog.functions.size === 0) return [];
  return (schema === null ? effectivePath(searchPath) : [schema]).flatMap((part) => {
    const namespace = findNamespace(catalog, part);
    return namespace ? functionsOf(catalog, namespace.oid, name).map(({ oid }) => oid) : [];
  });
}
