/** Values as one would write them: for those who print queries, documents and schemas. */

/** Node prints an object by its method of this name. */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

const ITEMS_MAX = 12;
const TEXT_MAX = 200;

const listed = (items: readonly string[], all: number): string =>
  [...items, ...(all > items.length ? [`… ${all} in all`] : [])].join(', ');

/** Named values as an object; a name that needs quotes has them. */
export const shownFields = (fields: Iterable<readonly [string, unknown]>): string => {
  const all = [...fields];
  const items = all
    .slice(0, ITEMS_MAX)
    .map(([name, one]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${shown(one)}`);
  return all.length === 0 ? '{}' : `{ ${listed(items, all.length)} }`;
};

/** Calls as they are written; arguments at the end that are undefined are left out. */
export function shownCall(name: string, ...args: readonly unknown[]): string {
  const given = [...args];
  while (given.length > 0 && given.at(-1) === undefined) given.pop();
  return `${name}(${given.map(shown).join(', ')})`;
}

export function shown(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}…` : value);
  }
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Date)
    return `new Date(${Number.isNaN(value.getTime()) ? 'NaN' : shown(value.toJSON())})`;
  if (Array.isArray(value)) return `[${listed(value.slice(0, ITEMS_MAX).map(shown), value.length)}]`;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const items = Array.from(value as Uint8Array);
    return `${value.constructor.name}.of(${listed(items.slice(0, ITEMS_MAX).map(String), items.length)})`;
  }
  return INSPECT in value
    ? (value as { [INSPECT](): string })[INSPECT]()
    : shownFields(Object.entries(value));
}
