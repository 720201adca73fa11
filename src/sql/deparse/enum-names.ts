/** Where a text names an enum type or one of its values, and what both are called in another version. */
import { enumByOid, findEnum, settingsWithEnums, typeName } from '../../catalog/enums.ts';
import type { Catalog } from '../../catalog/model.ts';
import { quoteIdentifier, quoteLiteral } from '../../types/text/quote.ts';
import { schemaOfFunction } from '../bind/expression/candidates.ts';
import { typeByOid } from '../../types/registry.ts';
import type { Expr, FunctionCall, TypeName } from '../ast.ts';
import { isSystemSchema } from '../bind/names.ts';
import type { State } from '../bind/state.ts';
import type { TextEdit } from './source.ts';
import { storedValueEdit } from './stored-values.ts';
import type { Expression } from '../bind/draft.ts';

/** Names of enums and their values, and literals that a session's settings would read otherwise. */
export function meaningEdit(
  state: State,
  now: Catalog,
  node: Readonly<Record<string, unknown>>,
): TextEdit | undefined {
  const edit = enumEdit(state, now, node) ?? functionEdit(state, node);
  return edit ?? (node.kind === 'string' ? storedValueEdit(state, now, node as unknown as Expr) : undefined);
}

/** @param node of a syntax tree that was bound with a trace. */
function enumEdit(state: State, now: Catalog, node: Readonly<Record<string, unknown>>): TextEdit | undefined {
  if (Array.isArray(node.names) && 'setOf' in node) return typeEdit(state, now, node as unknown as TypeName);
  return node.kind === 'string' ? valueEdit(state, now, node as unknown as Expr) : undefined;
}

/** The type with its schema. */
function typeEdit({ context }: State, now: Catalog, { at, names }: TypeName): TextEdit | undefined {
  const schema = names.at(-2) ?? null;
  if (at === 0 || isSystemSchema(schema)) return undefined;
  const known = findEnum(context.catalog, schema, names.at(-1) ?? '', context.searchPath);
  const text = known && typeName({ catalog: now, searchPath: [] }, { oid: known.oid, modifier: -1 });
  return text ? { at, text } : undefined;
}

/** The call of a user's function with its schema. */
function functionEdit({ context }: State, node: Readonly<Record<string, unknown>>): TextEdit | undefined {
  if (node.kind !== 'function' || !Array.isArray(node.args)) return undefined;
  const { name, schema: written, at } = node as unknown as FunctionCall & { readonly at: number };
  const schema = written === null && at !== 0 ? schemaOfFunction(context, name) : null;
  return schema === null ? undefined : { at, text: `${quoteIdentifier(schema)}.${quoteIdentifier(name)}` };
}

/** A literal that was read as an enum, or as an array of one. */
function valueEdit(state: State, now: Catalog, node: Expr): TextEdit | undefined {
  const bound = state.trace?.bound.get(node);
  const value = bound && coerced(state, bound);
  if (node.at === 0 || value?.kind !== 'literal' || value.value === null) return undefined;
  const { catalog, settings } = state.context;
  if (enumByOid(catalog, value.type.oid) === undefined) return undefined;
  const { format } = typeByOid(value.type.oid);
  const text = format(value.value, settingsWithEnums(settings, now));
  return text === format(value.value, settings) ? undefined : { at: node.at, text: quoteLiteral(text) };
}

function coerced({ trace }: State, bound: Expression): Expression {
  const next = trace?.coerced.get(bound);
  return next === undefined || next === bound ? bound : next;
}
