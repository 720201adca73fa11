/**
 * From a parsed statement to a plan that can run, and the cache of such plans: one plan serves as long as
 * catalog, settings and parameter types are the same and its relations have about the size they had.
 */
import { BoundedCache } from '../../bounded-cache.ts';
import type { Catalog, Relation } from '../../catalog/model.ts';
import type { RowKey } from '../../catalog/private-relations.ts';
import type { Engine, RelationStatistics } from '../../engine/engine.ts';
import { tooDeep } from '../../errors.ts';
import { ExpressionCache } from '../../execute/expression/expression.ts';
import { PLAN_DEPTH_MAX } from '../../limits.ts';
import { optimize, RULES } from '../../optimize/optimize.ts';
import { estimateRows, ROWS_UNKNOWN } from '../../optimize/row-estimate.ts';
import type { OptimizerContext } from '../../optimize/rule.ts';
import { CHOICES } from '../../physical/choices.ts';
import { physicalPlan } from '../../physical/make.ts';
import type { PhysicalPlan } from '../../physical/physical.ts';
import type { Plan } from '../../plan/plan.ts';
import { isDeeper } from '../../plan/walk.ts';
import { readsByKey } from '../../plan/shared-plan.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { Statement } from '../../sql/ast.ts';
import { bindStatement } from '../../sql/bind/bind.ts';
import type { Datum } from '../../types/datum.ts';
import type { FormatSettings } from '../../types/type.ts';
import type { Identity } from '../identity.ts';
import type { SessionSettings } from '../settings/settings.ts';
import { isRequest } from '../documents/is-request.ts';
import { writingTag } from '../transaction/read-only.ts';
import { NOTHING_SEARCHED, type Searched, searchedBy } from './searched.ts';
import { type TableLock, tableLocks } from './table-locks.ts';

export interface Planned {
  readonly bound: BoundStatement;
  /** As it is run; null for a statement that is not a plan. */
  readonly plan: PhysicalPlan | null;
  /** Taken before it is run. */
  readonly locks: readonly TableLock[];
  /** Name by which a transaction that only reads refuses it: `INSERT`; null: it only reads. */
  readonly writes: string | null;
  /** It is a request of documents, which may end its own transaction. */
  readonly isRequest: boolean;
  /** Indexes that it searches by meaning. */
  readonly searched: Searched;
  /** Compiled expressions of the plan. */
  readonly expressions: ExpressionCache;
  /** No value in it could make another plan better. */
  readonly isDecidedByForm: boolean;
}

interface Entry {
  readonly planned: Planned;
  readonly catalog: Catalog;
  readonly settings: number;
  /** True when it asks no index for candidates. */
  readonly exact: boolean;
  readonly types: readonly number[];
  readonly rowRole: number;
  readonly rowKey: RowKey | null;
  /** Statistics of the relations asked about while planning. */
  readonly statistics: readonly (readonly [number, RelationStatistics])[];
  readonly textUnits: number;
}

export interface PlanRequest {
  readonly statement: Statement;
  readonly text: string;
  readonly catalog: Catalog;
  readonly format: FormatSettings;
  /** Whose names are looked up, and where. */
  readonly names: { readonly identity: Identity; searchPath(): readonly string[] };
  /** OIDs given by the client; 0 for unknown. */
  readonly types: readonly number[];
  /** The parameters' values, where they are known. */
  readonly parameters?: readonly Datum[] | undefined;
  /** OID of the role whose rows there are. */
  readonly rowRole: number;
  /** The key whose rows there are; null: it does not limit them. */
  readonly rowKey: RowKey | null;
  /** In place of `quern.exact`. */
  readonly exact?: boolean | undefined;
}

const PLANS_COUNT_MAX = 256;
/** Plans take many times their text, and texts of bulk inserts hardly ever come again. */
const PLANS_TEXT_UNITS_MAX = 128 * 1024;

/** A literal such as 'today' is read when the statement is bound, so its plan is good once only. */
const CLOCK_LITERAL = /'\s*(now|today|tomorrow|yesterday|allballs)\b/i;

function readsClock(text: string, bound: BoundStatement): boolean {
  const values = bound.kind === 'plan' ? [...bound.fixed.values()] : [];
  return [text, ...values].some((one) => typeof one === 'string' && CLOCK_LITERAL.test(one));
}

