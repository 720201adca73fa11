/** WITH: common tables, run once and read by scans; recursive ones read the round before. */
import { SqlError } from '../../../errors.ts';
import type { CommonTable } from '../../../plan/plan.ts';
import type { Query, With } from '../../ast.ts';
import { type SetSides, setSides } from '../../tree.ts';
import { coerce, commonTypeOf } from '../expression/coerce.ts';
import type { Draft, DraftColumn, Plan } from '../draft.ts';
import { checkEquality } from '../equality.ts';
import { bindQuery, bindWrite, type QueryScope, type WriteStatement } from '../context.ts';
import { convertColumns } from './convert-columns.ts';
import { formatType } from '../../../types/registry.ts';
import { itemPosition } from './set.ts';
import { inOrder, namesRead } from './with-order.ts';
import type { CommonTableEntry } from './common-tables.ts';

type Definition = Omit<CommonTable<Draft>, 'body' | 'output'>;

/** The scope with the tables of WITH, and what puts their definitions around the query's plan. */
export function bindWith(
  scope: QueryScope,
  clause: With | null,
): { readonly scope: QueryScope; readonly wrap: (plan: Plan) => Plan } {
  if (!clause) return { scope, wrap: (plan) => plan };
  const entries = new Map<string, CommonTableEntry>();
  const { lock, ...unlocked } = scope;
  const later = checkNames(clause);
  const inner: QueryScope = { ...unlocked, commonTables: { entries, later, parent: scope.commonTables } };
  const definitions: { definition: Definition; entry: CommonTableEntry }[] = [];
  for (const table of clause.recursive ? inOrder(clause.tables) : clause.tables) {
    later.delete(table.name);
    const { query } = table;
    if (isChange(query)) {
      checkTopLevel(scope, clause, table.at);
      definitions.push(bindChange(inner, entries, { ...table, query }));
      continue;
    }
    definitions.push(bindTable(inner, entries, { ...table, query, recursive: clause.recursive }));
  }
  const wrap = (plan: Plan): Plan => {
    return definitions.reduceRight<Plan>((body, { definition, entry }) => {
      return entry.scans === 0 && !entry.writes ? body : { ...definition, body, output: body.output };
    }, plan);
  };
  return { scope: { ...inner, lock: lock ?? null }, wrap };
}

/** @throws SqlError 42712 for a name twice. */
function checkNames({ tables }: With): Set<string> {
  const names = new Set<string>();
  for (const { name, at } of tables) {
    if (names.has(name)) {
      throw new SqlError('duplicate_alias', `WITH query name "${name}" specified more than once`, {
        position: at,
      });
    }
    names.add(name);
  }
  return names;
}

/** @throws SqlError 0A000 as PostgreSQL words it. */
function checkTopLevel({ state }: QueryScope, clause: With, position: number): void {
  if (state.topWith === clause) return;
  throw new SqlError(
    'feature_not_supported',
    'WITH clause containing a data-modifying statement must be at the top level',
    { position },
  );
}

const isChange = (query: With['tables'][number]['query']): query is WriteStatement =>
  query.kind === 'insert' || query.kind === 'update' || query.kind === 'delete' || query.kind === 'merge';

/** A statement that writes; its RETURNING is what its readers see. */
function bindChange(
  scope: QueryScope,
  entries: Map<string, CommonTableEntry>,
  table: Omit<Table, 'query' | 'recursive'> & { readonly query: WriteStatement },
): { definition: Definition; entry: CommonTableEntry } {
  const { name, query } = table;
  const id = scope.state.nextCommonTable++;
  const plan = bindWrite(scope, query);
  const readable = query.returning !== null;
  const entry: CommonTableEntry = {
    name,
    id,
    columns: readable ? namedColumns(table, plan) : [],
    scans: 0,
    writes: true,
    readable,
  };
  entries.set(name, entry);
  return { definition: { kind: 'with', id, name, definition: plan, recursive: null }, entry };
}

interface Table {
  readonly name: string;
  readonly at: number;
  readonly columns: readonly string[];
  readonly query: Query;
  readonly recursive: boolean;
}

function bindTable(
  scope: QueryScope,
  entries: Map<string, CommonTableEntry>,
  table: Table,
): { definition: Definition; entry: CommonTableEntry } {
  const { query, name } = table;
  const id = scope.state.nextCommonTable++;
  const sides = query.kind === 'set' && query.order.length === 0 ? setSides(query) : null;
  if (table.recursive && sides?.operation === 'union') {
    const recursive = bindRecursive(scope, entries, { ...table, query, sides, id });
    if (recursive) return recursive;
  } else if (table.recursive && namesRead(query).has(name)) {
    const form = 'non-recursive-term UNION [ALL] recursive-term';
    throw new SqlError('invalid_recursion', `recursive query "${name}" does not have the form ${form}`, {
      position: table.at,
    });
  }
  const { plan } = bindQuery(scope, query);
  const entry: CommonTableEntry = {
    name,
    id,
    columns: namedColumns(table, plan),
    scans: 0,
    writes: false,
    readable: true,
  };
  entries.set(name, entry);
  return { definition: { kind: 'with', id, name, definition: plan, recursive: null }, entry };
}

/** Undefined when the table does not read itself after all. */
function bindRecursive(
  scope: QueryScope,
  entries: Map<string, CommonTableEntry>,
  table: Table & { readonly sides: SetSides; readonly id: number },
): { definition: Definition; entry: CommonTableEntry } | undefined {
  const { query, sides, id, name } = table;
  const state = scope.state;
  const outer = bindWith(scope, query.with);
  const { plan: base } = bindQuery(outer.scope, sides.left);
  const entry: CommonTableEntry = {
    name,
    id,
    columns: namedColumns(table, base),
    scans: 0,
    writes: false,
    readable: true,
  };
  entries.set(name, entry);
  const { plan: term } = bindQuery(outer.scope, sides.query, { keepUnknown: true });
  if (entry.scans === 0) {
    entries.delete(name);
    return undefined;
  }
  if (term.output.length !== base.output.length) {
    throw new SqlError('syntax_error', 'each UNION query must have the same number of columns', {
      position: sides.query.at,
    });
  }
  const typed = convertColumns(state, term, (expression, i) => {
    const type = base.output[i]?.type ?? expression.type;
    const overall = commonTypeOf([{ ...expression, type }, expression], 'UNION');
    if (overall.oid !== type.oid || overall.modifier !== type.modifier) {
      const [ours, all] = [formatType(type), formatType(overall)];
      throw new SqlError(
        'datatype_mismatch',
        `recursive query "${name}" column ${i + 1} has type ${ours} in non-recursive term but type ${all} overall`,
        { position: sides.left.at, hint: 'Cast the output of the non-recursive term to the correct type.' },
      );
    }
    if (!sides.all) checkEquality(state, { ...expression, type }, itemPosition(sides.left, i));
    return coerce(state, expression, { type, context: 'implicit' });
  });
  entry.scans = 0;
  const recursive = { term: outer.wrap(typed), all: sides.all };
  return { definition: { kind: 'with', id, name, definition: outer.wrap(base), recursive }, entry };
}

function namedColumns(table: Pick<Table, 'name' | 'at' | 'columns'>, plan: Plan): readonly DraftColumn[] {
  const columns = plan.output;
  if (table.columns.length > columns.length) {
    throw new SqlError(
      'invalid_column_reference',
      `WITH query "${table.name}" has ${columns.length} columns available but ${table.columns.length} columns specified`,
      { position: table.at },
    );
  }
  return columns.map((column, i) => ({ ...column, name: table.columns[i] ?? column.name }));
}
