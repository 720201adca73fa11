/** Structural equality of plans, expressions and drafts of them. */

/** Ids of columns, and negative ones of common tables, that subqueries make: in one draft by those in the other. */
type Renaming = Map<number, unknown>;

/**
 * Equal but for positions in the text (`at`). Literals are equal when type and value are.
 *
 * @param ids of drafts, where columns have ids: those that subqueries within give their columns do not count.
 *   Null of plans, where columns are positions.
 */
export function sameTree(left: unknown, right: unknown, ids: Renaming | null = null): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || ArrayBuffer.isView(left)) {
    const a = left as readonly unknown[];
    const b = right as readonly unknown[];
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!sameTree(a[i], b[i], ids)) return false;
    return true;
  }
  const { kind } = left as { readonly kind?: unknown };
  const isTable = kind === 'with' || kind === 'cte';
  const fields = Object.entries(left).filter(([field]) => field !== 'at');
  const other = right as Readonly<Record<string, unknown>>;
  const count = Object.keys(other).filter((field) => field !== 'at').length;
  return fields.length === count && fields.every(([field, value]) => sameField(field, value, other[field]));

  function sameField(field: string, value: unknown, its: unknown): boolean {
    if (ids === null || typeof value !== 'number') return sameTree(value, its, ids);
    if (kind === 'column' && field === 'id') return (ids.get(value) ?? value) === its;
    if (isIdField(field)) return sameId(ids, isTable ? -value : value, its);
    return value === its;
  }
}

const isIdField = (field: string): boolean => field === 'id' || field === 'mark' || field.endsWith('Id');

/** A column that is made in both, always the same one in place of the same. */
function sameId(ids: Renaming, id: number, other: unknown): boolean {
  const known = ids.get(id);
  if (known === undefined) ids.set(id, other);
  return known === undefined || known === other;
}
