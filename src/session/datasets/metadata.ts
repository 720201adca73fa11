/** Metadata of a document: what it may hold, and which columns of `documents` it becomes. */
import { SqlError } from '../../errors.ts';

export type MetadataScalar = string | number | boolean;
export type MetadataValue = MetadataScalar | readonly MetadataScalar[] | null;
export type Metadata = Readonly<Record<string, MetadataValue>>;

interface Fault {
  readonly kind: string;
  readonly field: string;
  readonly reason: string;
}

interface MetadataLimits {
  readonly bytesMax: number;
  readonly fieldsMax: number;
}

/** @param text jsonb. @throws SqlError 22023 with all faults in DETAIL, 54000. */
export function readMetadata(text: string, { bytesMax, fieldsMax }: MetadataLimits): Metadata {
  if (Buffer.byteLength(text) > bytesMax) {
    const message = `metadata is larger than the maximum of ${bytesMax} bytes`;
    throw new SqlError('program_limit_exceeded', message);
  }
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SqlError('invalid_parameter_value', 'metadata must be a JSON object');
  }
  const { length } = Object.keys(value);
  if (length > fieldsMax) {
    const message = `metadata has ${length} fields; there are at most ${fieldsMax}`;
    throw new SqlError('program_limit_exceeded', message);
  }
  const faults = Object.entries(value).flatMap(([field, given]) => faultsOf(field, given));
  if (faults.length === 0) return value as Metadata;
  const { field, reason } = faults[0] as Fault;
  throw new SqlError('invalid_parameter_value', `invalid metadata field "${field}": ${reason}`, {
    detail: JSON.stringify(faults),
  });
}

function faultsOf(field: string, value: unknown): readonly Fault[] {
  if (field === '') return [{ kind: 'empty_name', field, reason: 'a name may not be empty' }];
  if (field.startsWith('_')) {
    return [{ kind: 'reserved_name', field, reason: 'names that begin with "_" are reserved' }];
  }
  if (field.includes('.')) return [{ kind: 'dotted_name', field, reason: 'a name may not contain "."' }];
  if (field === 'password' && (typeof value === 'boolean' || Array.isArray(value))) {
    return [{ kind: 'invalid_type', field, reason: 'the password of a file is a string' }];
  }
  if (value === null || isScalar(value) || (Array.isArray(value) && value.every(isScalar))) return [];
  const reason = 'values are strings, numbers, booleans, and lists of these';
  return [{ kind: 'invalid_type', field, reason }];
}

const isScalar = (value: unknown): value is MetadataScalar =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** Fields put over those there are; null takes one away. */
export function mergedMetadata(old: Metadata, changes: Metadata): Metadata {
  return Object.fromEntries(Object.entries({ ...old, ...changes }).filter(([, value]) => value !== null));
}
