/** A question, of which datasets it is asked, how, and of which documents. What is typed is kept until it is asked. */
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { MultiSelect, Select } from '../../parts/select.tsx';
import { Empty, FaultBox } from '../../parts/states.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { rowsOf } from '../../server/statement.ts';
import { useRows } from '../../server/use-rows.ts';
import { useAttempt } from '../../server/use-attempt.ts';
import { WORDS } from '../../words.ts';
import styles from './ask.module.css';
import { ask } from './asking.ts';
import { draftOf, keepDraft, keepScope, scope } from './drafts.ts';

const { ask: words } = WORDS;

type Mode = 'auto' | 'summarize' | 'research';

const MODES: readonly Mode[] = ['auto', 'summarize', 'research'];

interface QuestionFormProps {
  /** The answer that is followed; null: a question of its own. */
  readonly follows: {
    readonly id: string;
    readonly thread: string;
    readonly datasets: readonly string[];
  } | null;
  readonly initial: string;
}

const DATASETS = `SELECT name FROM quern.datasets WHERE coalesce(document_count, 1) > 0 ORDER BY name`;

export function QuestionForm({ follows, initial }: QuestionFormProps) {
  const draft = follows?.thread ?? '';
  const [text, setText] = useState(() => (initial === '' ? draftOf(draft) : initial));
  const [how, setHow] = useState<How>({ mode: 'auto', filter: '', isFiltered: false });
  /** A follow-up is one line until somebody comes to it. */
  const [isOpen, open] = useState(follows === null);
  const scoped = useScope(follows?.datasets ?? null);
  const { fault, send } = useSend(follows);
  const [isWaiting, waitFor] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: that the list is there is what matters
  useEffect(() => {
    if (isWaiting && scoped.names !== null) void submit();
  }, [isWaiting, scoped.names === null]);
  const type = (next: string): void => {
    setText(next);
    keepDraft(draft, next);
  };
  const submit = async (): Promise<void> => {
    const question = text.trim();
    // Who is quicker than the list of datasets is asked for when it is there.
    waitFor(scoped.names === null);
    if (question === '' || scoped.asked.length === 0) return;
    if (await send(question, scoped.asked, how)) type('');
  };
  if (scoped.names?.length === 0) return <NoDatasets />;
  return (
    <form
      className={styles.form}
      data-folded={!isOpen || undefined}
      onFocus={() => open(true)}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <QuestionBox text={text} isFollowing={follows !== null} onText={type} onSubmit={() => void submit()} />
      {how.isFiltered && (
        <TextField
          label={words.filter}
          help={words.filterHelp}
          placeholder="fiscal_year >= 2022 AND ticker = 'AMZN'"
          className="mono"
          value={how.filter}
          onChange={({ target }) => setHow({ ...how, filter: target.value })}
        />
      )}
      {fault !== null && <FaultBox fault={fault} />}
      <Foot
        scoped={scoped}
        how={how}
        canResearch={follows === null}
        isEmpty={text.trim() === ''}
        onHow={setHow}
      />
    </form>
  );
}

interface How {
  readonly mode: Mode;
  readonly filter: string;
  readonly isFiltered: boolean;
}

/** The datasets that there are, and those that are asked: all, where none is chosen. */
function useScope(initial: readonly string[] | null) {
  const datasets = useRows<{ readonly name: string }>(DATASETS);
  const [chosen, choose] = useState<readonly string[] | null>(() => initial ?? scope());
  const names = datasets.value?.map(({ name }) => name) ?? null;
  const known = (chosen ?? []).filter((name) => names?.includes(name) === true);
  const asked = known.length === 0 ? (names ?? []) : known;
  const change = (next: readonly string[]): void => {
    choose(next);
    keepScope(next);
  };
  return { names, asked, change };
}

/** Asks, or starts research; false where it could not. */
function useSend(follows: QuestionFormProps['follows']) {
  const navigate = useNavigate();
  const { fault, attempt } = useAttempt();
  const send = (question: string, datasets: readonly string[], how: How): Promise<boolean> => {
    const { mode } = how;
    const filter = how.isFiltered ? how.filter.trim() : '';
    return attempt(async () => {
      if (mode === 'research')
        await navigate(`/ask/research/${await startResearch(question, datasets, filter)}`);
      else {
        ask({ question, datasets, mode, filter, follows });
        await navigate('/ask');
      }
    });
  };
  return { fault, send };
}

interface FootProps {
  readonly scoped: ReturnType<typeof useScope>;
  readonly how: How;
  readonly canResearch: boolean;
  readonly isEmpty: boolean;
  readonly onHow: (how: How) => void;
}

function Foot({ scoped: { names, asked, change }, how, canResearch, isEmpty, onHow }: FootProps) {
  const modes = MODES.filter((mode) => canResearch || mode !== 'research');
  return (
    <div className={styles.formFoot}>
      {names !== null && (
        <MultiSelect
          label={words.datasets}
          shown={asked.length === names?.length ? words.allDatasets(asked.length) : asked.join(', ')}
          value={asked}
          options={names}
          onChange={change}
        />
      )}
      <Select
        label={words.mode}
        value={how.mode}
        options={modes.map((value) => ({ value, label: words.modes[value] }))}
        onChange={(mode) => onHow({ ...how, mode })}
      />
      <Button
        kind="bare"
        aria-expanded={how.isFiltered}
        onClick={() => onHow({ ...how, isFiltered: !how.isFiltered })}
      >
        {words.filter}
      </Button>
      <span className="grow" />
      <Button kind="main" type="submit" icon="ask" disabled={isEmpty}>
        {how.mode === 'research' ? words.startResearch : words.ask}
      </Button>
    </div>
  );
}

const START = 'SELECT quern.start_research($1::text, $2::text[], filter => $3::text) AS id';

async function startResearch(question: string, datasets: readonly string[], filter: string): Promise<string> {
  const params = [question, datasets, filter === '' ? null : filter];
  const [row] = await rowsOf<{ readonly id: string }>(START, { params });
  return row?.id ?? '';
}

interface BoxProps {
  readonly text: string;
  readonly isFollowing: boolean;
  readonly onText: (text: string) => void;
  readonly onSubmit: () => void;
}

function QuestionBox({ text, isFollowing, onText, onSubmit }: BoxProps) {
  const id = useId();
  const label = isFollowing ? words.followUp : words.question;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSubmit();
  };
  return (
    <div className={styles.question} data-search="">
      <label htmlFor={id} className="only-read">
        {label}
      </label>
      <textarea
        id={id}
        // biome-ignore lint/a11y/noAutofocus: it is what the page is for
        autoFocus={!isFollowing}
        rows={isFollowing ? 1 : 3}
        placeholder={label}
        value={text}
        maxLength={8192}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}

function NoDatasets() {
  return (
    <Empty
      title={words.noDatasets}
      action={
        <LinkButton kind="main" to="/datasets">
          {words.toDatasets}
        </LinkButton>
      }
      sql="SELECT * FROM ask('What drove the operating margin?', ARRAY['filings'])"
    >
      {words.noDatasetsSaid}
    </Empty>
  );
}
