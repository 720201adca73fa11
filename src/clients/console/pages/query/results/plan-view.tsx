/** A plan as a tree: where the time goes is seen at a glance, and where the planner expected other rows than there were. */
import { useState } from 'react';
import { Icon } from '../../../parts/icons.tsx';
import { bytes, count, duration } from '../../../parts/format.ts';
import { Badge } from '../../../parts/states.tsx';
import { WORDS } from '../../../words.ts';
import type { PlanNode, PlanTree } from './plan.ts';
import styles from '../query.module.css';

const { plan: words } = WORDS.query;

/** Estimates so much off are worth a word. */
const FAR_OFF = 10;

export function PlanView({ tree }: { readonly tree: PlanTree }) {
  return (
    <div className={styles.plan}>
      <p className="quiet number">
        {tree.planningMs !== null && words.planning(duration(tree.planningMs))}
        {tree.executionMs !== null && ` · ${words.execution(duration(tree.executionMs))}`}
      </p>
      <ul aria-label={words.title}>
        <Node node={tree.root} />
      </ul>
    </div>
  );
}

function Node({ node }: { readonly node: PlanNode }) {
  const [isOpen, open] = useState(true);
  const hasMore = node.children.length > 0;
  return (
    <li>
      <div className={styles.node}>
        <button
          type="button"
          className={styles.fold}
          aria-label={isOpen ? words.fold : words.unfold}
          aria-expanded={isOpen}
          disabled={!hasMore}
          onClick={() => open(!isOpen)}
        >
          {hasMore && <Icon name={isOpen ? 'down' : 'next'} size={12} />}
        </button>
        <strong data-arm={node.arm ?? undefined}>{node.name}</strong>
        {node.about !== null && <span className="mono small cut">{node.about}</span>}
        <span className="grow" />
        <Rows node={node} />
        <span className={`number quiet ${styles.memory}`} title={words.memory}>
          {node.memoryBytes === null ? '' : bytes(node.memoryBytes)}
        </span>
        <span className={`number ${styles.time}`}>{node.ms === null ? '' : duration(node.ms)}</span>
        <span className={styles.bar} role="img" aria-label={words.share(Math.round(node.share * 100))}>
          <i style={{ width: `${Math.round(node.share * 100)}%` }} />
        </span>
      </div>
      <Facts node={node} />
      {hasMore && isOpen && (
        <ul className={styles.children}>
          {node.children.map((child, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan does not change
            <Node key={i} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** How indexes were searched, what passed the filter, and all else that the plan says of the node. */
function Facts({ node: { searches, selectivity, facts } }: { readonly node: PlanNode }) {
  if (searches.length + facts.length === 0 && selectivity === null) return null;
  return (
    <dl className={styles.facts}>
      {searches.map(({ strategy, candidates, compared, rescored, ms }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a plan does not change
        <div key={i} className="row">
          <dt className="quiet">{words.search}</dt>
          <dd className="number">
            <strong>{words.candidates(count(candidates))}</strong>
            {` ${words.searched(strategy, count(compared), count(rescored))}`}
            {ms !== null && ` · ${duration(ms)}`}
          </dd>
        </div>
      ))}
      {selectivity !== null && (
        <div className="row">
          <dt className="quiet">{words.passed}</dt>
          <dd className="number">
            {percent(selectivity.met)}
            {selectivity.expected !== null && (
              <span className="quiet"> {words.expectedShare(percent(selectivity.expected))}</span>
            )}
          </dd>
        </div>
      )}
      {facts.map(([name, value]) => (
        <div key={name} className="row">
          <dt className="quiet">{name}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const percent = (share: number): string =>
  share.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 2 });

function Rows({ node: { expectedRows, actualRows, loops } }: { readonly node: PlanNode }) {
  if (actualRows === null)
    return <span className="number quiet">{words.expected(count(expectedRows ?? 0))}</span>;
  const off =
    expectedRows === null
      ? 1
      : (Math.max(actualRows, expectedRows) + 1) / (Math.min(actualRows, expectedRows) + 1);
  return (
    <span className="row">
      {off >= FAR_OFF && <Badge tone="warn">{words.farOff(count(expectedRows ?? 0))}</Badge>}
      <span className="number">
        {words.rows(count(actualRows))}
        {loops > 1 && <span className="quiet"> × {count(loops)}</span>}
      </span>
    </span>
  );
}
