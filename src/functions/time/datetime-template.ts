/**
 * Templates of to_char and to_timestamp for dates and times, as a list of nodes: `YYYY-MM-DD`. Source:
 * PostgreSQL 18, section 9.8, and src/backend/utils/adt/formatting.c.
 */

export interface Field {
  readonly kind: 'field';
  /** Upper case, except that `Month` and its kin are told apart by `written`. */
  readonly name: string;
  readonly written: string;
  /** FM: no padding. */
  readonly fill: boolean;
  readonly ordinal: 'TH' | 'th' | null;
}

export type TemplateNode =
  | Field
  | { readonly kind: 'separator'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string };

export interface Template {
  readonly nodes: readonly TemplateNode[];
  /** FX: the input must follow the template exactly. */
  readonly exact: boolean;
}

/** Longest first, so that `HH24` is not read as `HH`. */
const FIELDS: readonly string[] = (
  'SSSSS Y,YYY A.D. A.M. B.C. P.M. HH12 HH24 IDDD IYYY SSSS YYYY MONTH DDD DAY FF1 FF2 FF3 FF4 FF5 FF6 ' +
  'IYY MON TZH TZM YYY AD AM BC CC DD DY HH ID IW IY MI MM MS OF PM RM SS TZ US WW YY D I J Q W Y'
)
  .split(' ')
  .toSorted((a, b) => b.length - a.length);

const CAPITALIZED: readonly string[] = ['Month', 'Day', 'Mon', 'Dy'];
export const DIGIT_FIELDS: ReadonlySet<string> = new Set(
  (
    'HH HH12 HH24 MI SS MS US FF1 FF2 FF3 FF4 FF5 FF6 SSSS SSSSS Y,YYY YYYY YYY YY Y IYYY IYY IY I MM DDD ' +
    'IDDD DD D ID W WW IW CC J Q'
  ).split(' '),
);

function fieldAt(text: string, at: number): string | undefined {
  const capital = CAPITALIZED.find((name) => text.startsWith(name, at));
  if (capital !== undefined) return capital;
  for (const name of FIELDS) {
    if (text.startsWith(name, at)) return name;
    if (text.startsWith(name.toLowerCase(), at)) return name.toLowerCase();
  }
  return undefined;
}

/** A quoted literal from the `"` at `at` on; `\` escapes inside. */
function quotedAt(text: string, at: number): { readonly literal: string; readonly end: number } {
  let literal = '';
  let i = at + 1;
  for (; i < text.length && text[i] !== '"'; i++) {
    if (text[i] === '\\' && i + 1 < text.length) i++;
    literal += text[i];
  }
  return { literal, end: i + 1 };
}

export function parseTemplate(text: string): Template {
  const nodes: TemplateNode[] = [];
  let exact = false;
  let at = 0;
  while (at < text.length) {
    const prefix = /^(?:FM|fm|TM|tm|FX|fx)*/.exec(text.slice(at))?.[0] ?? '';
    if (/fx/i.test(prefix)) exact = true;
    const written = fieldAt(text, at + prefix.length);
    if (written !== undefined) {
      at += prefix.length + written.length;
      const ordinal = /^(?:TH|th)/.exec(text.slice(at))?.[0] as 'TH' | 'th' | undefined;
      if (ordinal !== undefined) at += 2;
      const fill = /fm/i.test(prefix);
      nodes.push({ kind: 'field', name: written.toUpperCase(), written, fill, ordinal: ordinal ?? null });
    } else if (prefix !== '') at += prefix.length;
    else if (text[at] === '"') {
      const { literal, end } = quotedAt(text, at);
      for (const character of literal) nodes.push({ kind: 'literal', text: character });
      at = end;
    } else {
      if (text[at] === '\\' && text[at + 1] === '"') at++;
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      const separator = /^[\s!-/:-@[-`{-~]$/.test(character);
      nodes.push({ kind: separator ? 'separator' : 'literal', text: character });
      at += character.length;
    }
  }
  return { nodes, exact };
}

export const MONTHS: readonly string[] =
  'January February March April May June July August September October November December'.split(' ');
export const DAYS: readonly string[] = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
export const ROMAN_MONTHS: readonly string[] = 'I II III IV V VI VII VIII IX X XI XII'.split(' ');
