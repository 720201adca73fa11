/**
 * Unigram tokenizers (SentencePiece), read from a `tokenizer.json`: a text is cut into the pieces whose scores add
 * up to most (Kudo, "Subword Regularization", 2018). Ours, because the package `tokenizers` holds the 250,000 pieces
 * of a multilingual model in 300 MB, and each thread has its own; here they are sorted texts in 6 MB.
 */
import { BLANK, Normaliser, type NormaliserStep } from './normaliser.ts';
import type { TextTokenizer, TokenizedText } from './tokenizer.ts';
/** Penalty below the worst piece's score where no piece fits, as SentencePiece does. */
const UNKNOWN_PENALTY = 10;

/** The parts of a `tokenizer.json` that are read here. */
export interface UnigramFile {
  readonly normalizer: { readonly type: 'Sequence'; readonly normalizers: readonly NormaliserStep[] };
  readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
  readonly model: {
    readonly type: 'Unigram';
    readonly unk_id: number;
    readonly vocab: readonly (readonly [piece: string, score: number])[];
  };
}

export class UnigramTokenizer implements TextTokenizer {
  readonly #normaliser: Normaliser;
  readonly #special: ReadonlyMap<string, number>;
  readonly #unknown: number;
  readonly #unknownScore: number;
  /** Pieces in the order of their UTF-16 units, one after the other: units, where each begins, ids and scores. */
  readonly #units: Uint16Array;
  readonly #starts: Uint32Array;
  readonly #ids: Uint32Array;
  readonly #scores: Float32Array;

  constructor({ normalizer, added_tokens, model }: UnigramFile) {
    this.#normaliser = new Normaliser(normalizer.normalizers);
    this.#special = new Map(added_tokens.map(({ id, content }) => [content, id]));
    this.#unknown = model.unk_id;
    this.#unknownScore =
      model.vocab.reduce((least, [, score]) => Math.min(least, score), 0) - UNKNOWN_PENALTY;
    // Texts cannot name special tokens.
    const special = new Set(this.#special.values());
    const ids = new Map<string, number>();
    for (const [id, [piece]] of model.vocab.entries())
      if (!special.has(id) && piece !== '') ids.set(piece, id);
    const pieces = [...ids.keys()].sort();
    this.#ids = Uint32Array.from(pieces, (piece) => ids.get(piece) as number);
    this.#scores = Float32Array.from(this.#ids, (id) => model.vocab[id]?.[1] ?? 0);
    this.#starts = new Uint32Array(pieces.length + 1);
    this.#units = new Uint16Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const [place, piece] of pieces.entries()) {
      for (let i = 0; i < piece.length; i++) this.#units[at++] = piece.charCodeAt(i);
      this.#starts[place + 1] = at;
    }
  }

  continuesWord(token: string): boolean {
    return !token.startsWith(BLANK);
  }

  special(token: string): number | null {
    return this.#special.get(token) ?? null;
  }

  async tokenize(text: string): Promise<TokenizedText> {
    const { units, points } = this.#normaliser.normalise(text);
    const ids: number[] = [];
    const tokens: string[] = [];
    const offsets: (readonly number[])[] = [];
    for (const { from, to, place } of this.#best(units)) {
      const token = units.slice(from, to);
      const start = points[from] as number;
      const end = points[to] as number;
      // A run that no piece fits is one unknown, however long it is.
      if (place < 0 && ids.at(-1) === this.#unknown) {
        tokens.push(`${tokens.pop()}${token}`);
        offsets.push([offsets.pop()?.[0] ?? start, end]);
        continue;
      }
      ids.push(place < 0 ? this.#unknown : (this.#ids[place] as number));
      tokens.push(token);
      offsets.push([start, end]);
    }
    return { ids, tokens, offsets };
  }

  /** The best way through, from each place the pieces that fit there. */
  #best(text: string): { readonly from: number; readonly to: number; readonly place: number }[] {
    const { length } = text;
    const scores = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
    const cameFrom = new Int32Array(length + 1);
    const cameBy = new Int32Array(length + 1).fill(-1);
    scores[0] = 0;
    for (let from = 0; from < length; from++) {
      const score = scores[from] as number;
      if (score === Number.NEGATIVE_INFINITY) continue;
      const reach = (to: number, place: number, more: number): void => {
        if (score + more <= (scores[to] as number)) return;
        scores[to] = score + more;
        cameFrom[to] = from;
        cameBy[to] = place;
      };
      const character = (text.codePointAt(from) as number) > 0xffff ? 2 : 1;
      reach(from + character, -1, this.#unknownScore);
      this.#piecesAt(text, from, reach);
    }
    const way = [];
    for (let to = length; to > 0; to = cameFrom[to] as number) {
      way.push({ from: cameFrom[to] as number, to, place: cameBy[to] as number });
    }
    return way.reverse();
  }

  /** Narrows the run of sorted pieces that begin as the text does, unit by unit. */
  #piecesAt(text: string, from: number, found: (to: number, place: number, score: number) => void): void {
    let low = 0;
    let high = this.#ids.length;
    for (let depth = 0; from + depth < text.length; depth++) {
      const unit = text.charCodeAt(from + depth);
      low = this.#firstFrom(low, high, depth, unit);
      high = this.#firstFrom(low, high, depth, unit + 1);
      if (low === high) return;
      // The shortest of pieces that begin alike stands first.
      const isWhole = (this.#starts[low + 1] as number) - (this.#starts[low] as number) === depth + 1;
      if (isWhole) found(from + depth + 1, low, this.#scores[low] as number);
    }
  }

  /** First place of a run whose piece has at least that unit at a depth; a piece that has ended comes before. */
  #firstFrom(low: number, high: number, depth: number, unit: number): number {
    let from = low;
    let to = high;
    while (from < to) {
      const middle = (from + to) >> 1;
      const at = (this.#starts[middle] as number) + depth;
      if (at < (this.#starts[middle + 1] as number) && (this.#units[at] as number) >= unit) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
