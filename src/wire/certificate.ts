/**
 * Files of the server's TLS identity: those that were given, or a self-signed certificate that is made at first start
 * and kept, so that clients that pin it go on working after a restart.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

const VALID_DAYS = 3650;
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
/** All addresses of a machine, none of which a client connects to by this one. */
const WILDCARDS = ['0.0.0.0', '::'];
const DNS_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;

export interface CertificateOptions {
  /** PEM files; both or none. */
  readonly certificate: string | null;
  readonly key: string | null;
  /** Folder of the made ones: beside the data folder. */
  readonly folder: string;
  /** Host names and addresses that a made one is for, beside this machine's own; those that it cannot hold are left out. */
  readonly names?: readonly string[];
}

interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** Paths of PEM files: those that were given, or those that were made, now where there are none. */
export async function certificateFiles(options: CertificateOptions): Promise<CertificateFiles> {
  if (options.certificate !== null && options.key !== null) {
    return { certificate: options.certificate, key: options.key };
  }
  const certificate = join(options.folder, 'server.crt');
  const key = join(options.folder, 'server.key');
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  if (!existsSync(certificate) || !existsSync(key)) {
    await makeCertificate(certificate, key, [...LOOPBACK, ...(options.names ?? [])]);
  }
  return { certificate, key };
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
