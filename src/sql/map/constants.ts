/**
 * Long lists of plain constants as one node: `x IN (1, 2, …)`, and chains of `x = 1 OR x = 2 …` or
 * `x <> 1 AND x <> 2 …`, which are the same. A node a constant takes a hundred times the memory and the time.
 */
import type { ConstantList, Expr } from '../ast.ts';
import { as, strings } from './context.ts';
import type { pg } from '../parse/grammar.ts';

/** No text has one. */
const SEPARATOR = '\0';
/** Shorter lists keep their items, each with its position. */
const LIST_COUNT_MIN = 200;

/** Null for a short list, and where the items are not all integers or all strings. */
export function constantList(items: readonly pg.Node[]): ConstantList | null {
  if (items.length < LIST_COUNT_MIN) return null;
  const kind = kindOf(items[0]);
  if (kind === null) return null;
  const texts: string[] = [];
  for (const item of items) {
    if (kindOf(item) !== kind) return null;
    texts.push(textOf(item));
  }
  return { kind, joined: texts.join(SEPARATOR) };
}

function kindOf(node: pg.Node | undefined): ConstantList['kind'] | null {
  const constant = as(node, 'A_Const');
  if (constant === null || constant.isnull) return null;
  if (constant.ival !== undefined) return 'integer';
  if (constant.fval !== undefined) return /^-?\d+$/.test(constant.fval.fval ?? '') ? 'integer' : null;
  return constant.sval === undefined ? null : 'string';
}

function textOf(node: pg.Node): string {
  const constant = as(node, 'A_Const');
  if (constant?.ival !== undefined) return String(constant.ival.ival ?? 0);
  return constant?.fval?.fval ?? constant?.sval?.sval ?? '';
}

/** Tests of one column that are one list, and the other arguments of a chain. */
interface Chain {
  readonly lists: readonly { readonly column: pg.Node; readonly list: ConstantList }[];
  readonly rest: readonly pg.Node[];
}

/** @param operator that is chained: `=` by OR, `<>` by AND. */
export function constantChain(args: readonly pg.Node[], operator: '=' | '<>'): Chain {
  if (args.length < LIST_COUNT_MIN) return { lists: [], rest: args };
  const groups = new Map<string, { column: pg.Node; tests: pg.Node[]; constants: pg.Node[] }>();
  const rest: pg.Node[] = [];
  for (const arg of args) {
    const test = columnTest(arg, operator);
    if (test === null) rest.push(arg);
    else {
      const group = groups.get(test.key) ?? { column: test.column, tests: [], constants: [] };
      groups.set(test.key, group);
      group.tests.push(arg);
      group.constants.push(test.constant);
    }
  }
  const lists: Chain['lists'][number][] = [];
  for (const { column, tests, constants } of groups.values()) {
    const list = constantList(constants);
    if (list === null) for (const test of tests) rest.push(test);
    else lists.push({ column, list });
  }
  return { lists, rest };
}

/** `column op constant`; the key tells column and kind of constant. */
function columnTest(
  node: pg.Node,
  operator: string,
): { key: string; column: pg.Node; constant: pg.Node } | null {
  const body = as(node, 'A_Expr');
  if (body === null || body.kind !== 'AEXPR_OP' || body.name?.length !== 1) return null;
  const { lexpr: column, rexpr: constant } = body;
  const fields = as(column, 'ColumnRef')?.fields;
  const kind = kindOf(constant);
  if (strings(body.name)[0] !== operator || column === undefined || constant === undefined) return null;
  if (kind === null || fields === undefined) return null;
  return { key: `${kind} ${JSON.stringify(fields)}`, column, constant };
}

export const listedTexts = ({ joined }: ConstantList): readonly string[] => joined.split(SEPARATOR);

/** As the list was written. @param at of the list. */
export function listedItems(list: ConstantList, at: number): Expr[] {
  return listedTexts(list).map((text) =>
    list.kind === 'integer' ? { kind: 'integer', at, text } : { kind: 'string', at, value: text },
  );
}
