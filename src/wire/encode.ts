/**
 * Backend messages: one function each, appending to a writer. Nothing here allocates per message but text.
 * Source: PostgreSQL 18, chapter 54.7 "Message Formats" and 54.8 "Error and Notice Message Fields".
 */
import { kindOf } from '../error-kinds.ts';
import { type Notice, SQLSTATES, type SqlError } from '../errors.ts';
import type { OutputColumn, TransactionStatus } from '../session/protocol.ts';
import type { ByteWriter } from '../types/column/byte-writer.ts';
import { typeByOid } from '../types/registry.ts';
import type { FormatCode } from './decode.ts';

/** Type bytes by message name. */
const CODE = {
  authentication: 0x52, // R
  backendKeyData: 0x4b, // K
  bindComplete: 0x32, // 2
  closeComplete: 0x33, // 3
  commandComplete: 0x43, // C
  copyData: 0x64, // d
  copyDone: 0x63, // c
  copyInResponse: 0x47, // G
  copyOutResponse: 0x48, // H
  emptyQueryResponse: 0x49, // I
  errorResponse: 0x45, // E
  negotiateProtocolVersion: 0x76, // v
  noData: 0x6e, // n
  noticeResponse: 0x4e, // N
  notificationResponse: 0x41, // A
  parameterDescription: 0x74, // t
  parameterStatus: 0x53, // S
  parseComplete: 0x31, // 1
  portalSuspended: 0x73, // s
  readyForQuery: 0x5a, // Z
  rowDescription: 0x54, // T
} as const;

type Code = (typeof CODE)[keyof typeof CODE];

/** Writes type and a length to be filled in. @returns where the length lies. */
function begin(writer: ByteWriter, code: Code): number {
  writer.writeByte(code);
  const at = writer.size;
  writer.writeInt32(0);
  return at;
}

function end(writer: ByteWriter, at: number): void {
  writer.patchInt32(at, writer.size - at);
}

function empty(writer: ByteWriter, code: Code): void {
  writer.writeByte(code);
  writer.writeInt32(4);
}

const AUTHENTICATION_OK = 0;
const AUTHENTICATION_CLEARTEXT_PASSWORD = 3;
const AUTHENTICATION_SASL = 10;
const AUTHENTICATION_SASL_CONTINUE = 11;
const AUTHENTICATION_SASL_FINAL = 12;

export function authenticationOk(writer: ByteWriter): void {
  const at = begin(writer, CODE.authentication);
  writer.writeInt32(AUTHENTICATION_OK);
  end(writer, at);
}

export function authenticationCleartextPassword(writer: ByteWriter): void {
  const at = begin(writer, CODE.authentication);
  writer.writeInt32(AUTHENTICATION_CLEARTEXT_PASSWORD);
  end(writer, at);
}

export function authenticationSasl(writer: ByteWriter, mechanisms: readonly string[]): void {
  const at = begin(writer, CODE.authentication);
  writer.writeInt32(AUTHENTICATION_SASL);
  for (const mechanism of mechanisms) writer.writeCString(mechanism);
  writer.writeByte(0);
  end(writer, at);
}

/** @param isFinal the exchange ends with it. @param data ASCII. */
export function authenticationSaslData(writer: ByteWriter, data: string, isFinal: boolean): void {
  const at = begin(writer, CODE.authentication);
  writer.writeInt32(isFinal ? AUTHENTICATION_SASL_FINAL : AUTHENTICATION_SASL_CONTINUE);
  writer.writeBytes(Buffer.from(data));
  end(writer, at);
}

export function negotiateProtocolVersion(
  writer: ByteWriter,
  minor: number,
  unknownOptions: readonly string[],
): void {
  const at = begin(writer, CODE.negotiateProtocolVersion);
  writer.writeInt32((3 << 16) | minor);
  writer.writeInt32(unknownOptions.length);
  for (const option of unknownOptions) writer.writeCString(option);
  end(writer, at);
}

export function parameterStatus(writer: ByteWriter, name: string, value: string): void {
  const at = begin(writer, CODE.parameterStatus);
  writer.writeCString(name);
  writer.writeCString(value);
  end(writer, at);
}

export function backendKeyData(writer: ByteWriter, processId: number, secretKey: number): void {
  const at = begin(writer, CODE.backendKeyData);
  writer.writeInt32(processId);
  writer.writeInt32(secretKey);
  end(writer, at);
}

export function readyForQuery(writer: ByteWriter, status: TransactionStatus): void {
  writer.writeByte(CODE.readyForQuery);
  writer.writeInt32(5);
  writer.writeByte(status.charCodeAt(0));
}

