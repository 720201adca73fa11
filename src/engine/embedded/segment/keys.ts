/** The tables of a segment's unique keys: read from its sections, or made of its columns for younger keys. */
import { NAME_WORDS, type NameCipher } from '../../../storage/seal.ts';
import { KeyTable } from '../keys/key-table.ts';
import { ResidentMap } from './resident-map.ts';
import type { SectionReader, SegmentContext } from './section-reader.ts';
import type { Manifest } from './manifest.ts';
import { keySection } from './names.ts';
import type { Source } from '../head/source.ts';
import type { UniqueKey } from '../keys/unique-key.ts';
import { rowNames } from '../keys/key-rows.ts';

/** Rows whose keys are named at a time. */
const NAMED_ROWS = 1024;

export class SegmentKeys {
  readonly #manifest: Manifest;
  readonly #sections: SectionReader;
  readonly #source: Source;
  /** By `UniqueKey.id`. */
  readonly #resident: ResidentMap<KeyTable>;

  /** @param source of the columns that keys are made of. */
  constructor(
    { memory }: SegmentContext,
    manifest: Manifest,
    { sections, source }: { sections: SectionReader; source: Source },
  ) {
    this.#manifest = manifest;
    this.#sections = sections;
    this.#source = source;
    this.#resident = new ResidentMap(memory, 'key table');
  }

  table(key: UniqueKey, cipher: NameCipher): KeyTable {
    const resident = this.#resident.use(key.id);
    if (resident !== undefined) return resident;
    if (this.#isStored(key)) {
      const { names, slots } = sectionNames(key);
      return this.#keep(key, loaded(this.#sections.read(names), this.#sections.read(slots)));
    }
    const { rowCount } = this.#manifest;
    const table = new KeyTable(rowCount);
    while (table.rowCount < rowCount) this.#nameRows(table, key, cipher);
    return this.#keep(key, table);
  }

  load(key: UniqueKey, cipher: NameCipher, pause: () => Promise<void>): Promise<void> {
    if (this.#resident.has(key.id)) return Promise.resolve();
    return this.#resident.bring(key.id, () => this.#bring(key, cipher, pause));
  }

  release(): void {
    this.#resident.clear();
  }

  async #bring(key: UniqueKey, cipher: NameCipher, pause: () => Promise<void>): Promise<void> {
    if (this.#isStored(key)) {
      const sections = sectionNames(key);
      const names = await this.#sections.load(sections.names);
      this.#keep(key, loaded(names, await this.#sections.load(sections.slots)));
      return;
    }
    await this.#source.load(key.index.columns);
    const { rowCount } = this.#manifest;
    const table = new KeyTable(rowCount);
    while (table.rowCount < rowCount) {
      this.#nameRows(table, key, cipher);
      await pause();
    }
    this.#keep(key, table);
  }

  #isStored({ id }: UniqueKey): boolean {
    return this.#manifest.keys.includes(id);
  }

  #keep({ id }: UniqueKey, table: KeyTable): KeyTable {
    return this.#resident.add(id, table, table.bytes);
  }

  #nameRows(table: KeyTable, key: UniqueKey, cipher: NameCipher): void {
    const start = table.rowCount;
    const end = Math.min(this.#manifest.rowCount, start + NAMED_ROWS);
    const names = rowNames(this.#source, key, { cipher, start, end });
    for (let at = 0; at < names.length; at += NAME_WORDS) table.push(names, at);
  }
}

const sectionNames = ({ id }: UniqueKey): { readonly names: string; readonly slots: string } => ({
  names: keySection(id, 'names'),
  slots: keySection(id, 'slots'),
});

function loaded(names: Uint8Array, slots: Uint8Array): KeyTable {
  return KeyTable.load(
    new Uint32Array(names.buffer, names.byteOffset, names.length / 4),
    new Int32Array(slots.buffer, slots.byteOffset, slots.length / 4),
  );
}
