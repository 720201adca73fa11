/**
 * The domains that a document speaks of: those of which it names several lines, measures or statements by names that
 * are hardly said of anything else. A word alone ("ventas", "debt") tells nothing.
 */
import { DOMAINS } from './domains.ts';
import { Vocabulary } from './vocabulary.ts';

/** Different rows that one document names. */
const ROWS_COUNT_MIN = 2;
/** Texts of a document that are read, as far apart as they come. */
const TEXTS_COUNT_MAX = 100;
/** Read of each. */
const CHARACTERS_MAX = 2_000;

const vocabularies = [...DOMAINS.packs.values()].map((pack) => ({
  id: pack.id,
  vocabulary: new Vocabulary([pack]),
}));

/** @param texts of one document, in order. */
export function domainsSpoken(texts: Pick<readonly string[], 'length' | 'at'>): readonly string[] {
  const step = Math.max(1, texts.length / TEXTS_COUNT_MAX);
  const read = Array.from({ length: Math.min(texts.length, TEXTS_COUNT_MAX) }, (_, i) =>
    texts.at(Math.floor(i * step)),
  );
  return vocabularies.filter(({ vocabulary }) => speaks(read, vocabulary)).map(({ id }) => id);
}

function speaks(texts: readonly (string | undefined)[], vocabulary: Vocabulary): boolean {
  const rows = new Set<string>();
  for (const text of texts) {
    for (const { row, said } of vocabulary.rowsIn((text ?? '').slice(0, CHARACTERS_MAX))) {
      if (row.isEvidence && isTelling(said)) rows.add(row.id);
    }
    if (rows.size >= ROWS_COUNT_MIN) return true;
  }
  return false;
}

/** Several words, a compound, or as many characters of a script without spaces. */
const isTelling = (said: string): boolean =>
  /\S[\s-]+\S/.test(said) || /^\p{Script=Han}{4}/u.test(said) || /^\p{L}{12}/u.test(said);
