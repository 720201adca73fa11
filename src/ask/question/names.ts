/** Names in a question: quoted words, and words with capitals that do not begin it. */

const QUOTED = /["“„«`']([^"”“»`']{2,60})["”“»`']/g;
const CAPITAL = /(?<=\S\s)(?:\p{Lu}[\p{L}\p{N}&.'’-]*)(?:\s\p{Lu}[\p{L}\p{N}&.'’-]*)*/gu;

export function namesIn(core: string): readonly string[] {
  const quoted = [...core.matchAll(QUOTED)].map(([, name]) => name as string);
  const capital = [...core.matchAll(CAPITAL)];
  return [...new Set([...quoted, ...capital.map(([name]) => name.replace(/['’]s$/, ''))])];
}
