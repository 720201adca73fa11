/**
 * Which rows are looked at, and in which order: kept in the query of the address, so that it can be sent to
 * somebody.
 */
import { typeClass } from '../types.ts';

export type Operator =
  | 'is'
  | 'isNot'
  | 'less'
  | 'atMost'
  | 'more'
  | 'atLeast'
  | 'contains'
  | 'begins'
  | 'has'
  | 'empty'
  | 'filled';

export interface Filter {
  readonly column: string;
  readonly operator: Operator;
  readonly value: string;
}

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

export interface View {
  /** All of them hold. */
  readonly filters: readonly Filter[];
  readonly sort: Sort | null;
  /** Words, ranked. */
  readonly query: string;
}

const ORDERED: readonly Operator[] = ['is', 'isNot', 'less', 'atMost', 'more', 'atLeast', 'empty', 'filled'];

/** Conditions that a column can have, the most usual first. */
export function operatorsOf(type: string): readonly Operator[] {
  switch (typeClass(type)) {
    case 'number':
    case 'time':
      return ORDERED;
    case 'text':
      return ['contains', 'begins', ...ORDERED];
    case 'boolean':
      return ['is', 'isNot', 'empty', 'filled'];
    case 'list':
      return ['has', 'empty', 'filled'];
    case 'vector':
    case 'bytes':
      return ['filled', 'empty'];
    default:
      return ['contains', 'empty', 'filled'];
  }
}

export const takesValue = (operator: Operator): boolean => operator !== 'empty' && operator !== 'filled';

const OPERATORS: ReadonlySet<string> = new Set<Operator>([...ORDERED, 'contains', 'begins', 'has']);

function filterOf(text: string): Filter | null {
  try {
    const [column, operator, value = ''] = JSON.parse(text) as readonly unknown[];
    if (typeof column !== 'string' || typeof operator !== 'string' || !OPERATORS.has(operator)) return null;
    return { column, operator: operator as Operator, value: String(value) };
  } catch {
    return null;
  }
}

export function viewOf(search: URLSearchParams): View {
  const sort = search.get('sort');
  return {
    filters: search.getAll('f').flatMap((text) => filterOf(text) ?? []),
    sort:
      sort === null || sort === ''
        ? null
        : { column: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') },
    query: search.get('q') ?? '',
  };
}

export function searchOf({ filters, sort, query }: View): URLSearchParams {
  const search = new URLSearchParams();
  if (query !== '') search.set('q', query);
  for (const { column, operator, value } of filters) {
    search.append('f', JSON.stringify(takesValue(operator) ? [column, operator, value] : [column, operator]));
  }
  if (sort !== null) search.set('sort', `${sort.isDescending ? '-' : ''}${sort.column}`);
  return search;
}
