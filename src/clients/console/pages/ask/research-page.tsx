/** A piece of research: what it does as a tree while it does it, its answer beside the pages that it cites. */
import { useCallback, useEffect, useState } from 'react';
import { useParams } from 'react-router';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Badge, Empty, FaultBox, Skeleton, type Tone } from '../../parts/states.tsx';
import { ChoiceTabs } from '../../parts/tabs.tsx';
import { When } from '../../parts/when.tsx';
import { run } from '../../server/statement.ts';
import { useEvery } from '../../server/use-every.ts';
import { useLoaded, useRows } from '../../server/use-rows.ts';
import { WORDS } from '../../words.ts';
import { AnswerBody } from './answer-body.tsx';
import { AnswerMenu } from './answer-menu.tsx';
import styles from './ask.module.css';
import { keptAnswer } from './kept.ts';
import type { AnswerView } from './model.ts';
import { STEPS, type Step, stepTree } from './research-steps.ts';
import { ResearchTree } from './research-tree.tsx';
import { Source } from './source.tsx';
import { useBadges } from './use-badges.ts';

const { research: words } = WORDS;

interface ResearchRow {
  readonly question: string;
  readonly datasets: readonly string[];
  readonly state: string;
  readonly reason: string | null;
  readonly sqlstate: string | null;
  readonly answer_id: string | null;
  readonly facts: number | null;
  readonly asked_at: string;
}

const RESEARCH = `SELECT question, datasets, state, reason, sqlstate, answer_id, facts, asked_at
  FROM quern.research WHERE research_id::text = $1`;

const CANCEL = 'SELECT quern.cancel_research($1)';

const ASK_MS = 700;

const TONES: Readonly<Record<string, Tone>> = {
  queued: 'plain',
  running: 'busy',
  done: 'good',
  error: 'bad',
  cancelled: 'warn',
};

export function ResearchPage() {
  const { research: id = '' } = useParams();
  const found = useRows<ResearchRow>(RESEARCH, [id]);
  const row = found.value?.[0] ?? null;
  const isUnderWay = row !== null && (row.state === 'queued' || row.state === 'running');
  const steps = useRows<Step>(STEPS, [id]);
  const { reload } = found;
  const reloadSteps = steps.reload;
  const look = useCallback(() => {
    reload();
    reloadSteps();
  }, [reload, reloadSteps]);
  useEvery(isUnderWay ? ASK_MS : null, look);
  // The last steps come with the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end is what matters
  useEffect(reloadSteps, [isUnderWay]);
  const load = useCallback(
    (signal: AbortSignal) => keptAnswer(row?.answer_id ?? '', signal),
    [row?.answer_id],
  );
  const answer = useLoaded(row?.answer_id == null ? null : load);
  return (
    <Page
      title={WORDS.pages.ask}
      name={row?.question ?? words.title}
      state={
        row !== null && (
          <Badge tone={TONES[row.state] ?? 'plain'}>{words.states[row.state] ?? row.state}</Badge>
        )
      }
      actions={
        <>
          {isUnderWay && <CancelButton id={id} onDone={look} />}
          {answer.value !== null && <AnswerMenu view={answer.value} onChecked={answer.reload} />}
          <LinkButton icon="plus" to="/ask">
            {WORDS.ask.another}
          </LinkButton>
        </>
      }
    >
      {found.fault !== null && <FaultBox fault={found.fault} onRetry={found.reload} />}
      {found.value === null && found.fault === null && <Skeleton />}
      {found.value?.length === 0 && (
        <Empty title={words.gone} action={<LinkButton to="/ask">{WORDS.ask.another}</LinkButton>}>
          {words.goneSaid}
        </Empty>
      )}
      {row !== null && <Sides row={row} steps={steps.value ?? []} answer={answer.value} />}
    </Page>
  );
}

function CancelButton({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const cancel = async (): Promise<void> => {
    setBusy(true);
    await run(CANCEL, { params: [id] }).catch(() => undefined);
    onDone();
    setBusy(false);
  };
  return (
    <Button icon="stop" disabled={isBusy} onClick={() => void cancel()}>
      {words.cancel}
    </Button>
  );
}

interface SidesProps {
  readonly row: ResearchRow;
  readonly steps: readonly Step[];
  readonly answer: AnswerView | null;
}

type Side = 'answer' | 'steps';

const NOTHING_YET: Omit<AnswerView, 'question' | 'datasets'> = {
  id: null,
  thread: null,
  understood: null,
  mode: 'research',
  askedAt: null,
  progress: [],
  facts: [],
  confidence: null,
};

function Sides({ row, steps, answer }: SidesProps) {
  const [chosen, choose] = useState<Side | null>(null);
  const view: AnswerView = answer ?? {
    ...NOTHING_YET,
    question: row.question,
    datasets: row.datasets,
    askedAt: row.asked_at,
  };
  const badges = useBadges(view);
  const side = chosen ?? (answer === null ? 'steps' : 'answer');
  const tree = stepTree(steps);
  return (
    <div className={styles.answered}>
      <div className={styles.left}>
        <ChoiceTabs
          label={words.title}
          value={side}
          options={[
            { value: 'answer', label: words.answer(row.facts ?? 0) },
            { value: 'steps', label: words.steps(tree.length) },
          ]}
          onChange={choose}
        />
        <div className={styles.scroll}>
          {row.state === 'error' && (
            <FaultBox fault={{ message: row.reason ?? '', sqlstate: row.sqlstate ?? 'XX000' }} />
          )}
          {side === 'answer' && (
            <AnswerBody
              view={view}
              badges={badges}
              isRunning={false}
              fault={null}
              notices={answer === null && row.state !== 'error' ? [words.states[row.state] ?? row.state] : []}
              onStop={() => undefined}
              onRetry={() => undefined}
            />
          )}
          {side === 'steps' && (
            <article className={styles.answer}>
              <h2 className={styles.asked} dir="auto">
                {row.question}
              </h2>
              <p className="quiet small">
                {row.datasets.join(', ')} · <When at={row.asked_at} />
              </p>
              <ResearchTree parts={tree} isUnderWay={row.state === 'running'} />
            </article>
          )}
        </div>
      </div>
      {side === 'answer' && badges.active !== null && <Source badges={badges} />}
    </div>
  );
}
