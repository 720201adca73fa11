/**
 * Cuts a tokenised text into passages of at most PASSAGE_TOKENS_MAX tokens. The windows are about equally
 * long (a tail of a few tokens would be similar to anything), end at the end of a sentence where one is
 * near, never inside a word, and do not overlap: overlap costs its share of the embedding rate, and a whole
 * sentence never needs it.
 */
import { PASSAGE_TOKENS_MAX } from '../limits.ts';

/** Part of a model's fingerprint: grows when the cuts change. */
export const WINDOWING_VERSION = 1;

const SENTENCE_ENDS: ReadonlySet<string> = new Set(['.', '!', '?', '。', '！', '？', '…']);
/** How far before the even cut a sentence's end is looked for, as a share of the window. */
const SEARCH_SHARE = 1 / 4;

/**
 * @param continuesWord whether a token is not the first of its word.
 * @returns ascending token offsets: window i is [cuts[i], cuts[i + 1]); [0] when there is no token.
 */
export function cutWindows(
  tokens: readonly string[],
  continuesWord: (token: string) => boolean = () => false,
): readonly number[] {
  const tokensMax = PASSAGE_TOKENS_MAX;
  const cuts = [0];
  let from = 0;
  while (tokens.length - from > tokensMax) {
    const windows = Math.ceil((tokens.length - from) / tokensMax);
    const even = Math.ceil((tokens.length - from) / windows);
    from += cutNear(tokens, from, { even, most: tokensMax, continuesWord });
    cuts.push(from);
  }
  if (tokens.length > 0) cuts.push(tokens.length);
  return cuts;
}

function cutNear(
  tokens: readonly string[],
  from: number,
  { even, most, continuesWord }: { even: number; most: number; continuesWord: (token: string) => boolean },
): number {
  const reach = Math.floor(even * SEARCH_SHARE);
  for (let distance = 0; distance <= reach; distance++) {
    for (const length of [even + distance, even - distance]) {
      if (length <= most && SENTENCE_ENDS.has(tokens[from + length - 1] as string)) return length;
    }
  }
  for (let length = even; length > even - reach; length--) {
    if (!continuesWord(tokens[from + length] as string)) return length;
  }
  return even;
}

/**
 * UTF-16 spans of windows. @param offsets code point start and end of each token.
 * @returns start and end per window.
 */
export function spansOf(
  text: string,
  offsets: readonly (readonly number[])[],
  cuts: readonly number[],
): Uint32Array {
  const spans = new Uint32Array(Math.max(0, cuts.length - 1) * 2);
  let units = 0;
  let points = 0;
  const unitAt = (point: number): number => {
    while (points < point && units < text.length) {
      units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1;
      points++;
    }
    return units;
  };
  for (let window = 0; window + 1 < cuts.length; window++) {
    spans[2 * window] = unitAt(offsets[cuts[window] as number]?.[0] ?? 0);
    spans[2 * window + 1] = unitAt(offsets[(cuts[window + 1] as number) - 1]?.[1] ?? 0);
  }
  return spans;
}
