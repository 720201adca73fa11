/**
 * The search bench: one query by words, by both, by meaning, side by side; what each found is joined by
 * lines.
 */
import { type FormEvent, useCallback, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button, LinkButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Page, Split } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Empty, FaultBox, Skeleton } from '../../parts/states.tsx';
import { quoteText } from '../../server/names.ts';
import { WORDS } from '../../words.ts';
import styles from './bench.module.css';
import { ExplanationPanel } from './explanation.tsx';
import { Lanes, type Opened } from './lanes.tsx';
import { type Arm, type Asked, METHODS, type Method } from './search.ts';
import { type BenchSource, useSources } from './sources.ts';
import { useSearches } from './use-searches.ts';

const { bench: words } = WORDS;

const HITS = 10;

/** From the address, so that a comparison can be sent to somebody. */
function askedOf(search: URLSearchParams, sources: readonly BenchSource[]): Asked | null {
  const source = sources.find(({ id }) => id === search.get('in')) ?? sources[0];
  if (source === undefined) return null;
  const method = METHODS.find((one) => one === search.get('method')) ?? 'softmax';
  return { source, query: search.get('q') ?? '', filter: search.get('filter') ?? '', method, count: HITS };
}

function openedOf(search: URLSearchParams): Opened | null {
  const text = search.get('open');
  const at = text?.indexOf(':') ?? -1;
  if (text === null || at < 0) return null;
  return { arm: text.slice(0, at) as Arm, key: text.slice(at + 1) };
}

export function Component() {
  const sources = useSources();
  const [search] = useSearchParams();
  const asked = askedOf(search, sources.value ?? []);
  return (
    <Page title={WORDS.pages.bench} name={WORDS.pages.bench}>
      {sources.fault !== null && <FaultBox fault={sources.fault} onRetry={sources.reload} />}
      {sources.value === null && sources.isLoading && <Skeleton />}
      {sources.value !== null && asked === null && (
        <Empty
          title={words.none}
          action={
            <LinkButton kind="main" to="/collections">
              {words.toCollections}
            </LinkButton>
          }
          sql="CREATE INDEX ON films USING semantic (plot)"
        >
          {words.noneSaid}
        </Empty>
      )}
      {asked !== null && <Bench asked={asked} sources={sources.value ?? []} />}
    </Page>
  );
}

function Bench({ asked, sources }: { readonly asked: Asked; readonly sources: readonly BenchSource[] }) {
  const [search, setSearch] = useSearchParams();
  const searches = useSearches(asked);
  const opened = openedOf(search);
  const change = (changed: Readonly<Record<string, string>>): void =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changed)) {
        if (value === '') next.delete(name);
        else next.set(name, value);
      }
      return next;
    });
  const close = useCallback(
    () =>
      setSearch((before) => {
        const next = new URLSearchParams(before);
        next.delete('open');
        return next;
      }),
    [setSearch],
  );
  const hit =
    opened === null ? undefined : searches[opened.arm].found?.hits.find(({ key }) => key === opened.key);
  return (
    <Split
      panel={
        opened !== null &&
        hit !== undefined && (
          <ExplanationPanel source={asked.source} arm={opened.arm} hit={hit} onClose={close} />
        )
      }
    >
      <div className={styles.bench}>
        <AskedForm asked={asked} sources={sources} onAsk={change} />
        {asked.query === '' ? (
          <Empty
            title={words.empty}
            sql={`SELECT * FROM hybrid(${quoteText(asked.source.id)}, 'a heist that goes wrong', explain => true)`}
          >
            {words.emptySaid}
          </Empty>
        ) : (
          <Lanes
            asked={asked}
            searches={searches}
            opened={opened}
            onOpen={({ arm, key }) => change({ open: `${arm}:${key}` })}
          />
        )}
      </div>
    </Split>
  );
}

interface AskedFormProps {
  readonly asked: Asked;
  readonly sources: readonly BenchSource[];
  readonly onAsk: (changed: Readonly<Record<string, string>>) => void;
}

function AskedForm({ asked, sources, onAsk }: AskedFormProps) {
  const [query, setQuery] = useState(asked.query);
  const [filter, setFilter] = useState(asked.filter);
  useEffect(() => setQuery(asked.query), [asked.query]);
  useEffect(() => setFilter(asked.filter), [asked.filter]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onAsk({ q: query.trim(), filter: filter.trim(), open: '' });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Select
        label={words.source}
        value={asked.source.id}
        options={sources.map(({ id, shown }) => ({ value: id, label: shown }))}
        onChange={(id) => onAsk({ in: id, open: '' })}
      />
      <div className={styles.query} data-search>
        <TextField
          label={words.query}
          isLabelHidden
          type="search"
          placeholder={words.query}
          autoFocus
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </div>
      <div className={styles.filter}>
        <TextField
          label={words.filter}
          isLabelHidden
          placeholder={words.filter}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      </div>
      <Select
        label={words.method}
        value={asked.method}
        options={METHODS.map((value: Method) => ({ value, label: value }))}
        onChange={(method) => onAsk({ method })}
      />
      <Button kind="main" type="submit" disabled={query.trim() === ''}>
        {WORDS.search}
      </Button>
    </form>
  );
}
