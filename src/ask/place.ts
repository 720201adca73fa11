/**
 * Where a quote stands in a content, word for word after folding: the one thing that makes a fact a fact. What is
 * not placed here is not given.
 */
import { BOUNDARY, fold, type Folded, SCALE } from './fold.ts';
import { groupsByComma } from './number-token.ts';

/** UTF-16 offsets. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A content in which several quotes are looked for. */
export class Content {
  readonly text: string;
  readonly #groups: boolean;
  readonly #folded: Folded;

  constructor(text: string) {
    this.text = text;
    this.#groups = groupsByComma(text);
    this.#folded = fold(text, this.#groups);
  }

  /** Its numbers as they stand in it, in their order, each with the word that scales it. */
  numberTexts(): readonly { readonly text: string; readonly scale: string }[] {
    return [...this.#folded.numbers.values()].map(({ start, end }) => {
      const [scale = ''] = SCALE.exec(this.text.slice(end, end + 20)) ?? [];
      return { text: this.text.slice(start, end), scale };
    });
  }

  /**
   * The first place of a quote that begins at or after `from`; null where there is none, and for a quote without
   * a word.
   */
  place(quote: string, from = 0): Place | null {
    const wanted = fold(quote, this.#groups && groupsByComma(quote));
    const { characters, starts, ends } = this.#folded;
    const count = wanted.characters.length;
    if (count === 0) return null;
    for (let at = 0; at + count <= characters.length; at++) {
      if ((starts[at] as number) < from || !stands(wanted, this.#folded, at)) continue;
      return { start: starts[at] as number, end: ends[at + count - 1] as number };
    }
    return null;
  }
}

function stands(wanted: Folded, content: Folded, at: number): boolean {
  const count = wanted.characters.length;
  if (!isEdge(content, at) || !isEdge(content, at + count)) return false;
  for (let i = 0; i < count; i++) {
    if (!sameCharacter(wanted, content, i, at + i)) return false;
    if (i > 0 && !sameBoundary(wanted, content, i, at + i)) return false;
  }
  for (const [i, number] of wanted.numbers) {
    const other = content.numbers.get(at + i);
    if (other === undefined || other.form.length !== number.form.length) return false;
    if (number.currency !== null && other.currency !== null && number.currency !== other.currency)
      return false;
  }
  return true;
}

/** A quote of half a word stands nowhere, nor one that leaves out what scales its number. */
function isEdge({ boundaries }: Folded, at: number): boolean {
  const boundary = boundaries[at];
  return boundary === BOUNDARY.hard || boundary === BOUNDARY.soft;
}

/** A minus sign is the bracket of a cell: `-1,577` stands where a cell is `(1,577)`. */
function sameCharacter(wanted: Folded, content: Folded, i: number, at: number): boolean {
  const [own, other] = [wanted.characters[i], content.characters[at]];
  if (own === other) return true;
  return own === '-' && other === '(' && content.numbers.get(at)?.isAccounting === true;
}

function sameBoundary(wanted: Folded, content: Folded, i: number, at: number): boolean {
  const part = (boundary: number | undefined): boolean => boundary !== BOUNDARY.none;
  const [own, other] = [wanted.boundaries[i], content.boundaries[at]];
  if (own === BOUNDARY.soft || other === BOUNDARY.soft) return true;
  return part(own) === part(other);
}
