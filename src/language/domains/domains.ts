/**
 * The domain packs that come with Quern, `domains/*.json` beside `src`: read and checked once. What is wrong with a row
 * is in `faults`, which the server logs at its start.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DomainPack, readPack } from './pack.ts';

/** The same folder in a checkout and in the package. */
const FOLDER = join(import.meta.dirname, '../../../domains');

interface Domains {
  /** By id. */
  readonly packs: ReadonlyMap<string, DomainPack>;
  /** Each names its file and row. */
  readonly faults: readonly string[];
  /** SHA-256 of the files, by which a bench tells which packs it ran with. */
  readonly hash: string;
}

export const DOMAINS: Domains = readDomains(FOLDER);

/** @throws nothing: a file that is no JSON is a fault. */
export function readDomains(folder: string): Domains {
  const packs = new Map<string, DomainPack>();
  const faults: string[] = [];
  const hash = createHash('sha256');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  for (const file of files.sort()) {
    const bytes = readFileSync(join(folder, file));
    hash.update(bytes);
    const read = readPack(jsonOf(bytes.toString()));
    if (read.pack.rows.size > 0) packs.set(read.pack.id, read.pack);
    faults.push(...read.faults.map((fault) => `domains/${file}: ${fault}`));
  }
  return { packs, faults, hash: hash.digest('hex') };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
