/**
 * The server's TLS identity: its files as they were when they last fitted. They are read anew when they change and
 * on SIGHUP; new connections have the new certificate, open ones keep theirs, and files that do not fit, or are half
 * written, are logged and change nothing.
 */
import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type CertificateOptions, certificateFiles } from './certificate.ts';

/** Suites that encrypt and authenticate at once, with keys that are gone afterwards. */
const SUITES = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':');

/** The system is asked so often whether a file has changed: notices of it do not come from every kind of disk. */
const POLL_MS = 2000;
/** Files that belong together are written one after the other. */
const SETTLE_MS = 250;

/** Certificates that clients are asked for: none, one if there is one, or one of everybody. */
export type ClientAuth = 'none' | 'request' | 'require';

export interface TlsOptions extends CertificateOptions {
  /** PEM file of authorities whose certificates clients may present; absent or null: none may. */
  readonly clientCa?: string | null;
  readonly clientAuth?: 'request' | 'require';
}

type Log = (event: string, fields: Readonly<Record<string, unknown>>) => void;

/** One for all ports. */
export interface ServerTls {
  /** For the next connection. */
  readonly context: SecureContext;
  readonly clientAuth: ClientAuth;
  /** Reads the files. @returns false where they do not fit: then all is as it was. */
  reload(log: Log): boolean;
  /** Reads them again whenever they change, until disposed of. */
  watch(log: Log, pollMs?: number): Disposable;
}

interface Files {
  readonly certificate: string;
  readonly key: string;
  readonly clientCa: string | null;
}

interface Identity {
  readonly context: SecureContext;
  readonly certificate: X509Certificate;
}

/** @throws Error naming the file that cannot be read or does not fit. */
export async function openTls({ clientCa = null, clientAuth, ...options }: TlsOptions): Promise<ServerTls> {
  const files = { ...(await certificateFiles(options)), clientCa };
  return new FileTls(files, clientCa === null ? 'none' : (clientAuth ?? 'request'));
}

class FileTls implements ServerTls {
  readonly clientAuth: ClientAuth;
  readonly #files: Files;
  #identity: Identity;

  constructor(files: Files, clientAuth: ClientAuth) {
    this.#files = files;
    this.clientAuth = clientAuth;
    this.#identity = readIdentity(files);
  }

  get context(): SecureContext {
    return this.#identity.context;
  }

  reload(log: Log): boolean {
    try {
      this.#identity = readIdentity(this.#files);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log('the certificate could not be read again: the one of before is kept', { message });
      return false;
    }
    const { fingerprint256: fingerprint, validTo } = this.#identity.certificate;
    log('the certificate was read again', { fingerprint, validTo });
    return true;
  }

  watch(log: Log, pollMs = POLL_MS): Disposable {
    let settling: NodeJS.Timeout | undefined;
    const changed = (): void => {
      clearTimeout(settling);
      settling = setTimeout(() => this.reload(log), SETTLE_MS).unref();
    };
    const { certificate, key, clientCa } = this.#files;
    const paths = [certificate, key, ...(clientCa === null ? [] : [clientCa])];
    for (const path of paths) watchFile(path, { interval: pollMs, persistent: false }, changed);
    return {
      [Symbol.dispose]() {
        clearTimeout(settling);
        for (const path of paths) unwatchFile(path, changed);
      },
    };
  }
}

/** @throws Error naming the file. */
function readIdentity({ certificate, key, clientCa }: Files): Identity {
  const cert = readPem(certificate, 'CERTIFICATE');
  const own = named(certificate, () => new X509Certificate(cert));
  const privateKey = readPem(key, null);
  const fits = named(key, () => own.checkPrivateKey(createPrivateKey(privateKey)));
  if (!fits) throw new Error(`the key in "${key}" is not that of the certificate in "${certificate}"`);
  const ca = clientCa === null ? null : readAuthorities(clientCa);
  const context = named(certificate, () =>
    createSecureContext({
      cert,
      key: privateKey,
      minVersion: 'TLSv1.2',
      ciphers: SUITES,
      // Each connection shows its certificates itself, so that those that have ended, or whose authority is gone, let in no more.
      secureOptions: constants.SSL_OP_NO_TICKET,
      ...(ca === null ? {} : { ca: [...ca] }),
    }),
  );
  return { context, certificate: own };
}

/** OpenSSL would read over what is none, and trust the rest. */
function readAuthorities(path: string): readonly string[] {
  const text = readPem(path, 'CERTIFICATE');
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  for (const one of found) {
    if (!named(path, () => new X509Certificate(one)).ca) {
      throw new Error(`a certificate in "${path}" is not an authority's`);
    }
  }
  return found;
}

/** @param label of what there must be, all of it whole; null: anything. */
function readPem(path: string, label: string | null): string {
  const text = named(path, () => readFileSync(path, 'utf8'));
  if (label === null) return text;
  const count = (edge: string): number => text.split(`-----${edge} ${label}-----`).length - 1;
  if (count('BEGIN') === 0) throw new Error(`there is no certificate in "${path}"`);
  if (count('BEGIN') !== count('END')) throw new Error(`a certificate in "${path}" is not whole`);
  return text;
}

function named<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`could not read "${path}": ${message}`, { cause: error });
  }
}
