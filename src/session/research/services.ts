/** What functions ask of research (`functions/server/research.ts`): done by jobs of the server, for the session's user. */
import { findNamespace } from '../../catalog/lookup.ts';
import { SqlError } from '../../errors.ts';
import type { AskRequest, AskRow, SessionServices } from '../../functions/services.ts';
import { unknownDataset } from '../datasets/definitions.ts';
import { USER } from '../environment.ts';
import type { Runner } from '../running/runner.ts';
import type { Researcher } from './researcher.ts';

type Asked = Pick<AskRequest, 'question' | 'datasets' | 'filter'>;

export function researchServices(runner: Runner): SessionServices['research'] {
  return {
    async *rows(request, signal) {
      yield* rowsOf(runner, await start(runner, request, { isBackground: false, signal }), signal);
    },
    start: (request, signal) => start(runner, request, { isBackground: true, signal }),
    result: (id, signal) => rowsOf(runner, id, signal),
    cancel: (id) => researcherOf(runner).cancel(id),
  };
}

/** @throws SqlError 42704. */
export function refuseUnknown(runner: Runner, { datasets }: Pick<AskRequest, 'datasets'>): void {
  for (const { dataset } of datasets) {
    const known = findNamespace(runner.catalog(), dataset)?.dataset;
    if (known === undefined) throw unknownDataset(runner.catalog(), dataset);
  }
}

/** @throws SqlError 0A000. */
function researcherOf({ environment }: Runner): Researcher {
  if (environment.researcher !== undefined) return environment.researcher;
  throw new SqlError('feature_not_supported', 'research is done by a server that keeps its runs');
}

function start(
  runner: Runner,
  { question, datasets, filter }: Asked,
  { isBackground, signal }: { readonly isBackground: boolean; readonly signal: AbortSignal },
): Promise<string> {
  const researcher = researcherOf(runner);
  refuseUnknown(runner, { datasets });
  const number = (setting: string): number => Number(runner.settings.get(setting));
  const request = {
    ...{ question, datasets, filter, askedBy: USER, isBackground },
    keepsAnswer: runner.settings.get('quern.keep_answers') === 'on',
    questionsMax: number('quern.research_questions'),
    searchesMax: number('quern.research_searches'),
    timeMaxMs: number('quern.research_timeout'),
  };
  return researcher.start(request, signal);
}

function rowsOf(runner: Runner, id: string, signal: AbortSignal): AsyncIterable<AskRow> {
  runner.lastAnswer = null;
  return researcherOf(runner).rows(id, signal, (answerId) => {
    runner.lastAnswer = answerId;
  });
}
