/**
 * Hash of the server's certificate, to which a client can bind its proof: a go-between has another one. Source: RFC 5929,
 * section 4 (tls-server-end-point).
 */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/**
 * Hashes by the signature's algorithm, DER of its OID in hexadecimal. MD5 and SHA-1 count as SHA-256; one that is not
 * here has no single hash, and nothing is bound to it.
 */
const HASHES: Readonly<Record<string, string>> = {
  '2a864886f70d010104': 'sha256',
  '2a864886f70d010105': 'sha256',
  '2a8648ce3d0401': 'sha256',
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
};

/** Null for a connection without TLS, and for a certificate that nothing binds to. */
export function channelBinding(socket: Duplex): Uint8Array | null {
  if (!(socket instanceof TLSSocket)) return null;
  const certificate = socket.getCertificate();
  if (certificate === null || !('raw' in certificate)) return null;
  return certificateHash(certificate.raw as Buffer);
}

/** @param der an X.509 certificate. */
function certificateHash(der: Uint8Array): Uint8Array | null {
  const hash = HASHES[signatureAlgorithm(der) ?? ''];
  return hash === undefined ? null : createHash(hash).update(der).digest();
}

const SEQUENCE = 0x30;
const OBJECT_IDENTIFIER = 0x06;

/** `Certificate ::= SEQUENCE { tbsCertificate, SEQUENCE { OID, … }, … }`: the OID's bytes. */
function signatureAlgorithm(der: Uint8Array): string | null {
  const certificate = elementAt(der, 0);
  if (certificate?.tag !== SEQUENCE) return null;
  const signed = elementAt(der, certificate.start);
  const algorithm = signed && elementAt(der, signed.end);
  if (algorithm?.tag !== SEQUENCE) return null;
  const oid = elementAt(der, algorithm.start);
  return oid?.tag === OBJECT_IDENTIFIER
    ? Buffer.from(der.subarray(oid.start, oid.end)).toString('hex')
    : null;
}

/** Where an element of DER has its content. */
function elementAt(der: Uint8Array, at: number): { tag: number; start: number; end: number } | null {
  const tag = der[at];
  const first = der[at + 1];
  if (tag === undefined || first === undefined) return null;
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (count > 4) return null;
  let length = count === 0 ? first : 0;
  for (const byte of der.subarray(at + 2, at + 2 + count)) length = length * 256 + byte;
  const start = at + 2 + count;
  return start + length > der.length ? null : { tag, start, end: start + length };
}
