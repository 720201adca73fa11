/**
 * The words that a language has for quantities and times: data alone, one file a language, all of them in `packs.ts`. Words are in
 * lower case; one that ends in `*` may go on with letters (`gesamt*`: Gesamtumsatz).
 */

export interface LanguagePack {
  /** As `detectLanguage` names it. */
  readonly name: string;
  /** The mark that its plain texts set between thousands, where that mark is never its decimal mark. */
  readonly groupMark: ',' | '.' | ' ';
  /** Words before a thing of its kind, which names of companies and people lack. */
  readonly articles: readonly string[];
  /** Powers of ten, abbreviations without their final dot. */
  readonly scales: Readonly<Record<string, number>>;
  /** Written together with a currency: `TEUR`. */
  readonly scalesBeforeCurrency: Readonly<Record<string, number>>;
  /** Currencies by ISO 4217 code. */
  readonly currencies: Readonly<Record<string, string>>;
  /** Words before a scale: `in` millions. */
  readonly scaleLeads: readonly string[];
  /** Words beside a unit that say nothing more about it: `amounts` in millions. */
  readonly unitFillers: readonly string[];
  /** Words after which something is not in the unit that a line tells: `except` per share data. */
  readonly exceptions: readonly string[];
  readonly percent: readonly string[];
  readonly percentagePoints: readonly string[];
  readonly basisPoints: readonly string[];
  /** Texts written instead of a number. */
  readonly nothing: readonly string[];
  /** Kinds of things that are counted, by what the unit is called. */
  readonly counts: Readonly<Record<string, string>>;
  readonly perShare: readonly string[];
  /** Lines of these are in no table's unit. */
  readonly ratios: readonly string[];
  /** Lines that begin so are sums. */
  readonly totals: readonly string[];
  /** Lines of what is spent, which statements write with brackets or without. */
  readonly costs: readonly string[];
  /** A column that refers to notes. */
  readonly notes: readonly string[];
  /** A column that compares periods. */
  readonly changes: readonly string[];
  /** January first; several spellings of one by `|`. */
  readonly months: readonly string[];
  readonly years: readonly string[];
  readonly halves: readonly string[];
  readonly quarters: readonly string[];
  readonly monthsLong: readonly string[];
  readonly weeks: readonly string[];
  /** The number before parts of a year: `three` months, `second` quarter. */
  readonly numerals: Readonly<Record<string, number>>;
  /** Said of an amount at the begin and at the end of a time: `balance at the end of the year`. */
  readonly atBegin: readonly string[];
  readonly atEnd: readonly string[];
  /** Beside the time of figures that were changed later. */
  readonly restated: readonly string[];
  /** A period's last day follows. */
  readonly ended: readonly string[];
  readonly scopes: Readonly<Record<string, readonly string[]>>;
}
