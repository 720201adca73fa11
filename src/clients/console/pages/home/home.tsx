/** The first page: what is here, how large it is, what is on its way, what was asked, what went wrong; an empty server teaches. */
import { type ReactNode, useCallback, useRef } from 'react';
import { Link } from 'react-router';
import { bytes, count } from '../../parts/format.ts';
import { pathOf } from '../../shell/path.ts';
import { Page } from '../../parts/page.tsx';
import { Badge, Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import { useEvery } from '../../server/use-every.ts';
import { useMayCreate } from '../../server/use-may-create.ts';
import type { Loaded } from '../../server/use-rows.ts';
import type { Fault } from '../../server/messages.ts';
import { WORDS } from '../../words.ts';
import { type CollectionFact, type DatasetFact, type HomeFacts, useHomeFacts } from './facts.ts';
import styles from './home.module.css';
import { Start } from './start.tsx';

const { home: words } = WORDS;

export function Component() {
  const facts = useHomeFacts();
  const { collections, datasets } = facts;
  const isEmpty = collections.value?.length === 0 && datasets.value?.length === 0;
  const mayCreate = useMayCreate('table');
  useFresh(facts);
  const reload = (): void => {
    collections.reload();
    datasets.reload();
  };
  return (
    <Page title={WORDS.pages.home} name={WORDS.pages.home}>
      {isEmpty && mayCreate && <Start onLoaded={reload} />}
      {isEmpty && !mayCreate && <Empty title={words.nothingSeen}>{words.nothingSeenSaid}</Empty>}
      {!isEmpty && <Lists facts={facts} />}
    </Page>
  );
}

/** While something is under way, and else: others upload and ask, too. */
const ASK_MS = { busy: 3000, quiet: 30_000 };

function useFresh(facts: HomeFacts): void {
  const isBusy = facts.datasets.value?.some(({ waiting }) => waiting !== '0') === true;
  const look = useRef<() => void>(() => undefined);
  look.current = () => {
    for (const one of Object.values(facts) as Loaded<unknown>[]) one.reload();
  };
  const lookNow = useCallback(() => look.current(), []);
  useEvery(isBusy ? ASK_MS.busy : ASK_MS.quiet, lookNow);
}

/** All at once fail for one reason: it is said once. */
function sharedFault(facts: HomeFacts): Fault | null {
  const faults = Object.values(facts).map(({ fault }: Loaded<unknown>) => fault);
  const [first = null] = faults;
  return faults.every((fault) => fault?.message === first?.message) ? first : null;
}

function Lists({ facts }: { readonly facts: HomeFacts }) {
  const { collections, datasets, questions, failures } = facts;
  const fault = sharedFault(facts);
  if (fault !== null) {
    const reload = (): void => {
      for (const one of Object.values(facts) as Loaded<unknown>[]) one.reload();
    };
    return <FaultBox fault={fault} onRetry={reload} />;
  }
  return (
    <div className={styles.lists}>
      <List
        title={WORDS.pages.collections}
        loaded={collections}
        none={words.none.collections}
        to="/collections"
      >
        {(row) => <CollectionRow key={`${row.schema}.${row.name}`} fact={row} />}
      </List>
      <List title={WORDS.pages.datasets} loaded={datasets} none={words.none.datasets} to="/datasets">
        {(row) => <DatasetRow key={row.name} fact={row} />}
      </List>
      <List title={words.questions} loaded={questions} none={words.none.questions} to="/ask">
        {({ answer_id, question, facts, asked_at }) => (
          <div key={answer_id} className={styles.row}>
            <Link className="cut" to={`/ask/${answer_id}`}>
              {question}
            </Link>
            <span className="quiet">{facts === 0 ? words.noAnswer : words.facts(facts)}</span>
            <span className="quiet small number">
              <When at={asked_at} />
            </span>
          </div>
        )}
      </List>
      <List title={words.failures} loaded={failures} none={words.none.failures}>
        {({ dataset, doc_id, name, reason, updated_at }) => (
          <div key={`${dataset}/${doc_id}`} className={styles.row} title={reason ?? undefined}>
            <Link className="cut" to={`${pathOf('datasets', dataset)}/failures`}>
              {name ?? doc_id} <span className="quiet">{reason}</span>
            </Link>
            <span className="quiet cut" title={dataset}>
              {dataset}
            </span>
            <span className="quiet small number">
              <When at={updated_at} />
            </span>
          </div>
        )}
      </List>
    </div>
  );
}

interface ListProps<Fact> {
  readonly title: string;
  readonly loaded: Loaded<readonly Fact[]>;
  /** What is said where there is none, and what to do about it. */
  readonly none: { readonly said: string; readonly do?: string };
  /** Where all of them are. */
  readonly to?: string;
  readonly children: (fact: Fact) => ReactNode;
}

function List<Fact>({ title, loaded: { value, fault, reload }, none, to, children }: ListProps<Fact>) {
  return (
    <section className={styles.list}>
      <h2>{to === undefined ? title : <Link to={to}>{title}</Link>}</h2>
      {fault !== null && <FaultBox fault={fault} onRetry={reload} />}
      {value === null && fault === null && <Skeleton />}
      {value?.length === 0 && (
        <p className="quiet">
          {none.said} {to !== undefined && none.do !== undefined && <Link to={to}>{none.do}</Link>}
        </p>
      )}
      {value?.map(children)}
    </section>
  );
}

function CollectionRow({ fact }: { readonly fact: CollectionFact }) {
  const { schema, name, rows, bytes: size, changed_at: changed } = fact;
  const shown = schema === 'public' ? name : `${schema}.${name}`;
  return (
    <div className={`${styles.row} ${styles.sized}`}>
      <Link className="cut" to={pathOf('collections', shown)}>
        {shown}
      </Link>
      <span className="number">{rows === null ? '' : words.rows(count(Number(rows)))}</span>
      <Fresh size={size} changed={changed} />
    </div>
  );
}

interface FreshProps {
  readonly size: string | null;
  readonly changed: string | null;
}

/** How large it is, and when it was last written to. */
function Fresh({ size, changed }: FreshProps) {
  return (
    <>
      <span className={`number quiet ${styles.size}`}>{size === null ? '' : bytes(Number(size))}</span>
      <span className="quiet small number">
        <When at={changed} />
      </span>
    </>
  );
}

function DatasetRow({ fact }: { readonly fact: DatasetFact }) {
  const { name, documents, bytes: size, waiting, failed, changed_at: changed } = fact;
  const [inQueue, broken] = [Number(waiting), Number(failed)];
  return (
    <div className={`${styles.row} ${styles.sized}`}>
      <span className="row">
        <Link className="cut" to={pathOf('datasets', name)}>
          {name}
        </Link>
        {inQueue > 0 && <Badge tone="busy">{words.waiting(count(inQueue))}</Badge>}
        {broken > 0 && <Badge tone="bad">{words.failed(count(broken))}</Badge>}
      </span>
      <span className="number">{documents === null ? '' : words.documents(count(Number(documents)))}</span>
      <Fresh size={size} changed={changed} />
    </div>
  );
}
