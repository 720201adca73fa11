/**
 * Searches kept to the documents that a query surely names, and to those of nobody, which may be about anybody. Those
 * of somebody else are left out: what they say is no answer about whom was asked for.
 */
import type { Ask, Target } from '../ranking/passage.ts';
import { documentsOfNobody } from './find-subjects.ts';

/** All of them as they are where nobody is surely named, or who is named has nothing in what may be found. */
export async function keptToNamed(ask: Ask, targets: readonly Target[]): Promise<readonly Target[]> {
  const sure = targets.map(sureIn);
  if (sure.every((ids) => ids.length === 0)) return targets;
  const kept: Target[] = [];
  for (const [i, target] of targets.entries()) {
    const others = await documentsOfNobody(ask, target.dataset);
    if (others === null) kept.push(target);
    else kept.push({ ...target, documents: within(target, [...(sure[i] ?? []), ...others]) });
  }
  return kept;
}

/** Ids of documents that are surely named, of those that may be found. */
const sureIn = (target: Target): readonly string[] =>
  within(
    target,
    [...target.named.values()].flatMap(({ docId, isSure }) => (isSure ? [docId] : [])),
  );

function within({ documents }: Target, ids: readonly string[]): readonly string[] {
  if (documents === null) return ids;
  const known = new Set(documents);
  return ids.filter((id) => known.has(id));
}
