/** How entries of the audit are linked: anybody can follow it, with SHA-256 and the entries' texts. */
import { hash } from 'node:crypto';

/** Of an entry after another one, as hexadecimal digits. @param previous empty before the first, whose number is 1. */
export const chainHash = (previous: string, sequence: number, entry: string): string =>
  hash('sha256', `${previous} ${sequence} ${entry}`);
