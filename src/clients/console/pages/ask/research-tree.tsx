/** The tree of a piece of research: a question each, what was kept for it, what was left out and why. */
import { Link } from 'react-router';
import { Icon } from '../../parts/icons.tsx';
import { Badge, type Tone } from '../../parts/states.tsx';
import { WORDS } from '../../words.ts';
import { documentPath } from '../datasets/data.ts';
import styles from './ask.module.css';
import type { Part, Step } from './research-steps.ts';

const { research: words } = WORDS;

interface TreeProps {
  readonly parts: readonly Part[];
  readonly isUnderWay: boolean;
}

export function ResearchTree({ parts, isUnderWay }: TreeProps) {
  if (parts.length === 0) return <p className="quiet">{isUnderWay ? words.planning : words.noSteps}</p>;
  return (
    <ol className={styles.tree}>
      {parts.map((part) => (
        <li key={part.step.step}>
          <PartView part={part} isUnderWay={isUnderWay} />
        </li>
      ))}
    </ol>
  );
}

interface State {
  readonly tone: Tone;
  readonly word: string;
}

function stateOf({ step, searches, kept, noted }: Part, isUnderWay: boolean): State {
  if (step.kind !== 'plan') return { tone: 'plain', word: words.kinds[step.kind] ?? step.kind };
  if (noted.some(({ kind }) => kind === 'gap')) return { tone: 'warn', word: words.kinds.gap ?? '' };
  const isOver = searches.some(({ finished_at: end }) => end !== null);
  if (isOver) return { tone: kept.length > 0 ? 'good' : 'plain', word: words.kept(kept.length) };
  return isUnderWay ? { tone: 'busy', word: words.waiting } : { tone: 'plain', word: words.notLooked };
}

function PartView({ part, isUnderWay }: { readonly part: Part; readonly isUnderWay: boolean }) {
  const { step, searches, kept, rejected, noted } = part;
  const { tone, word } = stateOf(part, isUnderWay);
  const said = searches.at(-1)?.text ?? step.text;
  return (
    <details open={kept.length > 0 || noted.length > 0} className={styles.part}>
      <summary>
        <span className="grow" dir="auto">
          {step.kind === 'plan' ? step.question : (step.text ?? step.question)}
        </span>
        <Badge tone={tone}>{word}</Badge>
      </summary>
      {said !== null && step.kind === 'plan' && <p className="quiet small">{said}</p>}
      <ul>
        {noted.map((one) => (
          <StepLine key={one.step} step={one} />
        ))}
        {kept.map((one) => (
          <StepLine key={one.step} step={one} />
        ))}
      </ul>
      {rejected.length > 0 && (
        <details className={styles.rejected}>
          <summary className="quiet small">{words.rejected(rejected.length)}</summary>
          <ul>
            {rejected.map((one) => (
              <StepLine key={one.step} step={one} />
            ))}
          </ul>
        </details>
      )}
    </details>
  );
}

const TONES: Readonly<Record<string, Tone>> = { gap: 'warn', contradiction: 'bad' };

function StepLine({
  step: { kind, text, reason, dataset, doc_id: docId, content_id: content },
}: {
  readonly step: Step;
}) {
  const word = kind === 'reject' ? (reason ?? '') : (words.kinds[kind] ?? kind);
  return (
    <li className={styles.step}>
      {kind === 'keep' ? <Icon name="check" /> : <Badge tone={TONES[kind] ?? 'plain'}>{word}</Badge>}
      <span className="grow" dir="auto">
        {text}
        {kind !== 'reject' && reason !== null && <span className="quiet"> {reason}</span>}{' '}
        {dataset !== null && docId !== null && (
          <Link
            className="small"
            to={`${documentPath(dataset, docId)}${content === null ? '' : `?content=${encodeURIComponent(content)}`}`}
          >
            {docId}
          </Link>
        )}
      </span>
    </li>
  );
}
