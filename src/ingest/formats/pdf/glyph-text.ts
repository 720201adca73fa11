/** The characters of a glyph as people type them: ligatures and presentation forms taken apart, bullets by name. */

/** Private characters of Symbol and Wingdings that mark list items. */
const PRIVATE: ReadonlyMap<string, string> = new Map([
  ['\uf0b7', '•'],
  ['\uf0a7', '▪'],
  ['\uf0a8', '▫'],
  ['\uf06e', '■'],
  ['\uf071', '□'],
  ['\uf0d8', '➢'],
  ['\uf0fc', '✓'],
  ['\uf0e0', '→'],
]);

/** Latin ligatures, and Hebrew's and Arabic's presentation forms. */
const COMPOSED = /[\ufb00-\ufdff\ufe70-\ufeff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: fonts without a character map give codes as characters
const NOTHING = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffd\u200b\ufeff]/g;

/** Empty for a glyph that stands for nothing one can write. */
export function glyphText(unicode: string): string {
  const code = unicode.charCodeAt(0);
  if (unicode.length === 1 && code > 0x20 && code < 0x7f) return unicode;
  const known = PRIVATE.get(unicode) ?? unicode.replace(NOTHING, '');
  return COMPOSED.test(known) ? known.normalize('NFKC') : known;
}

export const isBlank = (text: string): boolean => /^[\s\u00a0\u2000-\u200a\u3000]*$/.test(text);

/** Hebrew, Arabic, Syriac, Thaana, N'Ko and what follows them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

/** Numbers within a text of the other direction keep theirs. */
const LEFT_TO_RIGHT_RUN = /[\p{L}\p{N}]/u;

/**
 * Words from left to right as they are read: where most are of a script that runs to the left their order is turned,
 * but for runs of others within (a simple case of Unicode's Annex 9).
 */
export function inLogicalOrder<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): readonly Item[] {
  const right = items.filter((item) => isRightToLeft(textOf(item))).length;
  if (right * 2 < items.length || right === 0) return items;
  const found: Item[] = [];
  let run: Item[] = [];
  for (const item of items.toReversed()) {
    const text = textOf(item);
    if (!isRightToLeft(text) && LEFT_TO_RIGHT_RUN.test(text)) {
      run.unshift(item);
      continue;
    }
    found.push(...run, item);
    run = [];
  }
  return [...found, ...run];
}
