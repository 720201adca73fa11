/** Seeded mutations of statements and of protocol bytes: what a broken or hostile client might send. */
import { seededRandom } from '../../src/seeded-random.ts';

export type Random = (below: number) => number;

/** The same numbers for the same seed, everywhere. */
export function seeded(seed: number): Random {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}

const TOKEN = /\s+|'(?:[^']|'')*'|[\w$]+|[^\w\s]/gu;
const ODD = [
  '(',
  ')',
  "'",
  '"',
  '$1',
  '::',
  'NULL',
  '*',
  ';',
  '--',
  '/*',
  '1e999',
  'é',
  "E'\\x'",
  'SELECT',
  'FROM',
  ',',
  '[',
  '.',
  '-9223372036854775808',
];

/** One or two tokens dropped, doubled, exchanged, replaced or cut in two. */
export function mutateStatement(text: string, random: Random, corpus: readonly string[]): string {
  const tokens = text.match(TOKEN) ?? [];
  for (let change = 1 + random(2); change > 0; change--) {
    const at = random(Math.max(1, tokens.length));
    const token = tokens[at] ?? '';
    const choice = random(7);
    if (choice === 0) tokens.splice(at, 1);
    else if (choice === 1) tokens.splice(at, 0, token, ' ');
    else if (choice === 2) tokens.splice(at, 2, tokens[at + 1] ?? '', token);
    else if (choice === 3) tokens[at] = ODD[random(ODD.length)] as string;
    else if (choice === 4) tokens[at] = token.slice(0, random(token.length + 1));
    else if (choice === 5) tokens.splice(at, 0, ...otherPart(corpus, random));
    else tokens[at] = String(random(2 ** 31) - 2 ** 30);
  }
  return tokens.join('');
}

function otherPart(corpus: readonly string[], random: Random): string[] {
  const tokens = (corpus[random(corpus.length)] ?? '').match(TOKEN) ?? [];
  const from = random(tokens.length);
  return tokens.slice(from, from + 1 + random(6));
}

/** Bits flipped, bytes dropped, doubled or set to extremes. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const changed = [...bytes];
  for (let change = 1 + random(4); change > 0; change--) {
    const at = random(changed.length);
    const choice = random(5);
    if (choice === 0) changed[at] = (changed[at] as number) ^ (1 << random(8));
    else if (choice === 1) changed.splice(at, 1 + random(4));
    else if (choice === 2) changed.splice(at, 0, changed[at] as number);
    else if (choice === 3) changed[at] = 255;
    else changed[at] = random(256);
  }
  return Buffer.from(changed);
}
