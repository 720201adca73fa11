/** Shapes of texts that were parsed, with the statements that they share. */
import { BoundedCache } from '../../bounded-cache.ts';
import type { ShapedStatement, WrittenQuery } from '../ast.ts';
import { type LiteralKind, type Outline, outlineOf, readable } from './outline.ts';
import { type Template, templateOf } from './shape.ts';

const SHAPES_COUNT_MAX = 1_000;
const SHAPES_UNITS_MAX = 256 * 1024;

/** `unfit`: its texts are parsed each by itself. */
type Shape = 'unfit' | (Template & { readonly start: number });

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
    if (outline === null || known === undefined || known === 'unfit') return null;
    const texts = textsOf(known, outline);
    if (texts === null) return null;
    const { statement, types, start } = known;
    return { statement, text: text.slice(start).replace(TAIL, ''), start, types, texts };
  }

  /** Takes in a text that was parsed. */
  learn(text: string, parsed: readonly WrittenQuery[]): void {
    const [only] = parsed;
    const outline = parsed.length === 1 ? outlineOf(text) : null;
    if (outline === null || only === undefined || this.#shapes.get(outline.shape) !== undefined) return;
    const template = templateOf(text, outline, only.statement);
    this.#shapes.set(outline.shape, template === null ? 'unfit' : { ...template, start: only.start });
  }
}

/** Ends of a text that are not its statement's. */
const TAIL = /[\s;]+$/;

/** The parameters' values as texts; null where a literal differs that belongs to the shape. */
function textsOf({ lifted, kept }: Template, { literals, kinds }: Outline): string[] | null {
  for (const [place, literal] of kept) if (literals[place] !== literal) return null;
  const texts: string[] = [];
  for (const { places, isNegative } of lifted) {
    const first = places[0] as number;
    const literal = literals[first] as string;
    for (const place of places) if (literals[place] !== literal) return null;
    texts.push(readable(literal, kinds[first] as LiteralKind, isNegative));
  }
  return texts;
}
