/** Words as a keyword index has them, and in how many rows of a snapshot they stand. */
import type { Relation } from '../../../catalog/model.ts';
import type { Structure } from '../../../index/structure.ts';
import { runTask, type Task, wait } from '../../../task.ts';
import type { IndexWords, Part, TermCounts } from '../../engine.ts';
import { loadStructures } from './arm-parts.ts';
import type { EnginePart } from './part.ts';
import { structurePlans } from './source.ts';

/** Terms looked up between two turns of the event loop. */
const TERMS_A_TURN = 16;

/** Null: no part has the index yet. */
export function* indexWords(
  relation: Relation,
  parts: readonly EnginePart[],
  index: number,
  pause: () => Promise<void>,
): Task<IndexWords | null> {
  const plan = structurePlans(relation).find((one) => one.index.oid === index && one.kind === 'keywords');
  const structures = plan === undefined ? new Map() : yield* loadStructures(relation, parts, plan);
  const [first] = [...structures.values()];
  const analyser = first?.words?.analyser;
  if (analyser === undefined) return null;
  return {
    analyse: (text) => analyser.analyse(text),
    countRows: (terms) => runTask(countRows(structures, terms, pause)),
  };
}

function* countRows(
  structures: ReadonlyMap<Part, Structure>,
  terms: readonly string[],
  pause: () => Promise<void>,
): Task<TermCounts> {
  const counts = new Float64Array(terms.length);
  let documents = 0;
  for (const [{ visible, rowCount }, structure] of structures) {
    documents += structure.words?.statistics(visible, rowCount).documents ?? 0;
    for (const [i, term] of terms.entries()) {
      counts[i] = (counts[i] as number) + (structure.words?.countOf(term, visible, rowCount) ?? 0);
      if (i % TERMS_A_TURN === TERMS_A_TURN - 1) yield* wait(pause());
    }
  }
  return { documents, counts };
}
