/**
 * The tables of WITH RECURSIVE in an order in which each reads only itself and those before it: it may name what
 * stands further on. Follows PostgreSQL's parse_cte.c (TopologicalSort).
 */
import { SqlError } from '../../../errors.ts';
import type { With } from '../../ast.ts';

type Table = With['tables'][number];

/** @throws SqlError 0A000 for tables that read each other. */
export function inOrder(tables: readonly Table[]): readonly Table[] {
  const left = new Map(tables.map((table) => [table.name, table]));
  const reads = new Map(tables.map((table) => [table, namesRead(table.query)]));
  const ordered: Table[] = [];
  while (left.size > 0) {
    const ready = [...left.values()].find((table) => {
      return ![...left.keys()].some((name) => name !== table.name && reads.get(table)?.has(name));
    });
    if (!ready) {
      const [first] = left.values();
      const message = 'mutual recursion between WITH items is not implemented';
      throw new SqlError('feature_not_supported', message, { position: first?.at });
    }
    ordered.push(ready);
    left.delete(ready.name);
  }
  return ordered;
}

/** Names of relations without a schema, but for those that a WITH within defines. */
export function namesRead(tree: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  collect(tree, new Set(), names);
  return names;
}

function collect(tree: unknown, hidden: ReadonlySet<string>, names: Set<string>): void {
  if (typeof tree !== 'object' || tree === null) return;
  if (Array.isArray(tree)) {
    for (const part of tree) collect(part, hidden, names);
    return;
  }
  const node = tree as { kind?: unknown; relation?: unknown; with?: With | null };
  if (node.kind === 'relation') {
    const { schema, name } = node.relation as { schema: string | null; name: string };
    if (schema === null && !hidden.has(name)) names.add(name);
    return;
  }
  const own = node.with ? new Set([...hidden, ...node.with.tables.map((table) => table.name)]) : hidden;
  for (const part of Object.values(tree)) collect(part, own, names);
}
