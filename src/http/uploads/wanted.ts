/** The request that begins a file in parts: a JSON object, field by field. A field that is not known is refused. */
import { SqlError } from '../../errors.ts';
import { type Exchange, readJson } from '../exchange.ts';
import { textOf } from '../sql/request.ts';
import type { Wanted } from './uploads.ts';

/** Metadata, and names. */
const BODY_BYTES_MAX = 128 * 1024;
const FIELDS: readonly string[] = ['dataset', 'doc_id', 'name', 'metadata', 'size'];

/** @throws Refusal 400, 415; SqlError 22023, 22021, 54000. */
export async function readWanted(exchange: Exchange): Promise<Wanted> {
  const fields = await readJson(exchange, BODY_BYTES_MAX);
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined)
    throw malformed(`there is no field "${unknown}"`, `Fields are ${FIELDS.join(', ')}.`);
  const { metadata = null, size } = fields;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    throw malformed('"size" must be the number of bytes of the file');
  }
  if (typeof metadata !== 'object' || Array.isArray(metadata))
    throw malformed('"metadata" must be an object');
  return {
    dataset: textOf('dataset', fields.dataset),
    docId: textOf('doc_id', fields.doc_id),
    name: textOf('name', fields.name),
    metadata: metadata === null ? null : textOf('metadata', JSON.stringify(metadata)),
    size,
  };
}

const malformed = (message: string, hint?: string): SqlError =>
  new SqlError('invalid_parameter_value', message, { hint });
