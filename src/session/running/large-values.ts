/**
 * Values of clients that are too large to be read or written where other clients wait: documents and arrays of many
 * megabytes. A helper process does it, and a cancel ends it.
 */
import { Account } from '../../execute/account.ts';
import { type Callee, implementationOf } from '../../execute/expression/callee.ts';
import type { CallHelpers } from '../../execute/expression/call-helpers.ts';
import type { MemoryPool } from '../../engine/engine.ts';
import type { FunctionContext } from '../../functions/function.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { ResultSink } from '../protocol.ts';
import type { Datum } from '../../types/datum.ts';
import { inSlices } from '../../time-slice.ts';
import { receiveArray } from '../../types/composite/array.ts';
import { OID } from '../../types/oids.ts';
import { findTypeByOid, typeByOid } from '../../types/registry.ts';
import { type Batch, TextVector, type Vector } from '../../types/column/vector.ts';
import { READ_INLINE_BYTES_MAX, weightOf } from '../../types/weight.ts';
import { StatementFunctions } from './statement-functions.ts';
import type { Statement } from './statement.ts';

export interface Elsewhere {
  readonly helpers: CallHelpers;
  readonly context: FunctionContext;
  readonly signal: AbortSignal;
  readonly pool: MemoryPool;
}

export const elsewhereOf = (statement: Statement): Elsewhere => ({
  helpers: statement.session.environment.helpers,
  context: new StatementFunctions(statement, null),
  signal: statement.signal,
  pool: statement.session.environment.engine.statementMemory,
});

/** @throws what the type's reader throws. */
export async function callElsewhere(
  callee: Callee,
  args: readonly Datum[],
  elsewhere: Elsewhere,
): Promise<Datum> {
  const { helpers, context, signal, pool } = elsewhere;
  const here = (): Datum => implementationOf(callee)(context, ...args);
  if (helpers.refuses(callee)) return here();
  using account = new Account(pool);
  const result = await helpers.call({ callee, args, context, signal, account });
  return result === 'refused' ? here() : result.value;
}

/** A binary array of these takes about as long as it is to be copied: it is read here, piece by piece. */
const QUICK_ELEMENTS: ReadonlySet<number> = new Set([
  OID.text,
  OID.bool,
  OID.int4,
  OID.int8,
  OID.float4,
  OID.float8,
  OID.timestamp,
  OID.timestamptz,
  OID.bytea,
  OID.vector,
  OID.halfvec,
  OID.u8_vector,
  OID.i8_vector,
  OID.binary_vector,
]);

interface GivenParameter {
  readonly bytes: Uint8Array;
  /** OID. */
  readonly type: number;
  readonly isBinary: boolean;
}

/** A parameter that takes long to read. @throws what the type's reader throws. */
export function readLargeParameter(
  statement: Statement,
  { bytes, type, isBinary }: GivenParameter,
): Promise<Datum> {
  const elementOid = findTypeByOid(type)?.elementOid ?? 0;
  if (!isBinary || !QUICK_ELEMENTS.has(elementOid)) {
    const callee = { kind: 'read', type: { oid: type, modifier: -1 }, isBinary } as const;
    return callElsewhere(callee, [bytes], elsewhereOf(statement));
  }
  const element = typeByOid(elementOid);
  const { session, signal } = statement;
  const settings = session.formatSettings();
  const pieces = receiveArray(bytes, element, (item) => element.receive(item, -1, settings));
  return inSlices(pieces, session.timeSlice(), signal);
}

/** Texts are written as they are, and vectors quickly. */
const isLarge = (vector: Vector): boolean =>
  vector.kind === 'object' &&
  !vector.isDecimal &&
  vector.values.some((value) => !ArrayBuffer.isView(value) && weightOf(value) > READ_INLINE_BYTES_MAX);

/** Positions of columns with a value that takes long to write as text. */
export const largeColumns = ({ columns }: Batch): number[] =>
  columns.flatMap((column, i) => (isLarge(column) ? [i] : []));

interface Written {
  readonly batch: Batch;
  readonly columns: readonly OutputColumn[];
}

/** A batch that has objects, as it is sent: columns that take long to write, and go as text, are texts. */
export function withoutLarge(
  written: Written,
  statement: Statement,
  sink: Pick<ResultSink, 'isText'>,
): Written | Promise<Written> {
  const large = largeColumns(written.batch).filter((i) => sink.isText?.(i) ?? true);
  return large.length === 0 ? written : writtenAsText(written, large, elsewhereOf(statement));
}

/** Columns at `positions` as the text that clients get. */
export async function writtenAsText(
  { batch, columns }: Written,
  positions: readonly number[],
  elsewhere: Elsewhere,
): Promise<Written> {
  const vectors = [...batch.columns];
  const described = [...columns];
  for (const position of positions) {
    const column = columns[position] as OutputColumn;
    vectors[position] = await textsOf(batch.columns[position] as Vector, column, elsewhere);
    described[position] = { ...column, type: { oid: OID.text, modifier: -1 } };
  }
  return { batch: { length: batch.length, columns: vectors }, columns: described };
}

async function textsOf(vector: Vector, { type }: OutputColumn, elsewhere: Elsewhere): Promise<Vector> {
  const to = { oid: OID.text, modifier: -1 };
  const callee = { kind: 'cast', method: 'text', from: type, to, explicit: true } as const;
  const texts = new Array<string>(vector.length);
  const nulls = new Uint8Array(vector.length);
  for (let row = 0; row < vector.length; row++) {
    const value = vector.get(row);
    if (value === null) nulls[row] = 1;
    else texts[row] = (await callElsewhere(callee, [value], elsewhere)) as string;
  }
  return TextVector.fromStrings(texts, nulls);
}
