/**
 * A draft becomes a fact when all that it rests on stands in the passages it cites. Nothing else makes facts, so
 * none is given whose quotes are not there.
 */
import { saysNames } from './naming/bystanders.ts';
import { chunkKey, type Citation, type Draft, type Fact, type Passage, type Quote } from './passage.ts';
import { Content, type Place } from './place.ts';

/** Folded passages, each folded once, and what every fact of them has to say. */
export class Contents {
  /** Names that documents only mention (`naming/bystanders.ts`). */
  readonly bystanders: readonly string[];
  readonly #known = new Map<string, Content>();

  constructor(bystanders: readonly string[] = []) {
    this.bystanders = bystanders;
  }

  of(passage: Passage): Content {
    const key = chunkKey(passage);
    const known = this.#known.get(key);
    if (known?.text === passage.text) return known;
    const made = new Content(passage.text);
    this.#known.set(key, made);
    return made;
  }
}

/** Null where a part of its support is not there, or it says nothing of a name that documents only mention. */
export function supported(draft: Draft, contents: Contents): Fact | null {
  if (!saysNames(draft.text, contents.bystanders)) return null;
  const citations: Citation[] = [];
  for (const { passage, texts, from } of draft.supports) {
    const content = contents.of(passage);
    const quotes: Quote[] = [];
    for (const text of texts) {
      const place = content.place(text, from) ?? content.place(text);
      if (place === null) return null;
      quotes.push(asWritten(passage.text, text, place));
    }
    citations.push({ passage, quotes });
  }
  const { text, score, isComputed, sameAs } = draft;
  return citations.length === 0 ? null : { text, citations, score, isComputed, sameAs };
}

/** With the bracket before and the point after, where it stands there letter by letter. */
function asWritten(content: string, text: string, { start, end }: Place): Quote {
  const [before = ''] = /^[^\p{L}\p{N}]*/u.exec(text) ?? [];
  const from = start - before.length;
  if (content.startsWith(text, from)) return { text, start: from, end: from + text.length };
  return { text: content.slice(start, end), start, end };
}
