/**
 * Lines that say what numbers are in: `($ in millions, except per share amounts)`, `in TEUR`, `单位：百万元`. What it
 * excepts is not in it.
 */
import { currenciesIn, scaleWordsIn, unitWordIn } from '../language/numbers/number-words.ts';
import { plainMarks } from '../language/numbers/number-marks.ts';
import { PACKS } from '../language/questions/packs.ts';
import { ANY_LANGUAGE, type LanguageOf, wordsPattern, wordsSource } from '../language/questions/words.ts';
import type { Measure } from './table.ts';

export interface UnitLine extends Measure {
  readonly currency: string | null;
  /** It excepts something. */
  readonly hasExceptions: boolean;
}

const CHARACTERS_MAX = 250;
const EXCEPTIONS = wordsPattern((pack) => pack.exceptions);
const LEADS = wordsPattern((pack) => pack.scaleLeads, 'giu');
const PERCENT = wordsPattern((pack) => pack.percent);
const LEAD = wordsSource(PACKS.flatMap(({ scaleLeads }) => scaleLeads));
const PERCENT_ONLY = new RegExp(`^[([]?\\s*(?:${LEAD}\\s*)?%\\s*[)\\]]?$`, 'iu');
/** `$000`, `€’000`: thousands. */
const NOUGHTS = /(?:\p{Sc}|\b[A-Z]{3})\s?['’]?000s?\b|^[([]?['’]000s?[)\]]?/u;

/** As far as it speaks of all: `except per share data` says nothing about the others. */
export function withoutExceptions(text: string): string {
  const exception = EXCEPTIONS.exec(text);
  return exception === null ? text : text.slice(0, exception.index);
}

/** Between a code and its scale: `EURm`. */
const GLUED_SCALE = /(?<=\b[A-Z]{3})(?=(?:k|m|mn|bn)\b)/g;

/** Null for a text that says no unit. @param isUnit it is known to be about a unit: a number's word alone will do. */
export function unitLine(written: string, language: LanguageOf, isUnit: boolean): UnitLine | null {
  if (written.length > CHARACTERS_MAX) return null;
  const text = plainMarks(written).replace(GLUED_SCALE, ' ');
  const said = withoutExceptions(text);
  const hasExceptions = said !== text;
  const [currency] = currenciesIn(said);
  const power = powerIn(said, { language, isUnit }) ?? currency?.power ?? null;
  const isPercent = PERCENT_ONLY.test(text.trim()) || (isUnit && power === null && PERCENT.test(said));
  const isMoney = currency !== undefined && (isUnit || power !== null || isBracketed(text));
  if (!isPercent && !isMoney && power === null) return null;
  const counted = isMoney ? null : isUnit || power !== null ? unitWordIn(said, language) : null;
  return {
    unit: isPercent ? '%' : isMoney ? currency.currency : counted,
    power: isPercent ? -2 : power,
    currency: isMoney ? currency.currency : null,
    hasExceptions: hasExceptions || (isMoney && /\bshares?\b/i.test(said)),
  };
}

const isBracketed = (text: string): boolean => /^\s*[([（].*[)\]）]\s*$/s.test(text);

interface Reading {
  readonly language: LanguageOf;
  readonly isUnit: boolean;
}

/** The power of words that stand as a scale: after `in`, beside a currency, alone in brackets; not after a number. */
function powerIn(text: string, { language, isUnit }: Reading): number | null {
  if (NOUGHTS.test(text)) return 3;
  const currencies = currenciesIn(text);
  for (const { start, end, power, isLetter } of scaleWordsIn(text, language)) {
    const before = text.slice(0, start).trimEnd();
    const after = text.slice(end).trimStart();
    if (/\d$/.test(before)) continue;
    const isBesideMoney = currencies.some(
      (one) => Math.abs(one.end - start) <= 1 || (one.start >= end && one.start - end <= 4),
    );
    const isLed = [...before.matchAll(LEADS)].some(
      (lead) => before.length - lead.index - lead[0].length <= 1,
    );
    const isAlone = /[([（:：,]$|^$/.test(before) && /^[)\]）,;.]|^$/.test(after);
    if (isLetter ? isBesideMoney : isBesideMoney || isLed || isAlone || isUnit) return power;
  }
  return null;
}

/** A text that says a unit and nothing else: `(in thousands)`, `%`, `EUR`. */
export function isUnitOnly(text: string): boolean {
  if (text.length > 60 || unitLine(text, ANY_LANGUAGE, true) === null) return false;
  const rest = withoutUnits(withoutExceptions(plainMarks(text)));
  return rest === '';
}

function withoutUnits(text: string): string {
  let rest = text.replace(NOUGHTS, ' ');
  for (const { start, end } of [...currenciesIn(rest)].reverse())
    rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
  for (const { start, end } of [...scaleWordsIn(rest, ANY_LANGUAGE)].reverse())
    rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
  return rest
    .replace(LEADS, '')
    .replace(PERCENT, '')
    .replace(FILLERS, '')
    .replace(/[\s()[\]（）%:：,.;'’/&-]+/g, '');
}

const FILLERS = wordsPattern((pack) => pack.unitFillers, 'giu');
