/** Hashes of texts that are the same everywhere and for ever: what is made of them is stored. */
import { hash } from 'node:crypto';

/** FNV-1a over UTF-16 units, 32 bits, not mixed any further. @param salt another hash for each. */
export function hashText(text: string, salt = 0): number {
  let found = 0x811c9dc5 ^ salt;
  for (let i = 0; i < text.length; i++) found = Math.imul(found ^ text.charCodeAt(i), 0x01000193);
  return found;
}

/**
 * Hash that links an entry of the audit to the one before: anybody can follow it, with SHA-256 and the entries' texts.
 *
 * @param previous hexadecimal digits; empty before the first entry, whose number is 1.
 */
export const chainHash = (previous: string, sequence: number, entry: string): string =>
  hash('sha256', `${previous} ${sequence} ${entry}`);
