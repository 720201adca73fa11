/**
 * The server's TLS identity: files that were given, or a self-signed certificate that is made at first start
 * and kept, so that clients that pin it go on working after a restart.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { generate } from 'selfsigned';

const VALID_DAYS = 3650;

export interface CertificateOptions {
  /** PEM files; both or none. */
  readonly certificate: string | null;
  readonly key: string | null;
  /** Folder of the made ones: beside the data folder. */
  readonly folder: string;
}

/** @throws Error naming the file that cannot be read or does not fit. */
export async function openCertificate(options: CertificateOptions): Promise<SecureContext> {
  if (options.certificate !== null && options.key !== null) {
    return context(options.certificate, options.key);
  }
  const certificate = join(options.folder, 'server.crt');
  const key = join(options.folder, 'server.key');
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  if (!existsSync(certificate) || !existsSync(key)) await makeCertificate(certificate, key);
  return context(certificate, key);
}

function context(certificate: string, key: string): SecureContext {
  return createSecureContext({
    cert: readFileSync(certificate),
    key: readFileSync(key),
    minVersion: 'TLSv1.2',
  });
}

async function makeCertificate(certificate: string, key: string): Promise<void> {
  const notAfterDate = new Date(Date.now() + VALID_DAYS * 86_400_000);
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notAfterDate,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  writeFileSync(key, made.private, { mode: 0o600 });
  writeFileSync(certificate, made.cert, { mode: 0o644 });
}
