/** How numbers are written where: marks, digits, signs, in nine ways. Its own code, so that no mistake is shared. */

export interface NumberStyle {
  readonly name: string;
  /** Between thousands. */
  readonly group: string;
  readonly decimal: string;
  /** India: pairs above the first three digits. */
  readonly byTwo?: boolean;
  /** The script's zero. */
  readonly zero?: string;
  readonly negative: (digits: string) => string;
  readonly percent: (number: string) => string;
  readonly nothing: readonly string[];
  /** As `detectLanguage` names it. */
  readonly language: string;
}

const plainPercent = (number: string): string => `${number}%`;
const bracketed = (digits: string): string => `(${digits})`;
const minus = (digits: string): string => `−${digits}`;
const hyphen = (digits: string): string => `-${digits}`;

export const STYLES: readonly NumberStyle[] = [
  {
    name: 'en',
    group: ',',
    decimal: '.',
    negative: bracketed,
    percent: plainPercent,
    nothing: ['—', 'n/a', 'nil'],
    language: 'english',
  },
  {
    name: 'de',
    group: '.',
    decimal: ',',
    negative: hyphen,
    percent: (number) => `${number} %`,
    nothing: ['–', 'k. A.', '-'],
    language: 'german',
  },
  {
    name: 'fr',
    group: '\u202f',
    decimal: ',',
    negative: minus,
    percent: (number) => `${number}\u00a0%`,
    nothing: ['–', 'n.s.', 's.o.'],
    language: 'french',
  },
  {
    name: 'ch',
    group: '’',
    decimal: '.',
    negative: minus,
    percent: plainPercent,
    nothing: ['–', '-'],
    language: 'german',
  },
  {
    name: 'in',
    group: ',',
    decimal: '.',
    byTwo: true,
    negative: bracketed,
    percent: plainPercent,
    nothing: ['-', 'NA'],
    language: 'english',
  },
  {
    name: 'ar',
    group: '٬',
    decimal: '٫',
    zero: '٠',
    negative: bracketed,
    percent: (number) => `${number}٪`,
    nothing: ['–'],
    language: 'arabic',
  },
  {
    name: 'zh',
    group: ',',
    decimal: '.',
    negative: hyphen,
    percent: plainPercent,
    nothing: ['—', '不适用', '无'],
    language: 'cjk',
  },
  {
    name: 'es',
    group: '.',
    decimal: ',',
    negative: bracketed,
    percent: (number) => `${number} %`,
    nothing: ['-', 'n.d.'],
    language: 'spanish',
  },
  {
    name: 'iso',
    group: '\u2009',
    decimal: '.',
    negative: minus,
    percent: (number) => `${number} %`,
    nothing: ['–'],
    language: 'english',
  },
];

/** A number as the style writes it. @param decimals how many are shown. */
export function written(value: number, decimals: number, style: NumberStyle): string {
  const [whole = '', part = ''] = Math.abs(value).toFixed(decimals).split('.');
  const digits = grouped(whole, style) + (part === '' ? '' : style.decimal + part);
  const own = style.zero === undefined ? digits : inScript(digits, style.zero);
  return value < 0 ? style.negative(own) : own;
}

function grouped(whole: string, { group, byTwo = false }: NumberStyle): string {
  if (whole.length <= 3) return whole;
  const [head, tail] = [whole.slice(0, -3), whole.slice(-3)];
  const size = byTwo ? 2 : 3;
  const parts: string[] = [];
  for (let end = head.length; end > 0; end -= size) parts.unshift(head.slice(Math.max(0, end - size), end));
  return [...parts, tail].join(group);
}

const inScript = (digits: string, zero: string): string =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint((zero.codePointAt(0) as number) + Number(digit)));
