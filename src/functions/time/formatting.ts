/** to_char, to_date, to_timestamp, to_number. Source: PostgreSQL 18, section 9.8 "Data Type Formatting". */
import { splitMicros } from '../../types/time/calendar.ts';
import { localToInstant, zoneOffset } from '../../types/time/zone.ts';
import type { IntervalDatum, NumericDatum } from '../../types/datum.ts';
import { checkTimestamp, instantToLocal, isInfiniteTimestamp } from '../../types/time/datetime.ts';
import { numericFromNumber, numericOf } from '../../types/number/numeric.ts';
import { parseByTemplate } from './datetime-from-char.ts';
import { intervalToChar, timestampToChar } from './datetime-to-char.ts';
import type { ScalarFunction } from '../function.ts';
import { zoneName } from '../../types/time/zone-names.ts';
import { numberToChar, toNumber } from '../number/number-template.ts';

const toChar = (
  type: string,
  example: ScalarFunction['example'],
  rest: Pick<ScalarFunction, 'evaluate' | 'evaluateIn'>,
): ScalarFunction => ({
  name: 'to_char',
  args: [type, 'text'],
  returns: 'text',
  volatility: 'stable',
  summary: 'The value as text by a template.',
  example,
  ...rest,
});

const SAMPLE = "'2002-04-20 17:31:12.66'";

const numberRow = (type: string, toNumeric: (value: never) => NumericDatum): ScalarFunction =>
  toChar(type, [`SELECT to_char((-125)::${type}, '999D99S')`, '125.00-'], {
    evaluate: (value: number | bigint | NumericDatum, template: string) =>
      numberToChar(toNumeric(value as never), template),
  });

const PARSING = { argNames: ['text', 'format'], args: ['text', 'text'], volatility: 'stable' } as const;

export const FORMATTING_FUNCTIONS: readonly ScalarFunction[] = [
  toChar('timestamp', [`SELECT to_char(timestamp ${SAMPLE}, 'HH12:MI:SS Month')`, '05:31:12 April    '], {
    evaluate: (local: bigint, template: string) =>
      isInfiniteTimestamp(local) ? null : timestampToChar(local, null, template),
  }),
  toChar('timestamptz', [`SELECT to_char(timestamptz ${SAMPLE}, 'FMDay, DDth HH24')`, 'Saturday, 20th 17'], {
    evaluateIn: ({ settings: { timeZone } }, micros: bigint, template: string) => {
      if (isInfiniteTimestamp(micros)) return null;
      const zone = { offset: zoneOffset(timeZone, micros), name: zoneName(timeZone, micros) };
      return timestampToChar(instantToLocal(timeZone, micros), zone, template);
    },
  }),
  toChar('interval', ["SELECT to_char(interval '15h 2m 12s', 'HH24:MI:SS')", '15:02:12'], {
    evaluate: (value: IntervalDatum, template: string) => intervalToChar(value, template),
  }),
  numberRow('int4', (value: number) => numericOf(BigInt(value))),
  numberRow('int8', (value: bigint) => numericOf(value)),
  numberRow('numeric', (value: NumericDatum) => value),
  numberRow('float4', (value: number) => numericFromNumber(value, 6)),
  numberRow('float8', (value: number) => numericFromNumber(value)),
  {
    ...PARSING,
    name: 'to_date',
    returns: 'date',
    summary: 'A date by a template.',
    example: ["SELECT to_date('05 Dec 2000', 'DD Mon YYYY')", '2000-12-05'],
    evaluate: (text: string, template: string) => splitMicros(parseByTemplate(text, template).local).days,
  },
  {
    ...PARSING,
    name: 'to_timestamp',
    returns: 'timestamptz',
    summary: 'A moment by a template.',
    example: ["SELECT to_timestamp('05 Dec 2000', 'DD Mon YYYY')", '2000-12-05 00:00:00+00'],
    evaluateIn: ({ settings }, text: string, template: string) => {
      const { local, offset } = parseByTemplate(text, template);
      if (offset !== null) return checkTimestamp(local - BigInt(offset) * 1_000_000n);
      return checkTimestamp(localToInstant(settings.timeZone, local));
    },
  },
  {
    ...PARSING,
    name: 'to_number',
    returns: 'numeric',
    summary: 'A number by a template.',
    example: ["SELECT to_number('12,454.8-', '99G999D9S')", '-12454.8'],
    evaluate: toNumber,
  },
];
