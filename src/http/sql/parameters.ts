/**
 * Parameters as JSON values, by the types that the statement gives them. A string is the value's text, as everywhere in
 * PostgreSQL; numbers and booleans are theirs; arrays become arrays element by element, vectors, or documents.
 */
import { SqlError } from '../../errors.ts';
import type { Session } from '../../session/protocol.ts';
import { takeTurn } from '../../time-slice.ts';
import { decodeText } from '../../types/column/bytes.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { SqlType } from '../../types/type.ts';
import { takesLongToRead } from '../../types/weight.ts';
import { ExactNumber } from './json-reader.ts';
import { textOf } from './request.ts';

/** Read between two turns of the event loop. */
const CHARACTERS_PER_TURN = 256 * 1024;
const ELEMENTS_PER_TURN = 16 * 1024;

const DOCUMENTS: ReadonlySet<number> = new Set([OID.json, OID.jsonb]);

/** @param given one for each of `types`, OIDs. @throws SqlError 08P01, 22023, 22P02 and its kin. */
export async function readParameters(
  session: Session,
  given: readonly unknown[],
  types: readonly number[],
): Promise<Datum[]> {
  if (given.length !== types.length) {
    const message = `the statement has ${types.length} parameters, and the request ${given.length}`;
    throw new SqlError('protocol_violation', message, { routine: 'invalid_argument' });
  }
  const values: Datum[] = [];
  let left = CHARACTERS_PER_TURN;
  for (const [i, oid] of types.entries()) {
    const type = typeByOid(oid);
    const value = given[i];
    if (value instanceof Uint8Array && oid === OID.bytea) {
      values.push(value);
      continue;
    }
    const text = value === null ? null : await parameterText(value, type, i + 1);
    values.push(text === null ? null : await readText(session, text, type));
    left -= text?.length ?? 0;
    if (left > 0) continue;
    left = CHARACTERS_PER_TURN;
    await takeTurn();
  }
  return values;
}

function readText(session: Session, text: string, type: SqlType): Datum | Promise<Datum> {
  if (!takesLongToRead(type, text.length)) return type.parse(text, -1, session.formatSettings());
  return session.readParameter(Buffer.from(text), type.oid, false);
}

/** The text that the type reads. @throws SqlError 22023, 22021. */
function parameterText(value: unknown, type: SqlType, number: number): string | Promise<string> {
  if (value instanceof Uint8Array) return decodeText(value);
  if (DOCUMENTS.has(type.oid))
    return typeof value === 'string' ? textOf(`$${number}`, value) : JSON.stringify(value);
  const scalar = scalarText(value, number);
  if (scalar !== null) return scalar;
  if (Array.isArray(value) && type.elementOid !== undefined) return longArrayText(value, number);
  if (Array.isArray(value) && type.category === 'U') return JSON.stringify(value);
  const what = Array.isArray(value) ? 'an array' : 'an object';
  throw new SqlError(
    'invalid_parameter_value',
    `$${number} is of type ${type.displayName}, and no ${what.slice(3)}`,
    {
      hint: `Cast it where it stands: $${number}::jsonb.`,
    },
  );
}

/** Null for an array or an object. */
function scalarText(value: unknown, number: number): string | null {
  if (typeof value === 'string') return textOf(`$${number}`, value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value instanceof ExactNumber ? value.source : null;
}

/** In turns, where it is long. */
async function longArrayText(value: readonly unknown[], number: number): Promise<string> {
  const pieces: string[] = [];
  for (let start = 0; start < value.length; start += ELEMENTS_PER_TURN) {
    if (start > 0) await takeTurn();
    pieces.push(arrayText(value.slice(start, start + ELEMENTS_PER_TURN), number).slice(1, -1));
  }
  return `{${pieces.join(',')}}`;
}

/** `{1,NULL,"a b"}`; elements that are objects are documents. */
function arrayText(value: readonly unknown[], number: number): string {
  const elements = value.map((element) => {
    if (element === null) return 'NULL';
    if (Array.isArray(element)) return arrayText(element, number);
    const text = scalarText(element, number) ?? JSON.stringify(element);
    return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  });
  return `{${elements.join(',')}}`;
}
