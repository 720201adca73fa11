/**
 * Faults to plant in the engine, one at a time: simulations that find none of them prove nothing. Each is a
 * mistake that somebody could make; the text that it replaces stands once in its file, however it is broken into
 * lines, and a fault whose place is not there any more says so.
 */

export interface Fault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const ENGINE = 'src/engine/embedded';

/** @throws Error when its place is not there, or there twice. */
export function plant({ name, from, to }: Fault, source: string): string {
  const words = from
    .trim()
    .split(/\s+/)
    .map((word) => RegExp.escape(word));
  const pieces = source.split(new RegExp(words.join('\\s+')));
  if (pieces.length !== 2) throw new Error(`the place of "${name}" is there ${pieces.length - 1} times`);
  return pieces.join(to);
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'a claim is not asked for again after a wait',
    file: `${ENGINE}/keys/key-claims.ts`,
    from: 'holder = this.#tryTake(at); } this.#settle(',
    to: 'holder = this.#holder(at); } this.#settle(',
  },
  {
    name: 'a row is not looked at again when its lock is had',
    file: `${ENGINE}/transaction/transaction.ts`,
    from: 'newest[i] = this.#newest(slot, overlay, row);',
    to: 'newest[i] = row;',
  },
  {
    name: 'if for while: whoever waits for an LSN is woken by any',
    file: `${ENGINE}/embedded-engine.ts`,
    from: 'while (slot.newest.lsn < Number(lsn)) {',
    to: 'if (slot.newest.lsn < Number(lsn)) {',
  },
  {
    name: 'published before it is stored',
    file: `${ENGINE}/commit/commit-queue.ts`,
    from: 'await records.root.commit(operations, usedIds, { ...this.#rootChange, ...this.#chained });',
    to: 'void records.root.commit(operations, usedIds, { ...this.#rootChange, ...this.#chained }).catch(() => {});',
  },
  {
    name: 'locks are released before the commit is there',
    file: `${ENGINE}/transaction/transaction.ts`,
    from: '      await this.#queue.submit({ prepare });',
    to: '      this.#database.locks.releaseTo(this.#holder, 0);\n      await this.#queue.submit({ prepare });',
  },
  {
    name: 'an LSN is counted from what is published, not from the round',
    file: `${ENGINE}/commit/transaction-commit.ts`,
    from: 'const lsn = draft.write();',
    to: 'const lsn = slot.newest.lsn + 1;\n    draft.lsn = lsn;',
  },
  {
    name: 'what was deleted during a merge comes back',
    file: `${ENGINE}/commit/slot-draft.ts`,
    from: 'if (storage.deletes.size === 0) return',
    to: 'if (storage.deletes.size >= 0) return',
  },
  {
    name: 'a merge does not look whether the table was emptied',
    file: `${ENGINE}/merge/run-merge.ts`,
    from: 'if (!this.#isThere(draft.storage.id) || draft.swap !== null) throw new Abandoned();',
    to: '',
  },
  {
    name: 'a savepoint takes back one step of many',
    file: `${ENGINE}/transaction/transaction.ts`,
    from: 'while (this.#undo.length > steps) this.#undo.pop()?.();',
    to: 'if (this.#undo.length > steps) this.#undo.pop()?.();',
  },
  {
    name: 'keys of a statement that failed stay claimed',
    file: `${ENGINE}/keys/key-claims.ts`,
    from: '    overlay.withdrawKeys(overlay.rowCount);\n',
    to: '',
  },
  {
    name: 'a snapshot is not held against merges and commits',
    file: `${ENGINE}/head/snapshot.ts`,
    from: '    database.hold(sequence);\n',
    to: '',
  },
  {
    name: 'a cycle of waits is not looked for',
    file: `${ENGINE}/locks/locks.ts`,
    from: 'if (reaches(waiter, holder, new Set())) throw deadlock();',
    to: '',
  },
  {
    name: 'a drawn number is not stored with the commit',
    file: `${ENGINE}/commit/transaction-commit.ts`,
    from: '    round.sequences.set(sequence, [sequence, String(last), called]);\n',
    to: '',
  },
  {
    name: 'a small commit is published before it is stored',
    file: `${ENGINE}/commit/commit-queue.ts`,
    from: 'await records.root.commit([link], usedIds, this.#chained);',
    to: 'void records.root.commit([link], usedIds, this.#chained).catch(() => {});',
  },
  {
    name: 'deletes of the journal are lost when it is written',
    file: `${ENGINE}/commit/journal.ts`,
    from: 'if (bits !== undefined) operations.push(records.putDeletes(storage.id, page, bits));',
    to: '',
  },
  {
    name: 'deletes of the journal are not seen by a start',
    file: `${ENGINE}/open.ts`,
    from: 'for (const row of deleted) markDeleted(storage.deletes, row);',
    to: '',
  },
  {
    name: 'the catalog is that of the snapshot',
    file: `${ENGINE}/transaction/transaction.ts`,
    from: 'return this.changedCatalog ?? this.#database.catalog;',
    to: 'return this.changedCatalog ?? this.#fixed?.catalog ?? this.#database.catalog;',
  },
  {
    name: 'reads are not held against what the same round writes',
    file: `${ENGINE}/transaction/validation.ts`,
    from: 'draft: round?.drafted(slot),',
    to: 'draft: undefined,',
  },
  {
    name: 'a key that nothing was found by is forgotten',
    file: `${ENGINE}/head/snapshot.ts`,
    from: 'this.#own.reads?.miss(partition, { key: unique, name });',
    to: '',
  },
  {
    name: 'rows that are gone do not matter to a scan',
    file: `${ENGINE}/transaction/slot-changes.ts`,
    from: 'const rows = await this.#removedFrom(run);',
    to: 'const rows: number[] = [];',
  },
  {
    name: 'what a transaction was given is taken back by its next wait',
    file: `${ENGINE}/locks/locks.ts`,
    from: "if (taken !== undefined && 'lock' in taken) holder.taken[length] = { ...taken, given: true };",
    to: '',
  },
  {
    name: 'a row that another has as a bit is free',
    file: `${ENGINE}/locks/locks.ts`,
    from: 'for (const { holder: other, bits } of this.#compact.take(row)) this.#grant(name, other, bits);',
    to: '',
  },
  {
    name: 'of two who have many rows each takes what the other has',
    file: `${ENGINE}/locks/locks.ts`,
    from: '!this.#compact.isOfAnother(holder, row);',
    to: 'true;',
  },
  {
    name: 'claims of others make no deferrable key doubtful',
    file: `${ENGINE}/keys/key-claims.ts`,
    from: 'return this.#holder(at) >= 0 || this.#rival(at) !== null;',
    to: 'return this.#holder(at) >= 0;',
  },
  {
    name: 'a deferrable key is not asked for again after a wait',
    file: `${ENGINE}/keys/key-claims.ts`,
    from: 'holder = this.#tryTake(at); } if (holder < 0',
    to: 'holder = -1; } if (holder < 0',
  },
  {
    name: 'a new version of a doubtful row is beyond doubt',
    file: `${ENGINE}/keys/key-claims.ts`,
    from: 'return replaces >= OWN_ROWS && doubtful?.has(replaces - OWN_ROWS) === true;',
    to: 'return false;',
  },
  {
    name: 'of own rows that share a key the newest alone is found',
    file: `${ENGINE}/transaction/overlay.ts`,
    from: 'return positions.reverse();',
    to: 'return positions.slice(0, 1);',
  },
  {
    name: 'a data key is destroyed while a merge seals with it',
    file: `${ENGINE}/merge/seal-anew.ts`,
    from: 'await sealings.ended(this.#epoch, this.#signal);',
    to: 'void sealings;',
  },
  {
    name: 'what is sealed anew comes behind what the round changes',
    file: `${ENGINE}/merge/seal-anew.ts`,
    from: 'round.operations.unshift(...operations);',
    to: 'round.operations.push(...operations);',
  },
];
