/** SASL messages of clients while they sign in. Source: PostgreSQL 18, chapter 54.3 "SASL Authentication". */
import { SqlError } from '../errors.ts';
import { MessageReader } from './message-reader.ts';

const PLAIN = 'SCRAM-SHA-256';
const BINDING = 'SCRAM-SHA-256-PLUS';

/** The best first. @param binds the connection has something to bind to. */
export const mechanismsOf = (binds: boolean): readonly string[] => (binds ? [BINDING, PLAIN] : [PLAIN]);

/** @throws SqlError 08P01 for a mechanism that was not offered, or no first message. */
export function decodeSaslInitial(
  body: Buffer,
  offered: readonly string[],
): { readonly mechanism: string; readonly data: string } {
  const reader = new MessageReader(body);
  const mechanism = reader.string();
  if (!offered.includes(mechanism))
    throw violation('client selected an invalid SASL authentication mechanism');
  const length = reader.int32();
  if (length < 0) throw violation('client sent no first message of its SASL authentication');
  const data = reader.bytes(length).toString('utf8');
  reader.end();
  return { mechanism, data };
}

const violation = (message: string): SqlError =>
  new SqlError('protocol_violation', message, { severity: 'FATAL' });