export const parseComplete = (writer: ByteWriter): void => empty(writer, CODE.parseComplete);
export const bindComplete = (writer: ByteWriter): void => empty(writer, CODE.bindComplete);
export const closeComplete = (writer: ByteWriter): void => empty(writer, CODE.closeComplete);
export const noData = (writer: ByteWriter): void => empty(writer, CODE.noData);
export const copyDone = (writer: ByteWriter): void => empty(writer, CODE.copyDone);
export const portalSuspended = (writer: ByteWriter): void => empty(writer, CODE.portalSuspended);
export const emptyQueryResponse = (writer: ByteWriter): void => empty(writer, CODE.emptyQueryResponse);

export function parameterDescription(writer: ByteWriter, types: readonly number[]): void {
  const at = begin(writer, CODE.parameterDescription);
  writer.writeInt16(types.length);
  for (const type of types) writer.writeInt32(type);
  end(writer, at);
}

/** @param formats none: all text; one: for all columns; else one a column. */
export function rowDescription(
  writer: ByteWriter,
  columns: readonly OutputColumn[],
  formats: readonly FormatCode[],
): void {
  const at = begin(writer, CODE.rowDescription);
  writer.writeInt16(columns.length);
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as OutputColumn;
    writer.writeCString(column.name);
    writer.writeInt32(column.relation);
    writer.writeInt16(column.attribute);
    writer.writeInt32(column.type.oid);
    writer.writeInt16(typeByOid(column.type.oid).typlen);
    writer.writeInt32(column.type.modifier);
    writer.writeInt16(formatOf(formats, i));
  }
  end(writer, at);
}

/** CopyInResponse and CopyOutResponse: the format, for the whole and for every column. */
export function copyResponse(
  writer: ByteWriter,
  direction: 'in' | 'out',
  shape: { readonly isBinary: boolean; readonly columnCount: number },
): void {
  const at = begin(writer, direction === 'in' ? CODE.copyInResponse : CODE.copyOutResponse);
  const format = shape.isBinary ? 1 : 0;
  writer.writeByte(format);
  writer.writeInt16(shape.columnCount);
  for (let i = 0; i < shape.columnCount; i++) writer.writeInt16(format);
  end(writer, at);
}

/** Bytes [start, end) as one message. */
export function copyData(writer: ByteWriter, bytes: Uint8Array, start: number, stop: number): void {
  writer.writeByte(CODE.copyData);
  writer.writeInt32(4 + stop - start);
  writer.writeBytes(bytes, start, stop);
}

/** The rule for format codes of parameters and results alike. */
export function formatOf(formats: readonly FormatCode[], position: number): FormatCode {
  return formats.length === 1 ? (formats[0] as FormatCode) : (formats[position] ?? 0);
}

export function commandComplete(writer: ByteWriter, tag: string): void {
  const at = begin(writer, CODE.commandComplete);
  writer.writeCString(tag);
  end(writer, at);
}

export function notificationResponse(
  writer: ByteWriter,
  processId: number,
  channel: string,
  payload: string,
): void {
  const at = begin(writer, CODE.notificationResponse);
  writer.writeInt32(processId);
  writer.writeCString(channel);
  writer.writeCString(payload);
  end(writer, at);
}

export function errorResponse(writer: ByteWriter, error: SqlError): void {
  const { fields } = error;
  writeFields(writer, CODE.errorResponse, fields.severity ?? 'ERROR', error.sqlstate, {
    M: error.message,
    D: fields.detail,
    H: fields.hint,
    P: fields.position === undefined ? undefined : String(fields.position),
    p: fields.internalPosition === undefined ? undefined : String(fields.internalPosition),
    q: fields.internalQuery,
    W: fields.where,
    s: fields.schema,
    t: fields.table,
    c: fields.column,
    d: fields.dataType,
    n: fields.constraint,
    R: kindOf(error),
  });
}

export function noticeResponse(writer: ByteWriter, notice: Notice): void {
  writeFields(writer, CODE.noticeResponse, notice.severity, SQLSTATES[notice.condition], {
    M: notice.message,
    D: notice.detail,
    H: notice.hint,
  });
}

/** Field values must not hold zero bytes: one would end the field early. */
function writeFields(
  writer: ByteWriter,
  code: Code,
  severity: string,
  sqlstate: string,
  fields: Readonly<Record<string, string | undefined>>,
): void {
  const at = begin(writer, code);
  for (const [type, value] of Object.entries({ S: severity, V: severity, C: sqlstate, ...fields })) {
    if (value === undefined) continue;
    writer.writeByte(type.charCodeAt(0));
    writer.writeCString(value.replaceAll('\0', ''));
  }
  writer.writeByte(0);
  end(writer, at);
}
