/** Rows from a file. */
import { Empty } from '../../../parts/states.tsx';
import type { Relation } from '../relation.ts';

export function Import({ relation }: { readonly relation: Relation; readonly onChanged: () => void }) {
  return <Empty title={relation.shown}>…</Empty>;
}
