/** Format settings where no session sets any: UTC, ISO, hex. */
import type { EnumValues, FormatSettings, ObjectNames } from './type.ts';

const NO_VALUES: EnumValues = { labels: new Map(), orders: new Map() };

const NO_OBJECTS: ObjectNames = {
  name: () => null,
  oid: () => null,
  enumValues: () => NO_VALUES,
};

export const DEFAULT_SETTINGS: FormatSettings = {
  timeZone: 'UTC',
  dateStyle: 'ISO, MDY',
  intervalStyle: 'postgres',
  byteaOutput: 'hex',
  extraFloatDigits: 1,
  nowMicros: 0n,
  objects: NO_OBJECTS,
};
