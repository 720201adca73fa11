/**
 * SCRAM-SHA-256: verifiers of passwords, and what client and server prove to each other. Sources: RFC 5802, RFC 7677,
 * RFC 5929 for channel binding; texts of verifiers as PostgreSQL 17 has them in pg_authid.
 */
import { createHmac, hash as hashOf, pbkdf2, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);
const HASH = 'sha256';
const HASH_BYTES = 32;
const BLOCK_BYTES = 64;

/** PostgreSQL's `scram_iterations`. */
export const ITERATIONS = 4096;
/** A client that is told of more would hash for minutes. */
const ITERATIONS_MAX = 1_000_000;
export const SALT_BYTES = 16;

/** All that a server has to know of a password. Base64. */
export interface Verifier {
  readonly storedKey: string;
  readonly serverKey: string;
}

export interface Salting {
  /** Base64. */
  readonly salt: string;
  readonly iterations: number;
}

/** A verifier with its own salt, as `PASSWORD 'SCRAM-SHA-256$…'` gives it. */
export interface SaltedVerifier extends Verifier, Salting {}

const hmac = (key: Uint8Array, text: string): Buffer => createHmac(HASH, key).update(text).digest();
const hash = (bytes: Uint8Array): Buffer => hashOf(HASH, bytes, 'buffer');

export async function verifierOf(password: string, { salt, iterations }: Salting): Promise<Verifier> {
  const bytes = Buffer.from(salt, 'base64');
  return verifierOfSalted(await derive(prepared(password), bytes, iterations, HASH_BYTES, HASH));
}

const verifierOfSalted = (salted: Uint8Array): Verifier => ({
  storedKey: hash(hmac(salted, 'Client Key')).toString('base64'),
  serverKey: hmac(salted, 'Server Key').toString('base64'),
});

/** Verifier that a role keeps of `PASSWORD '…'`: one that was given is taken as it is. Takes two milliseconds. */
export function roleVerifier(password: string): string {
  if (parseVerifier(password) !== null) return password;
  const salt = randomBytes(SALT_BYTES);
  const salted = pbkdf2Sync(prepared(password), salt, ITERATIONS, HASH_BYTES, HASH);
  const salting = { salt: salt.toString('base64'), iterations: ITERATIONS };
  return verifierText({ ...salting, ...verifierOfSalted(salted) });
}

const NON_ASCII_SPACES = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/gu;
const MAPPED_TO_NOTHING =
  /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/gu;
const PROHIBITED = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u200e\u200f\u2028-\u202e\u206a-\u206f\ufff9-\ufffd]/u;

/** As SASLprep (RFC 4013) has it; a password that it does not allow is taken as it is, as PostgreSQL does. */
function prepared(password: string): string {
  if (/^[\x20-\x7e]*$/.test(password)) return password;
  const mapped = password.replace(NON_ASCII_SPACES, ' ').replace(MAPPED_TO_NOTHING, '').normalize('NFKC');
  return mapped === '' || PROHIBITED.test(mapped) ? password : mapped;
}

/**
 * True, for each verifier, when the proof was made by who knows its password. Takes the same time for both. HMAC is written out (RFC 2104):
 * three hashes of buffers that are there take a sixth of the time of Node's objects, and a thousand keys are tried.
 */
export function proofCheck(authMessage: string, proof: Uint8Array): (verifier: Verifier) => boolean {
  const inner = Buffer.concat([Buffer.alloc(BLOCK_BYTES), Buffer.from(authMessage)]);
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES);
  return (verifier) => {
    const storedKey = Buffer.from(verifier.storedKey, 'base64');
    inner.fill(0x36, 0, BLOCK_BYTES);
    outer.fill(0x5c, 0, BLOCK_BYTES);
    for (let i = 0; i < HASH_BYTES; i++) {
      inner[i] = 0x36 ^ (storedKey[i] as number);
      outer[i] = 0x5c ^ (storedKey[i] as number);
    }
    hash(inner).copy(outer, BLOCK_BYTES);
    const clientKey = hash(outer);
    for (let i = 0; i < HASH_BYTES; i++) clientKey[i] = (clientKey[i] as number) ^ (proof[i] as number);
    return timingSafeEqual(hash(clientKey), storedKey) && proof.length === HASH_BYTES;
  };
}

/** The server's own proof, base64. */
export const signatureOf = ({ serverKey }: Verifier, authMessage: string): string =>
  hmac(Buffer.from(serverKey, 'base64'), authMessage).toString('base64');

const VERIFIER = /^SCRAM-SHA-256\$(\d{1,7}):([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/]{43}=):([A-Za-z0-9+/]{43}=)$/;

/** Null for a text that is none: a password then. */
export function parseVerifier(text: string): SaltedVerifier | null {
  const [, iterations = '', salt = '', storedKey = '', serverKey = ''] = VERIFIER.exec(text) ?? [];
  const count = Number(iterations);
  if (storedKey === '' || count < 1 || count > ITERATIONS_MAX) return null;
  return { iterations: count, salt, storedKey, serverKey };
}

/** As `pg_authid.rolpassword` shows it, and pg_dumpall writes it. */
export const verifierText = ({ iterations, salt, storedKey, serverKey }: SaltedVerifier): string =>
  `SCRAM-SHA-256$${iterations}:${salt}$${storedKey}:${serverKey}`;
