/** Constants as text: get_const_expr of ruleutils.c. */
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { quoteLiteral } from '../../types/text/quote.ts';
import { typeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import { type Printer, typeText } from './printer.ts';

/** @param show whether the type is shown: `never` when what follows says it. */
export function printConstant(
  printer: Printer,
  { value, type }: { readonly value: Datum; readonly type: TypeRef },
  show: 'never' | 'as needed' | 'always',
): void {
  const { layout, context } = printer;
  const label = show === 'never' ? '' : `::${typeText(printer, type)}`;
  if (value === null) {
    layout.put(`NULL${label}`);
    return;
  }
  const text = type.oid === OID.bool ? String(value) : typeByOid(type.oid).format(value, context.settings);
  const bare = isBare(text, type);
  layout.put(bare ? text : quoteLiteral(text));
  if (show === 'always' || (!bare && type.oid !== OID.unknown) || hasModifier(type)) layout.put(label);
}

/** Numbers without a sign, and booleans: their type is read back from their form. */
function isBare(text: string, { oid }: TypeRef): boolean {
  if (oid === OID.int4) return !text.startsWith('-');
  if (oid === OID.numeric) return /^\d/.test(text) && /[eE.]/.test(text);
  return oid === OID.bool;
}

const hasModifier = ({ oid, modifier }: TypeRef): boolean => oid === OID.numeric && modifier >= 0;
