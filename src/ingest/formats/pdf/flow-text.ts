/** Lines put together to text: hyphens at lines' ends, blanks, places of words. */
import type { PlacedText } from '../../document.ts';
import { PlacedTextBuilder } from '../../placed-text.ts';
import { isCut, type Vocabulary } from './hyphens.ts';
import { boxAt, type RawWords } from './raw-page.ts';

/** Scripts that write words without spaces between them. */
const UNSPACED = /[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u0e00-\u0eff]/;

/** @param skip leading words to leave out: an item's mark. @param between what stands between lines. */
export function flowText(
  lines: readonly RawWords[],
  vocabulary: Vocabulary,
  { skip = 0, between = ' ' }: { skip?: number; between?: string } = {},
): PlacedText {
  const builder = new PlacedTextBuilder();
  for (const [index, line] of lines.entries())
    addLine(builder, line, { vocabulary, skip: index === 0 ? skip : 0, between });
  return builder.build();
}

interface Joining {
  readonly vocabulary: Vocabulary;
  readonly skip: number;
  readonly between: string;
}

function addLine(builder: PlacedTextBuilder, line: RawWords, { vocabulary, skip, between }: Joining): void {
  for (let word = skip; word < line.texts.length; word++) {
    const text = line.texts[word] as string;
    const before = builder.lastWord;
    if (before !== '') {
      const isBreak = word === skip;
      if (isBreak && isCut(before) && vocabulary.joins(before, text))
        builder.takeBack(before.at(-1) as string);
      else if (!(isBreak ? isCut(before) && /^\p{Ll}/u.test(text) : vocabulary.isTorn(before, text)))
        builder.gap(gapOf(before, text, isBreak ? between : ' '));
    }
    builder.word(text, line.page, boxAt(line, word));
  }
}

const gapOf = (before: string, after: string, gap: string): string =>
  gap === ' ' && UNSPACED.test(before.at(-1) as string) && UNSPACED.test(after[0] as string) ? '' : gap;
