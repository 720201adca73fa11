/** Texts measured, cut and wrapped in columns of a terminal, where some letters take two. */

/** The first one takes 12 ms, which most commands do without. */
const segmentsOf = (text: string): Intl.Segments => new Intl.Segmenter().segment(text);
const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}/u;
const PLAIN = /^[\x20-\x7e]*$/;

const segmentWidth = (segment: string): number => (WIDE.test(segment) ? 2 : 1);

/** Columns that a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmentsOf(text)) width += segmentWidth(segment);
  return width;
}

/** The beginning of a text that takes so many columns at most. */
export function cutTo(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns));
  let cut = '';
  let width = 0;
  for (const { segment } of segmentsOf(text)) {
    width += segmentWidth(segment);
    if (width > columns) break;
    cut += segment;
  }
  return cut;
}

/** Cut to so many letters, with a mark where something is left out. */
export function shortened(text: string, letters: number): string {
  const all = [...segmentsOf(text)];
  const kept = all.slice(0, letters).map(({ segment }) => segment);
  return all.length > letters ? `${kept.join('').trimEnd()} …` : text;
}

export const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));
export const paddedLeft = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** Control characters, which would move the cursor or hide text, as signs; everything in one line. */
export const visible = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (one) =>
        one === '\n' ? '↵' : one === '\t' ? ' ' : '�',
      );

/** Lines of a text, each made visible. */
export const visibleLines = (text: string): string[] => text.split(/\r?\n/).map(visible);

/** Narrower than this nothing is wrapped: a letter a line helps nobody. */
const COLUMNS_MIN = 8;

/** One line of text in lines of so many columns, broken between words, within words that take a line by themselves. */
export function wrapped(text: string, columns: number): string[] {
  const most = Math.max(COLUMNS_MIN, columns);
  if (widthOf(text) <= most) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= most) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    for (line = word; widthOf(line) > most; ) {
      const head = cutTo(line, most);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return [...lines, line];
}

/** A text behind a lead, its further lines below where it begins. */
export function hanging(lead: string, text: string, columns: number): string {
  const indent = ' '.repeat(widthOf(lead));
  const lines = visibleLines(text).flatMap((line) => wrapped(line, columns - indent.length));
  return lines.map((line, at) => `${at === 0 ? lead : indent}${line}`).join('\n');
}
