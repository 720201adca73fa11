/**
 * Queries as people write them for a search engine: `"a phrase" -not title:word OR other`. Any text is one: what has
 * no meaning is passed over. As PostgreSQL's websearch_to_tsquery has it, words are all wanted, and OR divides what
 * stands before it from what stands behind.
 */

/** Words that belong together. */
export interface WebPart {
  /** One of the fields that there are; null: any. */
  readonly field: string | null;
  readonly text: string;
  /** A phrase: its words in order. */
  readonly quoted: boolean;
  /** Written with a sign, a field or quotes: it is wanted as it stands, not only better for being there. */
  readonly signed: boolean;
}

/** Parts between two ORs. */
export interface WebAlternative {
  readonly wanted: readonly WebPart[];
  readonly unwanted: readonly WebPart[];
}

const QUOTE = /["“”„]/;
const BLANKS = /\s*/y;
/** A minus or plus right before what it is about. */
const SIGNS = /[+-]+(?=[^\s+-])/y;
const FIELD = /([^\s":“”„]+):(?=\S)/y;
const WORD = /[^\s"“”„]+/y;
const QUOTED = /["“”„]([^"“”„]*)["“”„]?/y;
const HAS_WORD = /[\p{L}\p{N}]/u;

/** @param fields names that may stand before a colon; any other such name is a word. */
export function parseWebQuery(text: string, fields: readonly string[]): readonly WebAlternative[] {
  const alternatives: { wanted: WebPart[]; unwanted: WebPart[] }[] = [{ wanted: [], unwanted: [] }];
  const take = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (let at = lengthOf(take(BLANKS, 0)); at < text.length; at += lengthOf(take(BLANKS, at))) {
    const signs = take(SIGNS, at)?.[0] ?? '';
    at += signs.length;
    const named = take(FIELD, at);
    const field = named === null ? null : fieldOf(named[1] ?? '', fields);
    if (field !== null) at += lengthOf(named);
    const quoted = QUOTE.test(text[at] ?? '');
    const found = take(quoted ? QUOTED : WORD, at);
    at += lengthOf(found);
    const words = (quoted ? found?.[1] : found?.[0]) ?? '';
    const signed = quoted || field !== null || signs !== '';
    if (!signed && words === 'OR') alternatives.push({ wanted: [], unwanted: [] });
    else if (HAS_WORD.test(words)) {
      const list = signs.includes('-') ? 'unwanted' : 'wanted';
      alternatives.at(-1)?.[list].push({ field, text: words, quoted, signed });
    }
  }
  return alternatives;
}

const lengthOf = (match: RegExpExecArray | null): number => match?.[0].length ?? 0;

function fieldOf(name: string, fields: readonly string[]): string | null {
  const lower = name.toLowerCase();
  return (
    fields.find((field) => field === name) ?? fields.find((field) => field.toLowerCase() === lower) ?? null
  );
}

/** Words that a web query looks for, without signs and without those that it does not want. */
export function wantedWords(text: string, fields: readonly string[]): string {
  return parseWebQuery(text, fields)
    .flatMap(({ wanted }) => wanted.map((part) => part.text))
    .join(' ');
}
