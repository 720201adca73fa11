/**
 * `tokenizer.json` of multilingual-e5-small: pieces with their scores as a unigram model, and the normaliser that
 * the code-point map of the file spells out: NFKC, but for control characters, blanks and the full-width tilde.
 */
import type { E5File } from './e5-file.ts';

/** SentencePiece's mark of a blank. */
const BLANK = '▁';
/** Stands for characters that NFKC would change and the map does not. */
const PRIVATE_USE = 0xf0000;

export function e5Tokenizer({
  pieces,
  start,
  end,
  padding,
  unknown,
  normalised,
  vocabulary,
}: E5File): unknown {
  const special = [start, padding, end, unknown].sort((a, b) => a - b);
  const text = (id: number): string => pieces[id]?.text ?? '';
  return {
    version: '1.0',
    added_tokens: special.map((id) => ({
      id,
      content: text(id),
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: { type: 'Sequence', normalizers: normalisers(normalised) },
    pre_tokenizer: { type: 'Metaspace', replacement: BLANK, prepend_scheme: 'always', split: true },
    post_processor: null,
    decoder: { type: 'Metaspace', replacement: BLANK, prepend_scheme: 'always', split: true },
    truncation: null,
    padding: null,
    model: {
      type: 'Unigram',
      unk_id: unknown,
      vocab: pieces.slice(0, vocabulary).map(({ text: piece, score }) => [piece, score]),
      byte_fallback: false,
    },
  };
}

type Normaliser = Readonly<Record<string, unknown>>;

function normalisers(map: E5File['normalised']): Normaliser[] {
  const gone: number[] = [];
  const blank: number[] = [];
  for (const [from, to] of map) {
    const nfkc = [...String.fromCodePoint(from).normalize('NFKC')].map((c) => c.codePointAt(0));
    if (nfkc.join() === to.join()) continue;
    if (to.length === 0) gone.push(from);
    else if (to.join() === '32') blank.push(from);
    else throw new Error(`U+${from.toString(16)} becomes something that is neither NFKC nor a blank`);
  }
  const kept = keptCharacters(map);
  const hidden = kept.map((point, i) => ({ point, as: PRIVATE_USE + i }));
  return [
    replace({ Regex: characterClass(gone) }, ''),
    replace({ Regex: characterClass(blank) }, ' '),
    ...hidden.map(({ point, as }) =>
      replace({ String: String.fromCodePoint(point) }, String.fromCodePoint(as)),
    ),
    { type: 'NFKC' },
    ...hidden.map(({ point, as }) =>
      replace({ String: String.fromCodePoint(as) }, String.fromCodePoint(point)),
    ),
    replace({ Regex: ' {2,}' }, ' '),
  ];
}

/** Those that people write: beyond the basic plane, and in newer blocks, NFKC knows better than an older map. */
function keptCharacters(map: E5File['normalised']): number[] {
  const kept: number[] = [];
  for (let point = 0xff00; point < 0xfff0; point++) {
    const character = String.fromCodePoint(point);
    if (!map.has(point) && character.normalize('NFKC') !== character) kept.push(point);
  }
  return kept;
}

const replace = (pattern: Normaliser, content: string): Normaliser => ({ type: 'Replace', pattern, content });

const characterClass = (points: readonly number[]): string =>
  `[${points.map((point) => `\\x{${point.toString(16)}}`).join('')}]`;
