/** Lines about a table: its caption, what its numbers are in, the time that they are of. */
import { monthSource, scaleSource } from '../../../../language/questions/words.ts';
import { lineWords } from '../../../../language/texts/lines.ts';

const CAPTION = new RegExp(`^${lineWords((words) => words.tables)}\\s*[\\dA-Z]`, 'iu');
const UNIT =
  /^[[(]?\s*(?:(?:all |us |u\.s\. )?(?:dollars?|amounts?|figures|numbers|shares|values|[$€£¥]|usd|eur|gbp)\b[^.]{0,60}\b(?:thousand|million|billion)s?|(?:expressed |stated |presented |reported |tabular )?(?:amounts )?in\s[^.]{0,40}(?:thousand|million|billion|percent|dollars|€|\$|%)|(?:thousand|million|billion)s?\b|\$ (?:and [a-z ]{1,20} )?in |unaudited\))/i;
const MONTH = monthSource();
const PERIOD = new RegExp(
  `^\\(?(?:for )?(?:the )?(?:(?:fiscal|three|six|nine|twelve|calendar|\\d{1,2})[ -])*(?:years?|months?|weeks?|quarters?|periods?) (?:then )?end(?:ed|ing)\\b|^\\(?(?:as of|as at|at) (?:${MONTH}\\.? |\\d{1,2} ${MONTH})`,
  'iu',
);
const SCALE = new RegExp(scaleSource(), 'iu');
const NOTE_CHARACTERS_MAX = 140;

export const isTableCaption = (text: string): boolean => CAPTION.test(text) && text.length < 400;
/** Below a table only what calls itself one is its caption. */
export const isCaptionBelow = (text: string): boolean => isTableCaption(text) && /^tab/i.test(text);
export const isUnitLine = (text: string): boolean => text.length < NOTE_CHARACTERS_MAX && UNIT.test(text);
/** `(In thousands, except per share data)`: whatever stands around it, it is no part of that. */
export const isUnitNote = (text: string): boolean => isUnitLine(text) && /^(?:\(.*\)|\[.*\])$/.test(text);
/** `[In thousands]`, and not `(unaudited)`, which may be over one column. */
export const isScaleNote = (text: string): boolean => isUnitNote(text) && SCALE.test(text);
export const isPeriodLine = (text: string): boolean =>
  text.length < NOTE_CHARACTERS_MAX && PERIOD.test(text) && !/[.;]$/.test(text);
