/**
 * The draft of a plan. While a statement is being bound, a column is named by an id that is unique in the
 * statement: references hold it, output columns carry theirs, and there are no outer references. `settle.ts`
 * turns ids into positions at the end, when it is known which columns are read at all. The nodes are those of
 * `plan/plan.ts`, but for scans, writes, locks and marks of presence; what is called `Plan` and `Expression` in
 * the binder's files is a draft.
 */
import type { ConstantColumn, ConstantRows } from '../../plan/constant-rows.ts';
import { sameTree } from '../../plan/same-tree.ts';
import type { Expression as BoundExpression, Literal, PlanForm, Typed } from '../../plan/expression.ts';
import type {
  SortKey as BoundSortKey,
  Arm,
  Delete,
  Filter,
  Insert,
  JoinedScan,
  Limit,
  LockRows,
  MarkedRow,
  Merge,
  MergeGuards,
  OutputColumn,
  PlanNode,
  Project,
  Scan,
  Sort,
  Update,
} from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { TypeRef } from '../../types/type.ts';

export interface Draft extends PlanForm {
  readonly column: ColumnReference;
  readonly output: DraftColumn;
  readonly plan: Plan;
}

export interface ColumnReference extends Typed {
  readonly kind: 'column';
  /** Names a column somewhere below, or a substitute (`State.substitutes`). */
  readonly id: number;
}

export interface DraftColumn extends OutputColumn {
  readonly id: number;
  /** Its type is known only when a value is read (`expression/undeclared.ts`). */
  readonly mixed?: boolean;
}

export type Expression = BoundExpression<Draft>;
export type SortKey = BoundSortKey<Draft>;
export type Plan =
  | Exclude<PlanNode<Draft>, { kind: 'scan' | 'lock rows' | 'insert' | 'update' | 'delete' | 'merge' }>
  | ScanDraft
  | PresenceDraft
  | LockRowsDraft
  | ChangeDraft
  | MergeDraft;

/** A scan whose arms are still being collected; every live column is in `output`, arms in `armColumns`. */
export interface ScanDraft extends Scan<Draft> {
  readonly arms: Arm<Draft>[];
  readonly armColumns: DraftColumn[];
  /** Set when something asks for it. */
  rowNumber: boolean;
  /** Id of the row number column. */
  readonly rowNumberId: number;
}

/** Node that adds marks to all that its input gives (`expression/presence.ts`). */
export interface PresenceDraft {
  readonly kind: 'presence';
  readonly input: Plan;
  readonly marks: readonly DraftColumn[];
  readonly output: readonly DraftColumn[];
}

/** Long VALUES whose columns are still being asked for: each time one is read as some type, it is a column more. */
export interface ConstantsDraft {
  readonly rows: ConstantRows;
  readonly columns: ConstantColumn[];
  readonly output: DraftColumn[];
}

/** INSERT, UPDATE and DELETE with the ids of the rows that RETURNING and DO UPDATE see. */
interface WriteDraft {
  /** The new (for DELETE the old) row: live columns, then undeclared ones, then whether INSERT met it (`xmax`). */
  readonly rowIds: readonly number[];
  /** DO UPDATE: the existing row's live columns. */
  readonly existingIds: readonly number[];
  /** DO UPDATE: EXCLUDED's live columns. */
  readonly proposedIds: readonly number[];
}

/** A scan by the id of its row number; the position is known when it is settled. */
export type JoinedDraft = Omit<JoinedScan, 'rowNumber'>;
export type MarkedRowDraft = Omit<MarkedRow, 'rowNumber'>;

interface JoinedDrafts {
  readonly others: readonly JoinedDraft[];
}

export interface InsertDraft extends Insert<Draft>, WriteDraft {}
export interface UpdateDraft extends Omit<Update<Draft>, 'rowNumber' | 'others'>, JoinedDrafts, WriteDraft {}
export interface DeleteDraft extends Omit<Delete<Draft>, 'rowNumber' | 'others'>, JoinedDrafts, WriteDraft {}
export type ChangeDraft = InsertDraft | UpdateDraft | DeleteDraft;

export interface MergeDraft
  extends Omit<Merge<Draft>, 'rowNumber' | 'action' | 'actions' | 'guards'>,
    Pick<WriteDraft, 'rowIds'> {
  readonly actions: readonly ChangeDraft[];
  /** Columns of the input: the target's row number, the action's number. */
  readonly rowNumberId: number;
  readonly actionId: number;
  /** A column of the input, too: the number of the policy that is not passed. */
  readonly guards: { readonly violatedId: number; readonly policies: MergeGuards['policies'] } | null;
}

interface LockRowsDraft extends Omit<LockRows<Draft>, 'rows'> {
  readonly rows: readonly MarkedRowDraft[];
}

