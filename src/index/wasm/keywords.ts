/**
 * Keyword search over one segment (AssemblyScript), on posting lists that lie in this memory. Weights are
 * positive, and a phrase has no slop.
 */
import { JOB_BYTES } from './keywords/search';
import { sortTop, Top } from './keywords/top-rows';

export { beginAll, searchAll } from './keywords/all';
export { beginAny, searchAny } from './keywords/any';

/** The best rows of a search that is done, in order. */
export function endKeywords(address: usize): void {
  sortTop(changetype<Top>(address + JOB_BYTES));
}
