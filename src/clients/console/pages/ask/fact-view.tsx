/** One fact: a sentence with its badges; what was computed as its formula, each operand with a badge of its own. */
import type { ReactNode } from 'react';
import { WORDS } from '../../words.ts';
import styles from './ask.module.css';
import { amountOf, type Badge, type Fact, numbersOf, cellValue } from './model.ts';
import type { Badges } from './use-badges.ts';

const { ask: words } = WORDS;

interface FactProps {
  readonly fact: Fact;
  readonly badges: Badges;
}

export function FactView({ fact, badges }: FactProps) {
  const own = badges.all.filter((badge) => badge.fact === fact.number);
  const isActive = badges.active?.fact === fact.number;
  return (
    <li className={styles.fact} data-active={isActive || undefined} dir="auto">
      {fact.computed ? (
        <Computed text={fact.text} own={own} badges={badges} />
      ) : (
        <p>
          {fact.text}{' '}
          {own.map((badge) => (
            <BadgeButton key={badge.number} badge={badge} badges={badges} />
          ))}
        </p>
      )}
      <Fallen own={own} />
    </li>
  );
}

interface BadgeProps {
  readonly badge: Badge;
  readonly badges: Badges;
  /** A figure of a formula. */
  readonly figure?: string;
}

function BadgeButton({ badge, badges, figure }: BadgeProps) {
  const { number, main, citations } = badge;
  const [first] = main;
  const isThere = first !== undefined && first.doc_id !== '';
  return (
    <button
      type="button"
      className={figure === undefined ? styles.badge : styles.operand}
      aria-pressed={badges.active?.number === number}
      data-fallen={citations.some(({ stands }) => !stands) || undefined}
      disabled={!isThere}
      onClick={() => badges.choose(badge)}
    >
      {figure !== undefined && <span>{figure} </span>}
      <span className={figure === undefined ? undefined : styles.badge}>{number}</span>
      <span className="only-read"> {words.badge(first?.doc_name ?? '', first?.doc_pages[0] ?? null)}</span>
    </button>
  );
}

const COMPUTED = /^(.*?) ?\(computed\)(.*?): (.*?)(?:; from (.*))?$/s;

interface ComputedProps {
  readonly text: string;
  readonly own: readonly Badge[];
  readonly badges: Badges;
}

function Computed({ text, own, badges }: ComputedProps) {
  const [whole, name = '', of = '', formula = text, from] = COMPUTED.exec(text) ?? [];
  if (whole === undefined) return <p>{withOperands(text, own, badges)}</p>;
  const used = new Set(numbersOf(formula).map(({ amount }) => amount));
  const others = own.filter(
    (badge) => !used.has(amountOf(cellValue(badge.main[0]?.quote ?? '')) ?? Number.NaN),
  );
  return (
    <>
      <p>
        {name}
        {of} <span className={styles.computed}>{words.computed}</span>{' '}
        {others.map((badge) => (
          <BadgeButton key={badge.number} badge={badge} badges={badges} />
        ))}
      </p>
      <p className={styles.formula}>{withOperands(formula, own, badges)}</p>
      {from !== undefined && <p className="quiet small">{words.from(from)}</p>}
    </>
  );
}

/** A text in which each figure that stands in a cell has that cell's badge. */
function withOperands(text: string, own: readonly Badge[], badges: Badges): ReactNode[] {
  const byAmount = new Map<number, Badge>();
  for (const badge of own) {
    const amount = amountOf(cellValue(badge.main[0]?.quote ?? ''));
    if (amount !== null && !byAmount.has(amount)) byAmount.set(amount, badge);
  }
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end, amount } of numbersOf(text)) {
    const badge = byAmount.get(amount);
    if (badge === undefined) continue;
    parts.push(text.slice(at, start));
    parts.push(<BadgeButton key={start} badge={badge} badges={badges} figure={text.slice(start, end)} />);
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Tells which quotes no longer stand where they were. */
function Fallen({ own }: { readonly own: readonly Badge[] }) {
  const reasons = new Set(
    own.flatMap(({ citations }) =>
      citations.filter(({ stands }) => !stands).map(({ reason }) => reason ?? ''),
    ),
  );
  if (reasons.size === 0) return null;
  return (
    <p className={styles.fallen}>{[...reasons].map((reason) => words.reasons[reason] ?? reason).join(' ')}</p>
  );
}
