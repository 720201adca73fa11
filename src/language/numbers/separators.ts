/**
 * The meaning of marks between digits. `1.577` may be more than a thousand or less than two: the numbers around it tell,
 * by being of one way of writing (`12.300,5` beside it makes it thousands). Where they do not, it has no value.
 */

/** One written number's digits with their marks, as far as they tell by themselves. */
export type Shape =
  /** Only one reading: digits, and the decimals after them. */
  | {
      readonly kind: 'plain';
      readonly value: string;
      readonly decimalMark: Mark | null;
      readonly tells: Tells;
    }
  /** Three digits after one mark: thousands or decimals. */
  | { readonly kind: 'open'; readonly mark: Mark; readonly whole: string; readonly rest: string }
  /** `1 577`: thousands, or two numbers side by side. */
  | { readonly kind: 'apart'; readonly value: string; readonly decimalMark: Mark | null }
  /** A date, a code, a list. */
  | { readonly kind: 'none' };

export type Mark = ',' | '.';
/** `groups`: it shows marks between thousands, which nothing else looks like; `decimals` may be a section's number. */
type Tells = 'nothing' | 'decimals' | 'groups';

/** Longer ones are codes. */
const DIGITS_COUNT_MAX = 60;
const BODY = /^\d+(?:[.,'\u0020\u066b\u066c]\d+)*$/;
const BARE_DECIMALS = /^[.,]\d+$/;
/** How three digits stand from the right; India sets two from the second mark on. */
const BY_THREE = /^[1-9]\d{0,2}(?:_\d{3})+$/;
const BY_TWO = /^[1-9]\d?(?:_\d{2})+_\d{3}$/;
const MONTH_AND_YEAR = /^(?:[1-9]|1[0-2])\.(?:19|20)\d\d$/;

/** Spaces that keep a number together; a plain one may part two. */
const TIGHT_SPACES = /[\u00a0\u2009\u202f\u2007]/g;
const APOSTROPHES = /['’ʼ`´\u2044]/g;

/** @param body digits with what stands between them, digits already plain. */
export function shapeOf(body: string): Shape {
  const isTight = /[\u00a0\u2009\u202f\u2007]/.test(body);
  const text = body.replace(TIGHT_SPACES, ' ').replace(APOSTROPHES, "'");
  if (text.length > 2 * DIGITS_COUNT_MAX || text.replace(/\D/g, '').length > DIGITS_COUNT_MAX) return NONE;
  if (BARE_DECIMALS.test(text)) return plain(`0.${text.slice(1)}`, text[0] as Mark, 'decimals');
  if (!BODY.test(text) || MONTH_AND_YEAR.test(text)) return NONE;
  const marks = text.replace(/\d/g, '');
  if (marks === '') return /^0\d/.test(text) ? NONE : plain(text, null, 'nothing');
  const last = marks.at(-1) as string;
  const cut = text.lastIndexOf(last);
  const [head, tail] = [text.slice(0, cut), text.slice(cut + 1)];
  const isOne = [...marks].every((mark) => mark === last);
  if (!isOne) return ofTwoMarks({ head, tail, last, isTight });
  if (marks.length > 1) return grouped(text, last, isTight);
  return ofOneMark({ head, tail, last, isTight });
}

const NONE: Shape = { kind: 'none' };
const plain = (value: string, decimalMark: Mark | null, tells: Tells): Shape => ({
  kind: 'plain',
  value,
  decimalMark,
  tells,
});

interface Parts {
  readonly head: string;
  readonly tail: string;
  readonly last: string;
  readonly isTight: boolean;
}

/** `1,577.0`: the last mark is the decimals', all others are one that sets groups. */
function ofTwoMarks({ head, tail, last, isTight }: Parts): Shape {
  const marks = new Set(head.replace(/\d/g, ''));
  const [mark = ''] = marks;
  if (marks.size !== 1 || !isGrouped(head, mark) || last === ' ' || last === "'" || last === '\u066c')
    return NONE;
  const value = `${head.replace(/\D/g, '')}.${tail}`;
  const decimalMark = last === '\u066b' ? null : (last as Mark);
  if (mark === ' ' && !isTight) return { kind: 'apart', value, decimalMark };
  return plain(value, decimalMark, decimalMark === null ? 'nothing' : 'groups');
}

/** `1,577,300`, `15,77,300`. */
function grouped(text: string, mark: string, isTight: boolean): Shape {
  if (!isGrouped(text, mark)) return NONE;
  const value = text.replace(/\D/g, '');
  if (mark === ' ' && !isTight) return { kind: 'apart', value, decimalMark: null };
  return plain(value, otherMark(mark), otherMark(mark) === null ? 'nothing' : 'groups');
}

function ofOneMark({ head, tail, last, isTight }: Parts): Shape {
  const isGroup = /^[1-9]\d{0,2}$/.test(head) && tail.length === 3;
  if (last === ' ' || last === "'" || last === '\u066c') {
    if (!isGroup) return NONE;
    if (last === ' ' && !isTight) return { kind: 'apart', value: head + tail, decimalMark: null };
    return plain(head + tail, null, 'nothing');
  }
  if (/^0\d/.test(head)) return NONE;
  if (last === '\u066b') return plain(`${head}.${tail}`, null, 'nothing');
  if (isGroup) return { kind: 'open', mark: last as Mark, whole: head, rest: tail };
  return plain(`${head}.${tail}`, last as Mark, 'decimals');
}

const isGrouped = (text: string, mark: string): boolean => {
  const shape = text.replaceAll(mark, '_');
  return BY_THREE.test(shape) || (mark === ',' && BY_TWO.test(shape));
};

const otherMark = (mark: string): Mark | null => (mark === ',' ? '.' : mark === '.' ? ',' : null);

/** `1,577.0` and the like, which nobody writes who sets decimals by commas. */
export const isGroupedByComma = (text: string): boolean => /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(text);

/** `1.577.000`, which shows that points set groups. */
export const isGroupedByPoints = (text: string): boolean => /^\d{1,3}(?:\.\d{3}){2,}$/.test(text);

/** The evidence that numbers of one column, table or document give of their decimal mark. */
export class Evidence {
  /** 0: nothing, 1: decimals were seen, 2: groups were seen. */
  #point = 0;
  #comma = 0;
  #spaces = false;

  add(shape: Shape): void {
    if (shape.kind === 'apart') this.#spaces ||= shape.decimalMark !== null;
    if (shape.kind !== 'plain' || shape.decimalMark === null) return;
    const weight = shape.tells === 'groups' ? 2 : 1;
    if (shape.decimalMark === '.') this.#point = Math.max(this.#point, weight);
    else this.#comma = Math.max(this.#comma, weight);
  }

  /** Something else than marks has shown it: sums that only add up so. */
  decide(mark: Mark): void {
    this.#point = mark === '.' ? 2 : 0;
    this.#comma = mark === ',' ? 2 : 0;
  }

  addAll(other: Evidence): void {
    this.#point = Math.max(this.#point, other.#point);
    this.#comma = Math.max(this.#comma, other.#comma);
    this.#spaces ||= other.#spaces;
  }

  /** Both ways of writing were seen. */
  get isMixed(): boolean {
    return this.#point > 0 && this.#comma > 0;
  }

  /** Numbers of it are set apart by spaces for certain. */
  get hasSpaces(): boolean {
    return this.#spaces;
  }

  /** How surely this is its decimal mark: 0 to 2; 0 where both are. */
  weight(mark: Mark): number {
    if (this.isMixed) return 0;
    return mark === '.' ? this.#point : this.#comma;
  }
}