export class Planner {
  #engine: Engine;
  #settings: SessionSettings;
  /** The newest stays, for Execute after Describe. */
  readonly #plans = new BoundedCache<Statement, Entry>({
    entriesMax: PLANS_COUNT_MAX,
    sizeMax: PLANS_TEXT_UNITS_MAX,
    sizeOf: ({ textUnits }) => textUnits,
  });

  /** The last one, for Execute after Describe: it holds a version of the catalog that nothing else needs. */
  #definition: { readonly of: Statement; readonly entry: Entry } | null = null;

  constructor(engine: Engine, settings: SessionSettings) {
    this.#engine = engine;
    this.#settings = settings;
  }

  /** @throws SqlError of binding: unknown names, wrong types, with positions. */
  plan(request: PlanRequest): Planned {
    const { statement } = request;
    const known = this.#definition?.of === statement ? this.#definition.entry : this.#plans.get(statement);
    if (known !== undefined && this.#fits(known, request)) return known.planned;
    const entry = this.#make(request);
    if (readsClock(request.text, entry.planned.bound)) return entry.planned;
    if (entry.planned.bound.kind === 'plan') this.#plans.set(statement, entry);
    else this.#definition = { of: statement, entry };
    return entry.planned;
  }

  clear(): void {
    this.#definition = null;
    this.#plans.clear();
  }

  #fits(entry: Entry, { catalog, types, parameters, exact, rowRole, rowKey }: PlanRequest): boolean {
    if (parameters !== undefined && !isMadeFor(entry.planned.bound, parameters)) return false;
    if (entry.rowRole !== rowRole || entry.rowKey !== rowKey) return false;
    if (entry.catalog !== catalog || entry.settings !== this.#settings.generation) return false;
    if (entry.exact !== (exact ?? this.#settings.figures().isExact)) return false;
    if (!sameItems(entry.types, types)) return false;
    for (const [relation, { rows, analysis }] of entry.statistics) {
      const now = this.#engine.statistics(relation);
      if (now.rows > 2 * rows + 100 || now.rows < rows / 2 || now.analysis !== analysis) return false;
    }
    return true;
  }

  #make(request: PlanRequest): Entry {
    const { statement, text, catalog, format, names, types, parameters, rowRole, rowKey } = request;
    const settings = this.#settings;
    const { exact = settings.figures().isExact } = request;
    const bound = bindStatement(statement, {
      catalog,
      searchPath: names.searchPath(),
      role: names.identity.current,
      sessionRole: names.identity.session,
      parameterTypes: types,
      ...(parameters && { parameterValues: parameters }),
      settings: format,
      rowRole,
      rowKey,
      rowSecurity: settings.isOn('row_security'),
      unreadBodies: !settings.isOn('check_function_bodies'),
      unknownColumns: settings.get('quern.unknown_columns') === 'null',
      restrictedViews: /\bview\b/.test(settings.get('restrict_nonsystem_relation_kind')),
    });
    const statistics = new Map<number, RelationStatistics>();
    const context = this.#context(catalog, statistics, exact);
    const optimized = bound.kind === 'plan' ? optimize(bound.plan, context) : null;
    if (optimized !== null && isDeeper(optimized, PLAN_DEPTH_MAX)) throw tooDeep();
    const plan = optimized && physicalPlan(optimized, context);
    const locks = tableLocks(bound, plan);
    const searched = plan === null ? NOTHING_SEARCHED : searchedBy(plan);
    const isDecidedByForm = optimized !== null && (statistics.size === 0 || readsByKey(optimized));
    return {
      planned: {
        bound,
        plan,
        locks,
        writes: writingTag(bound),
        isRequest: isRequest(plan),
        searched,
        expressions: new ExpressionCache(),
        isDecidedByForm,
      },
      catalog,
      settings: settings.generation,
      exact,
      types: [...types],
      rowRole,
      rowKey,
      statistics: [...statistics],
      textUnits: text.length,
    };
  }

  /**
   * Rows expected of any node of a plan, as somebody is told them who may not know how many rows there are.
   * @param hides whether some of a relation's rows are hidden: nothing is known of it then.
   */
  estimates(catalog: Catalog, hides: (relation: Relation) => boolean): (plan: Plan) => number {
    const context = this.#context(catalog, new Map(), this.#settings.figures().isExact);
    const statistics: OptimizerContext['statistics'] = (oid) => {
      const relation = catalog.relations.get(oid);
      const isHidden = relation !== undefined && hides(relation);
      return isHidden ? { rows: ROWS_UNKNOWN } : context.statistics(oid);
    };
    return (plan) => estimateRows(plan, { ...context, statistics });
  }

  #context(catalog: Catalog, asked: Map<number, RelationStatistics>, exact: boolean): OptimizerContext {
    return {
      catalog,
      statistics: (relation) => {
        const statistics = this.#engine.statistics(relation);
        asked.set(relation, statistics);
        const columns = statistics.analysis?.columns;
        return { rows: statistics.rows, ...(columns && { columns }) };
      },
      estimates: new WeakMap(),
      disabled: disabledRules(this.#settings, exact),
    };
  }
}

function sameItems(some: readonly number[], others: readonly number[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}

/** True when the plan may run with these values: some plans hold for one value of a parameter only. */
export function isMadeFor(bound: BoundStatement, parameters: readonly Datum[]): boolean {
  if (bound.kind !== 'plan' || bound.fixed.size === 0) return true;
  for (const [index, value] of bound.fixed) if (parameters[index] !== value) return false;
  return true;
}

/**
 * Rules and choices. `quern.exact` switches off those that ask indexes for candidates; `all` stands for every one,
 * `choices` for every choice.
 */
function disabledRules(settings: SessionSettings, exact: boolean): ReadonlySet<string> {
  const names = settings
    .get('quern.disabled_rules')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (exact) names.push('retrieval-top-k', 'best-per-group');
  if (names.includes('all')) names.push('choices', ...RULES.map((rule) => rule.name));
  if (names.includes('choices')) names.push(...CHOICES.map((choice) => choice.name));
  return new Set(names);
}
