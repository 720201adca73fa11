/** A question, of which datasets it is asked, how, and of which documents. What is typed is kept until it is asked. */
import { type KeyboardEvent, useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { MultiSelect } from '../../parts/multi-select.tsx';
import { Select } from '../../parts/select.tsx';
import { Empty, FaultBox } from '../../parts/states.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { type Fault, faultOf } from '../../server/messages.ts';
import { rowsOf } from '../../server/statement.ts';
import { useRows } from '../../server/use-rows.ts';
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
  const navigate = useNavigate();
  const draft = follows?.thread ?? '';
  const [text, setText] = useState(() => (initial === '' ? draftOf(draft) : initial));
  const [mode, setMode] = useState<Mode>('auto');
  const [filter, setFilter] = useState('');
  const [isFiltered, showFilter] = useState(false);
  /** A follow-up is one line until somebody comes to it. */
  const [isOpen, open] = useState(follows === null);
  const [fault, setFault] = useState<Fault | null>(null);
  const datasets = useRows<{ readonly name: string }>(DATASETS);
  const names = (datasets.value ?? []).map(({ name }) => name);
  const [chosen, choose] = useState<readonly string[] | null>(() => follows?.datasets ?? scope());
  const known = (chosen ?? names).filter((name) => names.includes(name));
  const asked = known.length === 0 ? names : known;
  if (datasets.value !== null && names.length === 0) return <NoDatasets />;
  const submit = async (): Promise<void> => {
    const question = text.trim();
    if (question === '' || asked.length === 0) return;
    setFault(null);
    const condition = isFiltered ? filter.trim() : '';
    try {
      if (mode === 'research')
        await navigate(`/ask/research/${await startResearch(question, asked, condition)}`);
      else {
        ask({ question, datasets: asked, mode, filter: condition, follows });
        await navigate('/ask');
      }
      keepDraft(draft, '');
      setText('');
    } catch (error) {
      setFault(faultOf(error));
    }
  };
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
      <QuestionBox
        text={text}
        isFollowing={follows !== null}
        onText={(next) => {
          setText(next);
          keepDraft(draft, next);
        }}
        onSubmit={() => void submit()}
      />
      {isFiltered && (
        <TextField
          label={words.filter}
          help={words.filterHelp}
          placeholder="fiscal_year >= 2022 AND ticker = 'AMZN'"
          className="mono"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      )}
      {fault !== null && <FaultBox fault={fault} />}
      <div className={styles.formFoot}>
        <MultiSelect
          label={words.datasets}
          shown={asked.length === names.length ? words.allDatasets(names.length) : asked.join(', ')}
          value={asked}
          options={names}
          onChange={(next) => {
            choose(next);
            keepScope(next);
          }}
        />
        <Select
          label={words.mode}
          value={mode}
          options={MODES.filter((one) => follows === null || one !== 'research').map((value) => ({
            value,
            label: words.modes[value],
          }))}
          onChange={setMode}
        />
        <Button kind="bare" aria-expanded={isFiltered} onClick={() => showFilter(!isFiltered)}>
          {words.filter}
        </Button>
        <span className="grow" />
        <Button kind="main" type="submit" icon="ask" disabled={text.trim() === ''}>
          {mode === 'research' ? words.startResearch : words.ask}
        </Button>
      </div>
    </form>
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
