/** A commit's LSNs without those of relations of Quern's own: what it wrote down beside the client's writes is none of the client's. */
import type { Catalog } from '../../catalog/model.ts';
import { NAMESPACE_OID } from '../../catalog/oids.ts';
import type { TransactionBlock } from './transaction-block.ts';

export function withoutOwnLsns(block: TransactionBlock, { relations }: Catalog): void {
  const isOwn = (name: string): boolean =>
    relations.get(Number.parseInt(name, 10))?.namespace === NAMESPACE_OID.quern;
  block.lastLsns = new Map([...block.lastLsns].filter(([name]) => !isOwn(name)));
}
