/** Services of research for functions (`functions/server/research.ts`): done by jobs of the server, for the session's user. */
import { SqlError } from '../../errors.ts';
import type { AskRequest, SessionServices } from '../../functions/services.ts';
import { checkDatasets } from '../datasets/search.ts';
import { USER } from '../environment.ts';
import type { Runner } from '../running/runner.ts';
import type { Researcher, ResearchRequest } from './researcher.ts';

type Asked = Pick<AskRequest, 'question' | 'datasets' | 'filter'>;

export function researchServices(runner: Runner): SessionServices['research'] {
  const answered = (answerId: string | null): void => {
    runner.lastAnswer = answerId;
  };
  return {
    rows(asked, signal) {
      runner.lastAnswer = null;
      return researcherOf(runner).answer(requestOf(runner, asked, false), signal, answered);
    },
    start: async (asked, signal) => researcherOf(runner).start(requestOf(runner, asked, true), signal),
    result(id, signal) {
      runner.lastAnswer = null;
      const { isReadOnly } = runner.settings;
      return researcherOf(runner).rows(id, signal, answered, { onlyLooks: isReadOnly });
    },
    cancel: async (id) => researcherOf(runner).cancel(id),
  };
}

/** @throws SqlError 0A000. */
function researcherOf({ environment }: Runner): Researcher {
  if (environment.researcher !== undefined) return environment.researcher;
  throw new SqlError('feature_not_supported', 'research is done by a server that keeps its runs');
}

/** @throws SqlError 42704. */
function requestOf(
  runner: Runner,
  { question, datasets, filter }: Asked,
  isBackground: boolean,
): ResearchRequest {
  checkDatasets(runner, { datasets });
  const number = (setting: string): number => Number(runner.settings.get(setting));
  return {
    ...{ question, datasets, filter, askedBy: USER, isBackground },
    keepsAnswer: runner.settings.get('quern.keep_answers') === 'on',
    questionsMax: number('quern.research_questions'),
    searchesMax: number('quern.research_searches'),
    timeMaxMs: number('quern.research_timeout'),
  };
}
