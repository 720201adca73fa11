/** Services of research for functions (`functions/server/research.ts`): done by jobs of the server, for the session's user. */
import { SqlError } from '../../errors.ts';
import type { AskRequest, SessionServices } from '../../functions/services.ts';
import { checkDatasets } from '../datasets/search.ts';
import { USER } from '../environment.ts';
import { requireOwnSuperuser } from '../rights/of-session.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';
import type { Researcher, ResearchRequest } from './researcher.ts';

type Asked = Pick<AskRequest, 'question' | 'datasets' | 'filter'>;

export function researchServices(statement: Statement): SessionServices['research'] {
  const { session, signal } = statement;
  // Its jobs and their rows do not say yet whose they are.
  requireOwnSuperuser(session, 'do research');
  statement.sources.answers = true;
  const answered = (answerId: string | null): void => {
    session.lastAnswer = answerId;
  };
  return {
    rows(asked) {
      session.lastAnswer = null;
      return researcherOf(session).answer(requestOf(session, asked, false), signal, answered);
    },
    start: async (asked) => researcherOf(session).start(requestOf(session, asked, true), signal),
    result(id) {
      session.lastAnswer = null;
      const { isReadOnly } = session.settings;
      return researcherOf(session).rows(id, signal, answered, { onlyLooks: isReadOnly });
    },
    cancel: async (id) => researcherOf(session).cancel(id),
  };
}

/** @throws SqlError 0A000. */
function researcherOf({ environment }: SessionState): Researcher {
  if (environment.researcher !== undefined) return environment.researcher;
  throw new SqlError('feature_not_supported', 'research is done by a server that keeps its runs');
}

/** @throws SqlError 42704. */
function requestOf(
  session: SessionState,
  { question, datasets, filter }: Asked,
  isBackground: boolean,
): ResearchRequest {
  checkDatasets(session, { datasets });
  const number = (setting: string): number => Number(session.settings.get(setting));
  return {
    ...{ question, datasets, filter, askedBy: USER, isBackground },
    keepsAnswer: session.settings.get('quern.keep_answers') === 'on',
    questionsMax: number('quern.research_questions'),
    searchesMax: number('quern.research_searches'),
    timeMaxMs: number('quern.research_timeout'),
  };
}
