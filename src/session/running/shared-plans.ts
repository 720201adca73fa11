/**
 * Texts that differ in their literals run as one statement with parameters (`sql/parse/shapes.ts`), parsed and planned
 * once. One thing to know: a text of a new shape runs as it was written, and its plan is compared with the one that has
 * parameters; only where they are the same, and no value could make a better one, do the texts after it share that. What
 * cannot be read as a parameter is run as it was written too, so that errors and their positions are its own.
 */
import type { Catalog } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { isSamePlan } from '../../plan/shared-plan.ts';
import type { ShapedStatement, Statement as Tree } from '../../sql/ast.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import type { SessionState } from '../session-state.ts';

interface Verdict {
  readonly catalog: Catalog;
  readonly generation: number;
  /** The parameters as the first text had them; null: nothing is shared. */
  readonly shared: { readonly types: readonly number[]; readonly sizes: readonly number[] } | null;
}

export class SharedPlans {
  readonly #session: SessionState;
  /** By the statement with parameters, and by the one as it was written, which comes again too. */
  readonly #verdicts = new WeakMap<Tree, Verdict>();

  constructor(session: SessionState) {
    this.#session = session;
  }

  /** The text as it was planned before, or as a statement with parameters; null where it is to be parsed. */
  find(text: string): readonly ParsedStatement[] | null {
    const { parser } = this.#session.environment;
    const known = parser.known(text);
    const written = known?.[0];
    if (known !== undefined && written !== undefined && this.#verdict(written.statement) !== null)
      return known;
    const shaped = parser.shapeOf(text);
    const shared = shaped === null ? null : (this.#verdict(shaped.statement)?.shared ?? null);
    if (shaped === null || shared === null) return null;
    const parameters = this.#read(shaped, shared.types);
    if (parameters === null) return null;
    for (let i = 0; i < parameters.length; i++) {
      if (sizeOf(parameters[i] as Datum) !== shared.sizes[i]) return null;
    }
    const { statement, start, types } = shaped;
    return [{ statement, text: shaped.text, start, lifted: { types, parameters } }];
  }

  /** Takes in a text that is going to run as it was written. */
  learn(text: string, parsed: readonly ParsedStatement[]): void {
    const [written] = parsed;
    if (written === undefined || this.#verdict(written.statement) !== null) return;
    const shaped = parsed.length > 1 ? null : this.#session.environment.parser.shapeOf(text);
    if (shaped !== null && this.#verdict(shaped.statement) === null) {
      this.#keep(shaped.statement, this.#compare(written, shaped));
    }
    this.#keep(written.statement, null);
  }

  #keep(statement: Tree, shared: Verdict['shared']): void {
    const { settings } = this.#session;
    const catalog = this.#session.fields.catalog();
    this.#verdicts.set(statement, { catalog, generation: settings.generation, shared });
  }

  /** Null: not known as things are now. */
  #verdict(statement: Tree): Verdict | null {
    const known = this.#verdicts.get(statement);
    const { settings } = this.#session;
    const isOf =
      known?.catalog === this.#session.fields.catalog() && known.generation === settings.generation;
    return isOf ? known : null;
  }

  #compare(written: ParsedStatement, shaped: ShapedStatement): Verdict['shared'] {
    try {
      const { plan, bound, isDecidedByForm } = this.#session.plan(written, []);
      if (plan === null || bound.kind !== 'plan' || !isDecidedByForm) return null;
      const planned = this.#session.plan(shaped, shaped.types);
      if (planned.bound.kind !== 'plan' || planned.bound.fixed.size > 0) return null;
      const { parameters: types } = planned.bound;
      const values = this.#read(shaped, types);
      if (values === null || !isSamePlan(planned.plan, plan, values)) return null;
      if (!isSamePlan(planned.bound.output, bound.output, [])) return null;
      return { types, sizes: values.map(sizeOf) };
    } catch (error) {
      // It is raised when the text runs as it was written.
      if (error instanceof SqlError) return null;
      throw error;
    }
  }

  /** Null where one is none of its type. */
  #read({ texts }: ShapedStatement, types: readonly number[]): Datum[] | null {
    const format = this.#session.formatSettings();
    try {
      return texts.map((text, i) => typeByOid(types[i] ?? 0).parse(text, -1, format));
    } catch (error) {
      if (error instanceof SqlError) return null;
      throw error;
    }
  }
}

/** Constants of another dimension are refused when a statement is planned. */
const sizeOf = (value: Datum): number => (ArrayBuffer.isView(value) ? value.byteLength : 0);
