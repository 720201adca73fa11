/** The page of questions: one that is asked now, or one that was kept, beside the page that it cites. */
import { useCallback, useEffect } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { useLoaded } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import { AnswerBody } from './answer-body.tsx';
import { AnswerMenu } from './answer-menu.tsx';
import styles from './ask.module.css';
import { ask, useAsking } from './asking.ts';
import { History } from './history.tsx';
import { keptAnswer } from './kept.ts';
import type { AnswerView } from './model.ts';
import { QuestionForm } from './question-form.tsx';
import { Source } from './source.tsx';
import { Thread } from './thread.tsx';
import { useBadges } from './use-badges.ts';

const { ask: words } = WORDS;

/** A uuid; anything else the server need not be asked for. */
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function AskPage() {
  const { answer: id } = useParams();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const [asking, live] = useAsking();
  const load = useCallback((signal: AbortSignal) => keptAnswer(id ?? '', signal), [id]);
  const isOdd = id !== undefined && !ID.test(id);
  const kept = useLoaded(id === undefined || isOdd ? null : load);
  const liveId = live?.view.id ?? null;
  const isLive = live !== null && (id === undefined || liveId === id);
  // What is kept is where it is from then on; so it can be sent to others.
  useEffect(() => {
    if (id === undefined && liveId !== null) void navigate(`/ask/${liveId}`, { replace: true });
  }, [id, liveId, navigate]);
  const found = kept.value?.id === id ? kept.value : null;
  const view = found ?? (isLive ? live.view : null);
  const isGone = isOdd || (kept.value === null && !kept.isLoading && kept.fault === null && id !== undefined);
  return (
    <Page
      title={WORDS.pages.ask}
      name={view?.question ?? WORDS.pages.ask}
      actions={
        <>
          {found !== null && <AnswerMenu view={found} onChecked={kept.reload} />}
          {view !== null && <Another />}
        </>
      }
    >
      {kept.fault !== null && id !== undefined && <FaultBox fault={kept.fault} onRetry={kept.reload} />}
      {view === null && id !== undefined && kept.isLoading && <Skeleton />}
      {isGone && view === null && (
        <Empty title={words.gone} action={<LinkButton to="/ask">{words.another}</LinkButton>}>
          {words.goneSaid}
        </Empty>
      )}
      {view === null && id === undefined && <Start asked={search.get('q') ?? ''} />}
      {view !== null && (
        <Answered
          view={view}
          isRunning={isLive && found === null && live.isRunning}
          fault={isLive && found === null ? live.fault : null}
          notices={isLive ? live.notices : []}
          onStop={() => asking?.stop()}
          onRetry={() => asking !== null && ask(asking.question)}
        />
      )}
    </Page>
  );
}

function Another() {
  const navigate = useNavigate();
  const begin = (): void => {
    ask(null);
    void navigate('/ask');
  };
  return (
    <Button icon="plus" onClick={begin}>
      {words.another}
    </Button>
  );
}

function Start({ asked }: { readonly asked: string }) {
  return (
    <div className={styles.start}>
      <QuestionForm follows={null} initial={asked} />
      <History />
    </div>
  );
}

interface AnsweredProps extends Omit<Parameters<typeof AnswerBody>[0], 'badges'> {
  readonly view: AnswerView;
}

function Answered(props: AnsweredProps) {
  const { view, isRunning } = props;
  const badges = useBadges(view);
  const { id, thread } = view;
  return (
    <div className={styles.answered}>
      <div className={styles.left}>
        <div className={styles.scroll}>
          {thread !== null && <Thread thread={thread} current={id} />}
          <AnswerBody {...props} badges={badges} />
        </div>
        {!isRunning && id !== null && thread !== null && view.mode !== 'research' && (
          <div className={styles.foot}>
            <QuestionForm key={id} follows={{ id, thread, datasets: view.datasets }} initial="" />
          </div>
        )}
      </div>
      {badges.active !== null && <Source badges={badges} />}
    </div>
  );
}
