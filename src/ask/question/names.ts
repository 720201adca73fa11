/** Names in a question: quoted words, and words with capitals that do not begin it. */
import { hasUnspaced, SPACED_LETTER } from '../../language/scripts.ts';

const QUOTED = /(?<![\p{L}\p{N}])["“„«`'《「『]([^"”“»`'》」』]{2,60})["”“»`'》」』]/gu;
const CAPITALISED = `(?=\\p{Lu})(?:${SPACED_LETTER}|[&.'’-])+`;
const RUN = `${CAPITALISED}(?:\\s${CAPITALISED})*`;
const CAPITAL = new RegExp(`(?<=\\S\\s|(?<!\\p{L})\\p{Ll}{1,5}['’])${RUN}`, 'gu');
/** Where words are written without capitals and spaces, what has them is a name at the begin too. */
const CAPITAL_IN_UNSPACED = new RegExp(`(?<!${SPACED_LETTER})${RUN}`, 'gu');

export function namesIn(core: string): readonly string[] {
  const quoted = [...core.matchAll(QUOTED)].map(([, name]) => name as string);
  const capital = [...core.matchAll(hasUnspaced(core) ? CAPITAL_IN_UNSPACED : CAPITAL)];
  return [...new Set([...quoted, ...capital.map(([name]) => name.replace(/['’]s$/, ''))])];
}
