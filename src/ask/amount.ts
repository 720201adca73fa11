/** Numbers as values: what `$ (1,577.0)` amounts to, for computing and comparing. Placement does not use it. */

export interface Amount {
  readonly value: number;
  readonly isPercent: boolean;
  /** Digits after the decimal point as written. */
  readonly decimals: number;
}

const AMOUNT =
  /^(?:US)?\p{Sc}?\s*(?<open>\()?\s*(?<minus>[-\u2212\u2013])?\s*(?:US)?\p{Sc}?\s*(?<inner>\()?(?<body>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*(?<percent>%)?\s*(?<close>\))?\s*(?<late>%)?(?:\s?(?:\(\w{1,2}\)|[*†‡¹²³]))?$/u;

/** Null where the text is not one number, and for a dash or an empty cell. */
export function readAmount(text: string): Amount | null {
  const match = AMOUNT.exec(text.trim());
  if (match?.groups === undefined) return null;
  const { open, inner, close, minus, body = '', percent, late } = match.groups;
  const inBrackets = open ?? inner;
  if ((inBrackets === undefined) !== (close === undefined)) return null;
  const plain = body.replaceAll(',', '');
  const size = Number(plain);
  const isNegative = minus !== undefined || inBrackets !== undefined;
  const decimals = plain.includes('.') ? plain.length - plain.indexOf('.') - 1 : 0;
  return { value: isNegative ? -size : size, isPercent: (percent ?? late) !== undefined, decimals };
}

/** `1,234.5`: as statements print them; at most so many decimals, zeros at their end left out. */
export function writeAmount(value: number, decimalsMax: number): string {
  return value
    .toLocaleString('en-US', { maximumFractionDigits: decimalsMax })
    .replace(/^-(?=0(?:\.0*)?$)/, '')
    .replace(/^-/, '−');
}
