/**
 * Literals in stored texts whose meaning would change with the session: dates by DateStyle, `today`, names of
 * relations by the search path. They are written as what they meant.
 */
import { objectNames } from '../../catalog/services.ts';
import type { Catalog } from '../../catalog/model.ts';
import { OID } from '../../types/oids.ts';
import { quoteLiteral } from '../../types/text/quote.ts';
import { findTypeByOid, typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';
import type { Expr } from '../ast.ts';
import type { State } from '../bind/state.ts';
import type { TextEdit } from './source.ts';

/** Dates and intervals that every style reads alike. */
export const storedSettings = (settings: FormatSettings): FormatSettings => ({
  ...settings,
  dateStyle: 'ISO, MDY',
  intervalStyle: 'postgres',
});

const BY_SESSION: ReadonlySet<number> = new Set([
  OID.date,
  OID.timestamp,
  OID.timestamptz,
  OID.interval,
  OID.regclass,
]);

/** True when texts of the type, or of what it is made of, mean something else to another session. */
function dependsOnSession(oid: number): boolean {
  const type = findTypeByOid(oid);
  return BY_SESSION.has(type?.elementOid ?? type?.subtypeOid ?? oid);
}

/** @param node of a syntax tree that was bound with a trace. @param now where relations have their names. */
export function storedValueEdit(state: State, now: Catalog, node: Expr): TextEdit | undefined {
  if (node.kind !== 'string' || node.at === 0) return undefined;
  const bound = state.trace?.bound.get(node);
  const value = bound && (state.trace?.coerced.get(bound) ?? bound);
  if (value?.kind !== 'literal' || value.value === null || !dependsOnSession(value.type.oid))
    return undefined;
  const objects = objectNames(now, []);
  const settings = { ...storedSettings(state.context.settings), objects };
  const text = typeByOid(value.type.oid).format(value.value, settings);
  return text === node.value ? undefined : { at: node.at, text: quoteLiteral(text) };
}