export const BOOLEAN: TypeRef = { oid: OID.bool, modifier: -1 };
export const TEXT: TypeRef = { oid: OID.text, modifier: -1 };
export const INTEGER: TypeRef = { oid: OID.int4, modifier: -1 };
export const BIGINT: TypeRef = { oid: OID.int8, modifier: -1 };
const NUMERIC: TypeRef = { oid: OID.numeric, modifier: -1 };
export const FLOAT: TypeRef = { oid: OID.float8, modifier: -1 };
export const JSONB: TypeRef = { oid: OID.jsonb, modifier: -1 };
export const UNKNOWN: TypeRef = { oid: OID.unknown, modifier: -1 };

export function idsOf(plan: Plan): readonly number[] {
  return plan.output.map((column) => column.id);
}

export function reference(id: number, type: TypeRef, at = 0): ColumnReference {
  return { kind: 'column', id, type, at };
}

export function literal(value: Datum, type: TypeRef, at = 0): Literal {
  return { kind: 'literal', value, type, at };
}

/** In the first of int4, int8 and numeric that holds it. */
export function integerLiteral(text: string, at: number): Expression {
  const value = BigInt(text);
  if (value <= 2147483647n && value >= -2147483648n) return literal(Number(value), INTEGER, at);
  if (value <= 9223372036854775807n && value >= -9223372036854775808n) {
    return literal(value, BIGINT, at);
  }
  return literal({ datum: 'numeric', digits: value, scale: 0 }, NUMERIC, at);
}

export const TRUE = literal(true, BOOLEAN);

export function and(terms: readonly Expression[]): Expression {
  if (terms.length === 0) return TRUE;
  return terms.length === 1 && terms[0] ? terms[0] : { kind: 'and', args: terms, type: BOOLEAN };
}

export function or(terms: readonly Expression[]): Expression {
  return terms.length === 1 && terms[0] ? terms[0] : { kind: 'or', args: terms, type: BOOLEAN };
}

/** One branch of CASE. */
export function branch(when: Expression, then: Expression): { when: Expression; then: Expression } {
  return { when, then };
}

export function isNull(input: Expression, negated = false): Expression {
  return { kind: 'is', input, test: 'null', negated, type: BOOLEAN };
}

/** The node of no FROM clause: one row without columns. */
export const ONE_ROW: Plan = { kind: 'values', rows: [[]], output: [] };

export function filter(input: Plan, condition: Expression): Filter<Draft> {
  return { kind: 'filter', input, condition, output: input.output };
}

export function project(
  input: Plan,
  expressions: readonly Expression[],
  output: readonly DraftColumn[],
): Project<Draft> {
  return { kind: 'project', input, expressions, sets: [], output };
}

export function sort(input: Plan, keys: readonly SortKey[]): Sort<Draft> {
  return { kind: 'sort', input, keys, top: null, output: input.output };
}

export function limit(
  input: Plan,
  bounds: { count: Expression | null; offset: Expression | null; ties: readonly SortKey[] | null },
): Limit<Draft> {
  return { kind: 'limit', input, ...bounds, output: input.output };
}

/**
 * Calls `visit` for every column reference in a draft plan or expression, however deep. Drafts are plain
 * data, so one walk over their fields serves all kinds of nodes.
 */
export function eachReference(draft: unknown, visit: (reference: ColumnReference) => void): void {
  if (typeof draft !== 'object' || draft === null) return;
  if (Array.isArray(draft)) {
    for (const item of draft) eachReference(item, visit);
    return;
  }
  const node = draft as Readonly<Record<string, unknown>>;
  if (node.kind === 'literal') return;
  if (node.kind === 'column') visit(draft as ColumnReference);
  for (const field in node) {
    const value = node[field];
    if (typeof value === 'object' && field !== 'output' && field !== 'type') eachReference(value, visit);
  }
}

export function mentions(draft: unknown, ids: ReadonlySet<number>): boolean {
  let found = false;
  eachReference(draft, (column) => {
    found ||= ids.has(column.id);
  });
  return found;
}

/** Equal but for positions in the text and for the ids that subqueries within give their columns. */
export const sameExpression = (left: unknown, right: unknown): boolean => sameTree(left, right, new Map());

/** The same expression with every part for which `replace` gives something else exchanged, top down. */
export function rewrite(
  expression: Expression,
  replace: (part: Expression) => Expression | undefined,
): Expression {
  const replaced = replace(expression);
  if (replaced) return replaced;
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
      return expression;
    default:
      return rewriteFields(expression, replace) as Expression;
  }
}

function rewriteFields(node: object, replace: (part: Expression) => Expression | undefined): object {
  const copy: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(node)) {
    copy[field] = field === 'type' || field === 'plan' ? value : rewriteValue(value, replace);
  }
  return copy;
}

function rewriteValue(value: unknown, replace: (part: Expression) => Expression | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, replace));
  if (typeof value !== 'object' || value === null) return value;
  return 'kind' in value && 'type' in value
    ? rewrite(value as Expression, replace)
    : rewriteFields(value, replace);
}
