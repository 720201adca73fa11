/** The search box and the filters of a view, each a chip that opens to be changed. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, IconButton } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy.tsx';
import { TextField } from '../../../parts/field.tsx';
import { Select } from '../../../parts/select.tsx';
import { WORDS } from '../../../words.ts';
import styles from '../collections.module.css';
import { NEW_ROW, rowPath } from '../place.ts';
import type { Relation } from '../relation.ts';
import { typeClass } from '../types.ts';
import { type Filter, operatorsOf, takesValue, type View } from './view.ts';
import { viewSql } from './where.ts';

const { rows: words } = WORDS.collections;

interface FiltersProps {
  readonly relation: Relation;
  readonly view: View;
  readonly onChange: (view: View) => void;
}

/** Place of a filter that is being made. */
const NEW = -1;

export function Filters({ relation, view, onChange }: FiltersProps) {
  const [edited, edit] = useState<number | null>(null);
  const navigate = useNavigate();
  const change = (at: number, filter: Filter | null): void => {
    const before = view.filters.filter((_, i) => i !== at);
    const place = at === NEW ? before.length : at;
    const filters = filter === null ? before : before.toSpliced(place, 0, filter);
    edit(null);
    onChange({ ...view, filters });
  };
  const { insert } = relation.rights;
  return (
    <div className={styles.toolbar}>
      {relation.keywordColumns.length > 0 && <SearchBox view={view} onChange={onChange} />}
      {view.filters.map((filter, i) => (
        <Chip
          key={JSON.stringify(filter)}
          filter={filter}
          onEdit={() => edit(i)}
          onRemove={() => change(i, null)}
        />
      ))}
      {edited === null && (
        <Button icon="plus" kind="bare" onClick={() => edit(NEW)}>
          {words.addFilter}
        </Button>
      )}
      {edited !== null && (
        <FilterForm
          key={edited}
          relation={relation}
          initial={view.filters[edited] ?? null}
          onDone={(filter) => change(edited, filter)}
          onCancel={() => edit(null)}
        />
      )}
      <span className="grow" />
      <CopyButton text={viewSql(relation, view)} label={WORDS.copySql} />
      <IconButton
        icon="query"
        label={words.openInQuery}
        onClick={() => void navigate(`/query?sql=${encodeURIComponent(viewSql(relation, view))}`)}
      />
      {insert && relation.key.length > 0 && (
        <Button icon="plus" onClick={() => void navigate(rowPath(relation.shown, NEW_ROW))}>
          {words.add}
        </Button>
      )}
    </div>
  );
}

/** So long one types on before the search begins. */
const TYPING_MS = 250;

function SearchBox({ view, onChange }: Pick<FiltersProps, 'view' | 'onChange'>) {
  const [typed, type] = useState(view.query);
  useEffect(() => type(view.query), [view.query]);
  // What was typed is what counts, whatever else the view has become meanwhile.
  const latest = useRef({ view, onChange });
  latest.current = { view, onChange };
  useEffect(() => {
    const { view: now, onChange: change } = latest.current;
    if (typed === now.query) return undefined;
    const timer = setTimeout(() => change({ ...latest.current.view, query: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className={styles.searchBox} data-search>
      <TextField
        label={words.search}
        isLabelHidden
        type="search"
        placeholder={words.search}
        value={typed}
        onChange={({ target }) => type(target.value)}
      />
    </div>
  );
}

interface ChipProps {
  readonly filter: Filter;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function Chip({ filter: { column, operator, value }, onEdit, onRemove }: ChipProps) {
  const said = `${column} ${words.operators[operator]}${takesValue(operator) ? ` ${value}` : ''}`;
  return (
    <span className={styles.chip}>
      <button type="button" className="cut" title={said} onClick={onEdit}>
        <strong>{column}</strong> {words.operators[operator]}{' '}
        {takesValue(operator) && <span className="mono small">{value}</span>}
      </button>
      <IconButton icon="close" label={words.removeFilter(said)} onClick={onRemove} />
    </span>
  );
}

interface FilterFormProps {
  readonly relation: Relation;
  readonly initial: Filter | null;
  readonly onDone: (filter: Filter) => void;
  readonly onCancel: () => void;
}

/** By their keys rows are seldom looked for. */
const firstColumn = ({ columns, key }: Relation): string =>
  (columns.find(({ name }) => !key.includes(name)) ?? columns[0])?.name ?? '';

function FilterForm({ relation, initial, onDone, onCancel }: FilterFormProps) {
  const [column, setColumn] = useState(initial?.column ?? firstColumn(relation));
  const type = relation.columns.find(({ name }) => name === column)?.type ?? 'text';
  const operators = operatorsOf(type);
  const [chosen, choose] = useState(initial?.operator ?? null);
  const operator = chosen !== null && operators.includes(chosen) ? chosen : (operators[0] ?? 'is');
  const [value, setValue] = useState(initial?.value ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onDone({ column, operator, value: typeClass(type) === 'boolean' && value === '' ? 'true' : value });
  };
  return (
    <form
      className={styles.filterForm}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onCancel();
      }}
    >
      <Select
        label={words.column}
        value={column}
        options={relation.columns.map(({ name }) => ({ value: name, label: name }))}
        onChange={setColumn}
      />
      <Select
        label={words.operator}
        value={operator}
        options={operators.map((one) => ({ value: one, label: words.operators[one] }))}
        onChange={choose}
      />
      {takesValue(operator) && <ValueField type={type} value={value} onChange={setValue} />}
      <Button
        kind="main"
        type="submit"
        disabled={
          takesValue(operator) && value === '' && typeClass(type) !== 'boolean' && typeClass(type) !== 'text'
        }
      >
        {words.apply}
      </Button>
      <Button kind="bare" onClick={onCancel}>
        {WORDS.cancel}
      </Button>
    </form>
  );
}

interface ValueFieldProps {
  readonly type: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ValueField({ type, value, onChange }: ValueFieldProps) {
  if (typeClass(type) === 'boolean') {
    return (
      <Select
        label={words.value}
        value={value === '' ? 'true' : value}
        options={['true', 'false'].map((one) => ({ value: one, label: one }))}
        onChange={onChange}
      />
    );
  }
  return (
    <TextField
      label={words.value}
      isLabelHidden
      autoFocus
      placeholder={typeClass(type) === 'time' ? words.timePlaceholder : words.value}
      inputMode={typeClass(type) === 'number' ? 'decimal' : 'text'}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
