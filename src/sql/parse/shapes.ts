/** Shapes of texts that came more than once, with what they were parsed to. */
import { BoundedCache } from '../../bounded-cache.ts';
import type { WrittenQuery } from '../ast.ts';
import { outlineOf, type Template, templateOf, valuesOf } from './shape.ts';

const SHAPES_COUNT_MAX = 1_000;
const SHAPES_UNITS_MAX = 256 * 1024;

/** `seen` once; `unfit`: its texts are parsed each by itself. */
type Shape = 'seen' | 'unfit' | (Template & { readonly start: number });

/** A statement whose numbers are parameters. */
export interface ShapedStatement extends WrittenQuery {
  readonly lifted: { readonly types: readonly number[]; readonly parameters: readonly number[] };
}

export class Shapes {
  readonly #shapes = new BoundedCache<string, Shape>({
    entriesMax: SHAPES_COUNT_MAX,
    sizeMax: SHAPES_UNITS_MAX,
    sizeOf: (_, shape) => shape.length,
  });

  /** Null where the text has no shape that is known. */
  find(text: string): ShapedStatement | null {
    const outline = outlineOf(text);
    const known = outline === null ? undefined : this.#shapes.get(outline.shape);
    if (outline === null || known === undefined || typeof known === 'string') return null;
    const parameters = valuesOf(known, outline);
    if (parameters === null) return null;
    const { statement, types, start } = known;
    return { statement, text: text.slice(start).replace(TAIL, ''), start, lifted: { types, parameters } };
  }

  /** Takes in a text that was parsed; the second one of a shape makes it known. */
  learn(text: string, parsed: readonly WrittenQuery[]): void {
    const [only] = parsed;
    const outline = parsed.length === 1 ? outlineOf(text) : null;
    if (outline === null || only === undefined) return;
    const known = this.#shapes.get(outline.shape);
    if (known === undefined) this.#shapes.set(outline.shape, 'seen');
    if (known !== 'seen') return;
    const template = templateOf(text, outline, only.statement);
    this.#shapes.set(outline.shape, template === null ? 'unfit' : { ...template, start: only.start });
  }

  /** Texts of this one's shape are to be parsed each by itself. */
  refuse(text: string): void {
    const outline = outlineOf(text);
    if (outline !== null) this.#shapes.set(outline.shape, 'unfit');
  }
}

/** Ends of a text that are not its statement's. */
const TAIL = /[\s;]+$/;
