/**
 * Normalisers of a `tokenizer.json`: replacements and NFKC, one after the other, with every character's place in
 * the text as it was. A character is normalised together with the marks that follow it.
 */

/** The steps that are known here, as the file spells them. */
export type NormaliserStep =
  | { readonly type: 'NFKC' }
  | {
      readonly type: 'Replace';
      readonly pattern: { readonly String: string } | { readonly Regex: string };
      readonly content: string;
    };

export interface NormalisedText {
  /** Words that begin with `▁`; empty where nothing is left. */
  readonly units: string;
  /** Code point of the text at which each unit of `units` begins; one more for the end. */
  readonly points: Uint32Array;
}

/** SentencePiece's mark of a blank: each word begins with it. */
export const BLANK = '\u2581';
/** Marks that compose with what is before them: combining ones, and the vowels and finals of Hangul. */
const MARK = /[\p{M}\u1160-\u11ff\uff9e\uff9f]/u;
/** Printable ASCII stays as it is, whatever the file says: no step may touch it but the blanks'. */
const PLAIN = /^[\x20-\x7e]*$/;

export class Normaliser {
  readonly #steps: readonly ((text: string) => string)[];
  readonly #known = new Map<string, string>();

  /** @throws Error for a step that is not known here. */
  constructor(steps: readonly NormaliserStep[]) {
    this.#steps = steps.map(stepOf);
  }

  normalise(text: string): NormalisedText {
    const pieces: string[] = [];
    const points: number[] = [];
    /** The text's first word, and every one after blanks, begins with a mark. */
    let isBlank = true;
    let point = 0;
    const put = (character: string): void => {
      if (character === ' ') {
        isBlank = true;
        return;
      }
      if (isBlank) {
        pieces.push(BLANK);
        points.push(point);
      }
      isBlank = false;
      pieces.push(character);
      for (let i = 0; i < character.length; i++) points.push(point);
    };
    for (const cluster of clusters(text)) {
      for (const character of this.#cluster(cluster)) put(character);
      point += [...cluster].length;
    }
    // A text of blanks alone says nothing.
    if (isBlank && pieces.length > 0) {
      pieces.push(BLANK);
      points.push(point);
    }
    points.push(point);
    return { units: pieces.join(''), points: Uint32Array.from(points) };
  }

  #cluster(cluster: string): string {
    if (PLAIN.test(cluster)) return cluster;
    const known = this.#known.get(cluster);
    if (known !== undefined) return known;
    const made = this.#steps.reduce((text, step) => step(text), cluster);
    if (this.#known.size < CLUSTERS_MAX && cluster.length <= CLUSTER_UNITS_MAX)
      this.#known.set(cluster, made);
    return made;
  }
}

/** Characters that are remembered: an alphabet or two thousand signs. */
const CLUSTERS_MAX = 4096;
/** A character may have a hundred thousand marks, which no other text has. */
const CLUSTER_UNITS_MAX = 16;

/** Characters with the marks that follow them. */
function* clusters(text: string): Generator<string> {
  let cluster = '';
  for (const character of text) {
    if (cluster !== '' && !(character > '\u02ff' && MARK.test(character))) {
      yield cluster;
      cluster = '';
    }
    cluster += character;
  }
  if (cluster !== '') yield cluster;
}

function stepOf(step: NormaliserStep): (text: string) => string {
  if (step.type === 'NFKC') return (text) => text.normalize('NFKC');
  if (step.type !== 'Replace') throw new Error(`normaliser ${JSON.stringify(step)} is not known`);
  const { pattern, content } = step;
  if ('String' in pattern) return (text) => text.replaceAll(pattern.String, content);
  // Oniguruma's `\x{…}` is `\u{…}` here.
  const expression = new RegExp(pattern.Regex.replaceAll('\\x{', '\\u{'), 'gu');
  return (text) => text.replace(expression, content);
}
