/** Services of research for functions (`functions/server/research.ts`): done by jobs of the server, as whoever asks. */
import { SqlError } from '../../errors.ts';
import type { AskRequest, SessionServices } from '../../functions/services.ts';
import { actorOf } from '../audit/actor.ts';
import { apart } from '../audit/entry.ts';
import { checkDatasets } from '../datasets/search.ts';
import { shownRole } from '../identity.ts';
import { rowOwner } from '../rights/own-rows.ts';
import { requireStorable, starterOf } from '../rights/starter.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';
import { runReader } from './reader.ts';
import type { Onlooker, Researcher, ResearchRequest } from './researcher.ts';

type Asked = Pick<AskRequest, 'question' | 'datasets' | 'filter'>;

export function researchServices(statement: Statement): SessionServices['research'] {
  const { session, signal } = statement;
  statement.sources.answers = true;
  const reader = runReader(statement);
  const onlooker: Onlooker = {
    ...{ reader, signal },
    answered: (answerId) => {
      session.lastAnswer = answerId;
    },
  };
  return {
    async *rows(asked) {
      session.lastAnswer = null;
      const request = requestOf(session, asked, false);
      await auditResearch(session, asked);
      yield* researcherOf(session).answer(request, onlooker);
    },
    async start(asked) {
      const request = requestOf(session, asked, true);
      await auditResearch(session, asked);
      return researcherOf(session).start(request, signal);
    },
    result(id) {
      session.lastAnswer = null;
      const { isReadOnly } = session.settings;
      return researcherOf(session).rows(id, onlooker, { onlyLooks: isReadOnly });
    },
    cancel: async (id) => researcherOf(session).cancel(id, reader),
  };
}

/** Writes the question down; the answer's documents are in `quern.citations`. @throws SqlError 53100 where it cannot be written down. */
async function auditResearch(session: SessionState, { question, datasets }: Asked): Promise<void> {
  const { directory, environment } = session;
  const kept = apart(question, environment.randomBytes);
  const detail = { text: kept.digest, datasets: datasets.map(({ dataset }) => dataset) };
  await directory.audit.noted(actorOf(session), { action: 'research', detail }, kept);
}

/** @throws SqlError 0A000. */
function researcherOf({ environment }: SessionState): Researcher {
  if (environment.researcher !== undefined) return environment.researcher;
  throw new SqlError('feature_not_supported', 'research is done by a server that keeps its runs');
}

/** @throws SqlError 42501, 42704, 54000. */
function requestOf(
  session: SessionState,
  { question, datasets, filter }: Asked,
  isBackground: boolean,
): ResearchRequest {
  checkDatasets(session, { datasets });
  const starter = starterOf(session);
  requireStorable(starter);
  const number = (setting: string): number => Number(session.settings.get(setting));
  return {
    ...{ question, datasets, filter, isBackground },
    ...{ askedBy: shownRole(session.catalog(), session.identity.current), owner: rowOwner(session), starter },
    keepsAnswer: session.settings.get('quern.keep_answers') === 'on',
    questionsMax: number('quern.research_questions'),
    searchesMax: number('quern.research_searches'),
    timeMaxMs: number('quern.research_timeout'),
  };
}
