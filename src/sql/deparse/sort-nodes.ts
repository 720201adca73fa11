/** Sort keys with what they mean where nothing is written. */
import type { OrderItem } from '../ast.ts';
import type { SortNode } from './node.ts';
import { bindNode, type Printer } from './printer.ts';

export function sortNodes(printer: Printer, items: readonly OrderItem[]): readonly SortNode[] {
  return items.map((item) => ({ value: bindNode(printer, item.value), ...direction(item) }));
}

export function direction({ descending, nullsFirst, using }: OrderItem): Omit<SortNode, 'value'> {
  const down = using === null ? descending : using === '>';
  return { descending: down, nullsFirst: nullsFirst ?? down };
}
