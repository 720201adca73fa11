/** A question and its facts, how sure they are, and what was not found. */
import { Link } from 'react-router';
import { Button } from '../../parts/button.tsx';
import { pathOf } from '../../shell/path.ts';
import { Badge as StateBadge, FaultBox, type Tone } from '../../parts/states.tsx';
import { Tip } from '../../parts/tip.tsx';
import { When } from '../../parts/when.tsx';
import { CANCELLED, type Fault } from '../../server/messages.ts';
import { WORDS } from '../../words.ts';
import styles from './ask.module.css';
import { FactView } from './fact-view.tsx';
import { type AnswerView, type Sureness, surenessOf } from './model.ts';
import type { Badges } from './use-badges.ts';

const { ask: words } = WORDS;

interface BodyProps {
  readonly view: AnswerView;
  readonly badges: Badges;
  readonly isRunning: boolean;
  readonly fault: Fault | null;
  readonly notices: readonly string[];
  readonly onStop: () => void;
  readonly onRetry: () => void;
}

export function AnswerBody({ view, badges, isRunning, fault, notices, onStop, onRetry }: BodyProps) {
  const { question, understood, facts, confidence, progress } = view;
  const isWhole = confidence !== null;
  return (
    <article className={styles.answer}>
      <h2 className={styles.asked} dir="auto">
        {question}
      </h2>
      {understood !== null && understood !== question && (
        <p className="quiet">{words.understood(understood)}</p>
      )}
      <AnswerLine view={view} />
      {isRunning && (
        <p className={styles.running} role="status">
          <span className={styles.pulse} aria-hidden="true" />
          <span className="grow">{progress.at(-1) ?? words.sent}</span>
          <Button icon="stop" onClick={onStop}>
            {WORDS.stop}
          </Button>
        </p>
      )}
      {fault !== null && <Ended fault={fault} onRetry={onRetry} />}
      <ol className={styles.facts} aria-label={words.facts} aria-live="polite">
        {facts.map((fact) => (
          <FactView key={fact.number} fact={fact} badges={badges} />
        ))}
      </ol>
      {isWhole && facts.length === 0 && <Unsupported view={view} />}
      {isWhole && facts.length > 0 && <NotFound progress={progress} />}
      {notices.length > 0 && (
        <ul className="quiet small">
          {notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      )}
      {isWhole && facts.length > 0 && <Done progress={progress} />}
    </article>
  );
}

function Ended({ fault, onRetry }: { readonly fault: Fault; readonly onRetry: () => void }) {
  if (fault.sqlstate !== CANCELLED) return <FaultBox fault={fault} onRetry={onRetry} />;
  return (
    <p className="row quiet">
      {words.stopped}
      <Button icon="again" onClick={onRetry}>
        {words.askAgain}
      </Button>
    </p>
  );
}

const TONES: Readonly<Record<Sureness, Tone>> = {
  sure: 'good',
  likely: 'good',
  unsure: 'warn',
  doubtful: 'warn',
  none: 'warn',
};

function AnswerLine({ view: { confidence, datasets, mode, askedAt } }: { readonly view: AnswerView }) {
  const sureness = confidence === null ? null : surenessOf(confidence);
  return (
    <p className={`row quiet small ${styles.meta}`}>
      {sureness !== null && confidence !== null && (
        <Tip text={words.surenessMeans(Math.round(confidence))[sureness === 'none' ? 'none' : 'some']}>
          <button type="button" className={styles.sure}>
            <StateBadge tone={TONES[sureness]}>{words.sureness[sureness]}</StateBadge>
          </button>
        </Tip>
      )}
      <span className={styles.datasets}>
        {datasets.map((name, i) => (
          <span key={name}>
            {i > 0 && ', '}
            <Link to={pathOf('datasets', name)}>{name}</Link>
          </span>
        ))}
      </span>
      {mode !== 'auto' && <span>{words.modes[mode as keyof typeof words.modes] ?? mode}</span>}
      {askedAt !== null && <When at={askedAt} />}
    </p>
  );
}

/** Why there are no facts: what was looked at says it. */
function Unsupported({ view: { progress, datasets } }: { readonly view: AnswerView }) {
  return (
    <section className={styles.unsupported}>
      <h3>{words.unsupported}</h3>
      <p className="quiet">{words.unsupportedSaid(datasets.join(', '))}</p>
      <h3>{words.lookedAt}</h3>
      <ul>
        {progress.map((step, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are their order
          <li key={i}>{step}</li>
        ))}
      </ul>
      <p className="quiet">{words.unsupportedTry}</p>
    </section>
  );
}

const REFUSALS = /^(?:Not computed|No document|Nothing|No passage)/;

/** Names what was asked for and is not among the facts. */
function NotFound({ progress }: { readonly progress: readonly string[] }) {
  const said = progress.filter((step) => REFUSALS.test(step));
  if (said.length === 0) return null;
  return (
    <ul className={styles.notFound} aria-label={words.notFound}>
      {said.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ul>
  );
}

function Done({ progress }: { readonly progress: readonly string[] }) {
  if (progress.length === 0) return null;
  return (
    <details className={styles.done}>
      <summary className="quiet small">{words.done}</summary>
      <ol className="quiet small">
        {progress.map((step, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are their order
          <li key={i}>{step}</li>
        ))}
      </ol>
    </details>
  );
}
