/**
 * Shortenings of names by rule: a name that a text begins with is asked for by its initials. "Procter & Gamble" is PG,
 * P&G and PnG; "Bank of America" BA, BOA and BofA; "International Business Machines" IBM.
 */
import { LEGAL_FORMS } from './legal-forms.ts';

/** Words with capitals, as covers and titles have them, with the small words between. */
const NAME = /\p{Lu}[\p{L}'’-]*(?:[^\S\n]+(?:(?:&|and|of|the|und|et|de|y)[^\S\n]+)*\p{Lu}[\p{L}'’-]*)+/gu;
/** Words that join a name's others. */
const JOINING = /^(?:&|and|of|the|und|et|de|y)$/i;
const NAMES_COUNT_MAX = 100;
const WORDS_COUNT_MAX = 6;

/** @returns in lower case, `&` kept; of two letters only where the name has an `&`. */
export function initialsOf(text: string): ReadonlySet<string> {
  const all = new Set<string>();
  for (const [name] of [...text.matchAll(NAME)].slice(0, NAMES_COUNT_MAX)) {
    const parts = name
      .split(/\s+/)
      .filter((part) => !LEGAL_FORMS.has(part.toLowerCase().replace(/\W/g, '')) && !/^the$/i.test(part));
    const words = parts.filter((part) => !JOINING.test(part));
    if (words.length < 2 || words.length > WORDS_COUNT_MAX) continue;
    const letter = (part: string): string => part.charAt(0).toLowerCase();
    const plain = words.map(letter).join('');
    const isPair = parts.includes('&') || parts.some((part) => /^and$/i.test(part));
    if (plain.length > 2 || isPair) all.add(plain);
    if (isPair) for (const joint of ['&', 'n', 'and']) all.add(joinedBy(parts, joint));
    const spelled = parts.map((part) => (JOINING.test(part) ? part.toLowerCase() : letter(part))).join('');
    const short = parts.map(letter).join('');
    if (parts.length > words.length && !isPair) for (const one of [spelled, short]) all.add(one);
  }
  return all;
}

const joinedBy = (parts: readonly string[], joint: string): string =>
  parts.map((part) => (/^(?:&|and)$/i.test(part) ? joint : part.charAt(0).toLowerCase())).join('');
