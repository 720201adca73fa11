/**
 * The server's TLS identity: files that were given, or a self-signed certificate that is made at first start
 * and kept, so that clients that pin it go on working after a restart.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';

const VALID_DAYS = 3650;
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
/** All addresses of a machine, none of which a client connects to by this one. */
const WILDCARDS = ['0.0.0.0', '::'];
const DNS_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;

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

export interface CertificateOptions {
  /** PEM files; both or none. */
  readonly certificate: string | null;
  readonly key: string | null;
  /** Folder of the made ones: beside the data folder. */
  readonly folder: string;
  /** Host names and addresses that a made one is for, beside this machine's own; those that it cannot hold are left out. */
  readonly names?: readonly string[];
}

/** @throws Error naming the file that cannot be read or does not fit. */
export async function openCertificate(options: CertificateOptions): Promise<SecureContext> {
  if (options.certificate !== null && options.key !== null) {
    return context(options.certificate, options.key);
  }
  const certificate = join(options.folder, 'server.crt');
  const key = join(options.folder, 'server.key');
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  if (!existsSync(certificate) || !existsSync(key)) {
    await makeCertificate(certificate, key, [...LOOPBACK, ...(options.names ?? [])]);
  }
  return context(certificate, key);
}

function context(certificate: string, key: string): SecureContext {
  return createSecureContext({
    cert: readFileSync(certificate),
    key: readFileSync(key),
    minVersion: 'TLSv1.2',
    ciphers: SUITES,
  });
}

async function makeCertificate(certificate: string, key: string, names: readonly string[]): Promise<void> {
  // Its two hundred modules are loaded once in a server's life.
  const { generate } = await import('selfsigned');
  const notAfterDate = new Date(Date.now() + VALID_DAYS * 86_400_000);
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notAfterDate,
    algorithm: 'sha256',
    extensions: [
      // It stands for itself: who has its key signs nothing that a client would trust.
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: alternativeNames(names) },
    ],
  });
  writeFileSync(key, made.private, { mode: 0o600 });
  writeFileSync(certificate, made.cert, { mode: 0o644 });
}

type AlternativeName =
  | { readonly type: 2; readonly value: string }
  | { readonly type: 7; readonly ip: string };

/** As X.509 numbers them: 2 is a DNS name, 7 an address. */
function alternativeNames(names: readonly string[]): AlternativeName[] {
  return [...new Set(names)].flatMap((name): AlternativeName[] => {
    if (isIP(name) !== 0) return WILDCARDS.includes(name) ? [] : [{ type: 7, ip: name }];
    return DNS_NAME.test(name) ? [{ type: 2, value: name }] : [];
  });
}
