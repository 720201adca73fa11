/**
 * Values of options: `WITH (name = value)`, `SET name = value`, `(FORMAT csv)`.
 */
import type { WithOption } from '../ast.ts';
import { as, type MapContext, strings } from './context.ts';
import type { pg } from '../parse/grammar.ts';

/** A constant, a word or a list as text; null when the option has no value. */
export function optionText(node: pg.Node | undefined): string | null {
  if (node === undefined) return null;
  const constant = as(node, 'A_Const');
  if (constant !== null) return constantText(constant);
  if ('Integer' in node) return String(node.Integer.ival ?? 0);
  if ('Float' in node) return node.Float.fval ?? '0';
  if ('Boolean' in node) return String(node.Boolean.boolval ?? false);
  if ('String' in node) return node.String.sval ?? '';
  const type = as(node, 'TypeName');
  if (type !== null) return strings(type.names).at(-1) ?? '';
  const cast = as(node, 'TypeCast');
  if (cast !== null) return optionText(cast.arg);
  if ('A_Star' in node) return '*';
  return null;
}

function constantText(constant: pg.A_Const): string {
  if (constant.ival !== undefined) return String(constant.ival.ival ?? 0);
  if (constant.fval !== undefined) return constant.fval.fval ?? '0';
  if (constant.boolval !== undefined) return String(constant.boolval.boolval ?? false);
  return constant.sval?.sval ?? constant.bsval?.bsval ?? '';
}

/** Parameters of WITH. */
export function mapOptions(
  context: MapContext,
  nodes: readonly pg.Node[] | undefined,
): readonly WithOption[] {
  return (nodes ?? []).map((node) => {
    const option = as(node, 'DefElem');
    const name = option?.defname ?? '';
    return {
      at: context.at(option?.location),
      name: option?.defnamespace === undefined ? name : `${option.defnamespace}.${name}`,
      value: optionText(option?.arg) ?? 'true',
    };
  });
}

/** COPY's options also take lists of columns, and `true` for a bare word. */
export function copyOption(node: pg.Node | undefined): string | readonly string[] | true {
  const list = as(node, 'List');
  if (list !== null) return strings(list.items);
  return optionText(node) ?? true;
}
