/**
 * Documents that a question surely names by whom they are of, of each the years that it asks for. `search()` finds them
 * by the same index.
 */
import type { AskRequest } from '../../functions/services.ts';
import { type NamedDocument, subjectsNamed } from '../../session/datasets/subjects/find-subjects.ts';
import type { Query } from '../../session/server-session.ts';
import type { Question } from '../question.ts';
import { documentNames, narrowedTo } from './named-documents.ts';

type Wanted = AskRequest['datasets'];
type Asked = Pick<Question, 'core' | 'vocabulary' | 'years'>;

interface OfSubjects {
  /** As they were asked for; all documents of one in which nobody is named, so that it is not looked up again. */
  readonly datasets: Wanted;
  /** Datasets with only the documents that are surely named; null where none is. */
  readonly sure: Wanted | null;
  /** The question's names of somebody that documents are of, surely or not. */
  readonly said: readonly string[];
}

/** @param query runs statements as the asker. */
export async function documentsOfSubjects(
  query: Query,
  question: Asked,
  datasets: Wanted,
): Promise<OfSubjects> {
  const narrowed: Wanted[number][] = [];
  const all: Wanted[number][] = [];
  const said = new Set<string>();
  for (const wanted of datasets) {
    const asked = { text: question.core, vocabulary: question.vocabulary };
    const named = [...(await subjectsNamed(query, wanted.dataset, asked)).values()];
    for (const one of named) said.add(one.said);
    all.push(named.length > 0 ? wanted : { ...wanted, documents: wanted.documents ?? null });
    const sure = named.filter(({ isSure }) => isSure);
    if (sure.length > 0) narrowed.push(await ofYears(query, question, { wanted, sure }));
  }
  return { datasets: all, sure: narrowed.length === 0 ? null : narrowed, said: [...said] };
}

interface Sure {
  readonly wanted: Wanted[number];
  readonly sure: readonly NamedDocument[];
}

/** Each name's own documents by their years: who is compared may have others. */
async function ofYears(
  query: Query,
  { core, years }: Asked,
  { wanted, sure }: Sure,
): Promise<Wanted[number]> {
  const all = narrowedTo(
    wanted,
    sure.map(({ docId }) => docId),
  );
  const names = await documentNames(query, [all]);
  const groups = [...Map.groupBy(sure, ({ said }) => said).values()];
  const ids = groups.flatMap((group) =>
    names.ofYears(
      group.map(({ docId }) => docId),
      core,
      years,
    ),
  );
  return narrowedTo(all, [...new Set(ids)]);
}
